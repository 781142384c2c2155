// SPDX-License-Identifier: MIT
// Elementwise kernels as CuPy declares them: named inputs and outputs, whose types may depend on the call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit_elementwise.hpp"
#include "quern/elementwise.hpp"

namespace quern::algorithms {

struct NamedParameter {
  std::string type, name;  // "float32" or "T", "x"
  bool is_raw = false;     // the operation indexes it like a pointer
  bool is_output = false;
};

// Throws ArgumentError for an invalid declaration.
std::vector<NamedParameter> parse_named(const std::string& inputs, const std::string& outputs);

// The types of a call: the dtype of each parameter, and which parameters are numbers instead of arrays.
struct NamedTypes {
  std::vector<DType> dtypes;
  std::vector<bool> is_number;
  std::string key;
};

// Returns the dtype of a type name of NumPy or OpenCL C.
std::optional<DType> known_type(const std::string& name);

// Throws ArgumentError if arrays give an open type different dtypes, or if no argument resolves it.
NamedTypes resolve_types(const std::string& kernel, const std::vector<NamedParameter>& parameters,
                         std::span<const KernelArgument> arguments);

// The parameters as the kernel declares them, and definitions of the open types.
struct NamedDeclarations {
  std::string preamble;
  std::vector<codegen::Argument> arguments;
};
NamedDeclarations declarations_of(const std::vector<NamedParameter>& parameters, const NamedTypes& types);

codegen::ElementwiseSource source_of(const std::vector<NamedParameter>& parameters, const NamedTypes& types,
                                     const std::string& operation, const GeneratorOptions& options);

}  // namespace quern::algorithms
