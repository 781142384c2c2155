// SPDX-License-Identifier: MIT
// From source to a loaded module: memory cache, disk cache, front end and the device's compiler, in this
// order.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "runtime/context_state.hpp"
#include "runtime/loaded_module.hpp"
#include "runtime/program_entry.hpp"
#include "runtime/program_source.hpp"

namespace quern::detail {

struct BuiltProgram {
  ProgramEntry entry;
  std::shared_ptr<LoadedModule> module;
};

using frontend::LocalSize;

// Throws BuildError. Two threads that want the same program build it once.
std::shared_ptr<const BuiltProgram> build_program(ProgramSource& source,
                                                  const std::shared_ptr<ContextState>& context,
                                                  std::size_t device, const LocalSize& local = {});

// The same program where it was built before, in this process or another; null where it would have to be
// compiled, or another thread builds it now.
std::shared_ptr<const BuiltProgram> find_program(ProgramSource& source,
                                                 const std::shared_ptr<ContextState>& context,
                                                 std::size_t device, const LocalSize& local = {});

// Whether some kernels may be faster on this device when they are built for the local size of their launch.
bool can_fix_local(const ProgramSource& source, const Device& device);
// Whether this kernel is, where that may be: what the front end says, without a compiler. False where the
// text has errors, which a build reports.
bool wants_fixed_local(ProgramSource& source, const std::shared_ptr<ContextState>& context,
                       std::size_t device, std::string_view kernel);

// Reads what a source declares, but no function bodies, as a build for the device would. Throws BuildError.
// False where only the device's own compiler can tell whether the declarations are right.
bool check_declarations(ProgramSource& source, const std::shared_ptr<ContextState>& context,
                        std::size_t device);

// From what serialize() made of an entry. Throws ArgumentError if the bytes are not a program for this
// device.
std::shared_ptr<const BuiltProgram> load_program(std::span<const std::byte> bytes,
                                                 const std::shared_ptr<ContextState>& context,
                                                 std::size_t device);

// The target of the front end for devices of a dialect.
frontend::Target target_of(Dialect dialect);

// What the compiler of a device of this dialect is given.
std::string compiler_input(ProgramSource& source, Dialect dialect);

struct BuildCounts {
  std::uint64_t compilations = 0, memory_hits = 0, disk_hits = 0;
};
BuildCounts build_counts() noexcept;

}  // namespace quern::detail
