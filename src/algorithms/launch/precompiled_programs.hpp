// SPDX-License-Identifier: MIT
// The programs of codegen::library_programs() as they are compiled into the library, found by their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quern/signature.hpp"
#include "runtime/precompiled_kernel.hpp"

namespace quern::algorithms {

// A kernel of the library that the host may call.
struct PrecompiledKernelSource {
  backend::PrecompiledFunction* function;
  Signature signature;
};
// Returns kernel `name` of the program with this key, compiled for the best instruction set of this
// processor. Returns nothing if the library does not hold the program.
std::optional<PrecompiledKernelSource> precompiled_kernel(const std::string& key, std::string_view name);

// Returns the index of the best instruction set that this processor has, among those that the library is
// compiled for.
std::size_t best_instruction_set();

// The tables that the build writes. Signatures are made from them.
struct PrecompiledParameter {
  const char *name, *type_name;
  Scalar scalar;  // structures are unknown
  std::uint8_t lanes;
  AddressSpace space;
  bool is_pointer, is_const;
};
struct PrecompiledSignature {
  const char* name;
  const PrecompiledParameter* parameters;
  std::size_t parameter_count;
  std::size_t required_local, local_memory;
  bool exchanges_values;
};
struct PrecompiledProgram {
  const char* key;
  const PrecompiledSignature* kernels;
  std::size_t kernel_count;
  backend::PrecompiledFunction* const* const* functions;  // for each instruction set, the best first
};
extern const PrecompiledProgram kPrecompiledPrograms[];
extern const std::size_t kPrecompiledProgramCount;

}  // namespace quern::algorithms
