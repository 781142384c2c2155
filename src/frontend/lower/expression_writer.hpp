// SPDX-License-Identifier: MIT
// Writes expressions. Each result may be used as an operand without further parentheses.
#pragma once

#include <string>
#include <unordered_map>

#include "frontend/lower/builtin_writer.hpp"

namespace quern::frontend::lower {

class ExpressionWriter {
 public:
  ExpressionWriter(Context& context, DeviceFunctions& device)
      : program_(context.program),
        dialect_(context.dialect),
        out_(context.out),
        scope_(context.scope),
        types_(context.types),
        conversions_(context.conversions),
        operators_(context.operators),
        device_(device),
        builtins_(context, device) {}

  std::string expr(const Expr* e);
  // The values between the braces of an initialiser, where nested aggregates need no type.
  std::string list(const Expr* e);

  // 64-bit indices (wide_indices.cpp)
  std::string wide(const Expr* e);
  bool has_wide_twin(const Variable* variable);
  void set_wide_twin(const Variable* variable, bool has_twin) { wide_twins_[variable] = has_twin; }
  std::string wide_twin(const Variable* variable);

  // Constant data (constant_data.cpp)
  void constant_data();

 private:
  std::string convert(const Expr* e);
  std::string unary(const Expr* e);
  std::string binary(const Expr* e);
  std::string assign(const Expr* e);
  std::string increment(const Expr* e);
  std::string conditional(const Expr* e);
  std::string union_helper(const Expr* e);
  std::string call(const Expr* e);
  std::string builtin(const Expr* e);
  std::string work_item(const Expr* e);
  std::string swizzle(const Expr* e);
  std::string vector_literal(const Expr* e);
  std::string cut_sum(const Expr* e);
  std::string constant_initialiser(const Expr* e);
  std::string constant_component(const Expr* e, std::size_t index);

  Program& program_;
  const Dialect& dialect_;
  Output& out_;
  Scope& scope_;
  TypeWriter& types_;
  ConversionWriter& conversions_;
  OperatorWriter& operators_;
  DeviceFunctions& device_;
  BuiltinWriter builtins_;
  std::unordered_map<const Variable*, bool> wide_twins_;
  bool in_constant_ = false;  // writing the initialiser of constant data
};

}  // namespace quern::frontend::lower
