// SPDX-License-Identifier: MIT
// CuPy's way to declare an elementwise kernel: named inputs and outputs, whose types a call may decide.
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
  bool is_raw = false;     // given as a pointer
  bool is_output = false;
};

// Throws ArgumentError for a declaration that is none.
std::vector<NamedParameter> parse_named(const std::string& inputs, const std::string& outputs);

// What a call decides: the dtype of each parameter, and which of them are single numbers.
struct NamedTypes {
  std::vector<DType> dtypes;
  std::vector<bool> is_number;
  std::string key;
};

// The type of a name that NumPy or OpenCL C knows.
std::optional<DType> known_type(const std::string& name);

// Throws ArgumentError where two arrays want different types of one name, or nothing says what a type is.
NamedTypes resolve_types(const std::string& kernel, const std::vector<NamedParameter>& parameters,
                         std::span<const KernelArgument> arguments);

// The parameters as a kernel declares them, behind the definitions of the types that were left open.
struct NamedDeclarations {
  std::string preamble;
  std::vector<codegen::Argument> arguments;
};
NamedDeclarations declarations_of(const std::vector<NamedParameter>& parameters, const NamedTypes& types);

codegen::ElementwiseSource source_of(const std::vector<NamedParameter>& parameters, const NamedTypes& types,
                                     const std::string& operation, const GeneratorOptions& options);

}  // namespace quern::algorithms
