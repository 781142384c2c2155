// SPDX-License-Identifier: MIT
// The arguments of generated kernels, as a user declares them in C.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.hpp"
#include "quern/signature.hpp"

namespace quern::codegen {

struct Argument {
  Parameter parameter;
  std::string declaration;  // as a kernel's parameter list has it, with an address space
  std::string type;         // of the value or the element: "float", "struct point"
};

// C in front of a generated kernel, as it is read before a device is known: types and macros.
class Preamble {
 public:
  Preamble() = default;
  explicit Preamble(frontend::Source source);
  [[nodiscard]] const frontend::Macros& macros() const noexcept { return macros_; }
  // The parameters of a kernel behind the preamble.
  [[nodiscard]] std::vector<Parameter> parameters_of(const std::string& list) const;

 private:
  frontend::Source source_;
  frontend::Macros macros_;
};

// A parameter of its own: an element of an array, or a value, of `type` in C.
Argument declare(const std::string& name, const DType& dtype, const std::string& type, bool is_pointer,
                 bool is_const);

// Throws ArgumentError for what no parameter of a generated kernel may be called: names that the language or
// the generated text has for itself, among them those in `reserved`.
void check_name(const std::string& name, std::span<const std::string_view> reserved);

// "float a, const float *x, struct point *p". Pointers without an address space are global; types may be
// defined in the preamble. Throws BuildError or ArgumentError that names the argument. Names are checked
// where `reserved` has any.
std::vector<Argument> parse_arguments(const std::string& text, const Preamble& preamble,
                                      std::span<const std::string_view> reserved = {});

// The element type that a name stands for, which the preamble may define: "float", "minmax_t".
DType type_called(const std::string& name, const Preamble& preamble);

}  // namespace quern::codegen
