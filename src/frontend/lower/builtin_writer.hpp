// SPDX-License-Identifier: MIT
// Calls of OpenCL C's built-in functions, from the forms in the table. The arguments are already text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/lower/device_functions.hpp"

namespace quern::frontend::lower {

class BuiltinWriter {
 public:
  BuiltinWriter(Context& context, DeviceFunctions& device)
      : program_(context.program),
        dialect_(context.dialect),
        out_(context.out),
        types_(context.types),
        conversions_(context.conversions),
        device_(device) {}

  std::string call(const Expr* e, const std::vector<std::string>& arguments);

 private:
  std::string elementwise(const Expr* e, const std::vector<std::string>& arguments);
  // The call for scalar arguments; `type` is the scalar T of the function's rule.
  std::string scalar_form(const Builtin& row, const Type* type, const std::vector<std::string>& arguments,
                          const Expr* e);
  std::string half_form(const Builtin& row, const std::vector<std::string>& arguments, const Expr* e);
  std::string fill_in(std::string_view text, const Type* type, const std::vector<std::string>& arguments);
  std::string parameter_type(const Builtin& row, std::size_t index, const Type* type, const Expr* e);
  std::string geometric(const Builtin& row, const Type* type, const std::vector<std::string>& arguments);
  // builtin_vectors.cpp
  std::string memory(const Expr* e, const std::vector<std::string>& arguments);
  std::string shuffle(const Expr* e, const std::vector<std::string>& arguments);
  std::string upsample(const Expr* e, const std::vector<std::string>& arguments);
  std::string half_memory(const Expr* e, const std::vector<std::string>& arguments);
  std::string print(const Expr* e, const std::vector<std::string>& arguments);  // builtin_printf.cpp

  Program& program_;
  const Dialect& dialect_;
  Output& out_;
  TypeWriter& types_;
  ConversionWriter& conversions_;
  DeviceFunctions& device_;
  std::size_t prints_ = 0;
};

}  // namespace quern::frontend::lower
