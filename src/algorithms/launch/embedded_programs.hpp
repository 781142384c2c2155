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
// Returns kernel `name` of the program with this key, compiled for the best instruction set of this
// processor. Returns nothing if the library does not hold the program.
std::optional<EmbeddedKernelSource> embedded_kernel(const std::string& key, std::string_view name);

// Returns the index of the best instruction set that this processor has, among those that the library is
// compiled for.
std::size_t best_instruction_set();

// The tables that the build writes. Signatures are made from them.
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
  backend::EmbeddedFunction* const* const* functions;  // for each instruction set, the best first
};
extern const EmbeddedProgram kEmbeddedPrograms[];
extern const std::size_t kEmbeddedProgramCount;

}  // namespace quern::algorithms
