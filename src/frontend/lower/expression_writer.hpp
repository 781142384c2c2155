// SPDX-License-Identifier: MIT
// Writes expressions. Each result may be used as an operand without further parentheses.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

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

  // Checked accesses (bounds.cpp)
  const std::string& bounds_helpers();

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
  [[nodiscard]] bool changes(const Variable* pointer) const;
  [[nodiscard]] int argument_of(const Expr* pointer) const;
  std::optional<int> checked_argument(const Expr* pointer);
  std::string checked_address(const Expr* pointer, const std::string& address, std::size_t count,
                              int argument, Location at);
  void check_arguments(const Expr* e, std::vector<std::string>& arguments);
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
  bool is_address_ = false;   // the next expression is an object whose address is taken
  std::optional<bool> has_foreign_pointers_;
  mutable std::unordered_set<const Variable*> changing_;  // pointer variables of `changing_in_`
  mutable const Function* changing_in_ = nullptr;
};

}  // namespace quern::frontend::lower
