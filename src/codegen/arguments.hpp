// SPDX-License-Identifier: MIT
// The arguments of generated kernels, as users declare them in C.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/header.hpp"
#include "quern/signature.hpp"

namespace quern::codegen {

struct Argument {
  Parameter parameter;
  std::string declaration;  // as in a kernel's parameter list, with an address space
  std::string type;         // of the value or the element: "float", "struct point"
};

// The C preamble of a generated kernel, read before a device is known: types and macros.
class Preamble {
 public:
  explicit Preamble(frontend::Source source = {});
  [[nodiscard]] const std::string& text() const noexcept { return header_->source().text; }
  [[nodiscard]] const frontend::Macros& macros() const noexcept { return header_->macros(); }
  // The parameters of a kernel after the preamble.
  [[nodiscard]] std::vector<Parameter> parameters_of(const std::string& list) const;

 private:
  std::unique_ptr<frontend::Header> header_;
};

// Declares a parameter from its properties: an array element or a value of `type` in C.
Argument declare(const std::string& name, const DType& dtype, const std::string& type, bool is_pointer,
                 bool is_const);

// Throws ArgumentError for invalid names of parameters: names that the language or the generated source uses,
// and those in `reserved`.
void check_name(const std::string& name, std::span<const std::string_view> reserved);

// Parses "float a, const float *x, struct point *p". Pointers without an address space are global; the
// preamble may define types. Throws a BuildError or ArgumentError that names the argument. If `reserved` is
// not empty, names are checked.
std::vector<Argument> parse_arguments(const std::string& text, const Preamble& preamble,
                                      std::span<const std::string_view> reserved = {});

// The element type of a name, which the preamble may define: "float", "minmax_t".
DType type_called(const std::string& name, const Preamble& preamble);

}  // namespace quern::codegen
