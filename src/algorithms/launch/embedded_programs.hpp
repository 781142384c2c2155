// SPDX-License-Identifier: MIT
// The programs of codegen::library_programs() as they are compiled into the library, found by their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quern/signature.hpp"
#include "runtime/embedded_kernel.hpp"

namespace quern::algorithms {

// A kernel of the library that the host may call.
struct EmbeddedKernelSource {
  backend::EmbeddedFunction* function;
  Signature signature;
};
// Kernel `name` of the program with this key, for the processor that is here; nothing where the library does
// not hold it.
std::optional<EmbeddedKernelSource> embedded_kernel(const std::string& key, std::string_view name);

// The place, among the sets of instructions that the library is compiled for, of the best that the processor
// has.
std::size_t best_instruction_set();

// What the build writes: rows of static data, from which signatures are made.
struct EmbeddedParameter {
  const char *name, *type_name;
  Scalar scalar;  // structures are unknown
  std::uint8_t lanes;
  AddressSpace space;
  bool is_pointer, is_const;
};
struct EmbeddedSignature {
  const char* name;
  const EmbeddedParameter* parameters;
  std::size_t parameter_count;
  std::size_t required_local, local_memory;
  bool exchanges_values;
};
struct EmbeddedProgram {
  const char* key;
  const EmbeddedSignature* kernels;
  std::size_t kernel_count;
  backend::EmbeddedFunction* const* const* functions;  // of each set of instructions, the best first
};
extern const EmbeddedProgram kEmbeddedPrograms[];
extern const std::size_t kEmbeddedProgramCount;

}  // namespace quern::algorithms
