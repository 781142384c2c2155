// SPDX-License-Identifier: MIT
// The arguments of generated kernels, as a user declares them in C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quern/signature.hpp"

namespace quern::codegen {

struct Argument {
  Parameter parameter;
  std::string declaration;  // as a kernel's parameter list has it, with an address space
  std::string type;         // of the value or the element: "float", "struct point"
};

// "float a, const float *x, struct point *p". Pointers without an address space are global; types may be
// defined in the preamble. Throws BuildError or ArgumentError that names the argument.
std::vector<Argument> parse_arguments(const std::string& text, const std::string& preamble);

// The element type that a name stands for, which the preamble may define: "float", "minmax_t".
DType type_called(const std::string& name, const std::string& preamble);

}  // namespace quern::codegen
