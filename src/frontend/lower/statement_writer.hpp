// SPDX-License-Identifier: MIT
// Writes statements and functions.
#pragma once

#include <string>

#include "frontend/lower/expression_writer.hpp"

namespace quern::frontend::lower {

class StatementWriter {
 public:
  StatementWriter(Context& context, DeviceFunctions& device, ExpressionWriter& expressions)
      : program_(context.program),
        dialect_(context.dialect),
        out_(context.out),
        scope_(context.scope),
        types_(context.types),
        device_(device),
        expressions_(expressions) {}

  void function(const Function* f);
  std::string header(const Function* f);
  void statement(const Stmt* s);
  void declaration(const Variable* v);
  std::string case_labels(const Stmt* s);
  // Writes a loop's body, with break and continue replaced by these statements; an empty text keeps the
  // statement.
  void body(const Stmt* s, const std::string& on_break, const std::string& on_continue);

 private:
  void nested(const Stmt* s);
  void own_body(const Stmt* s, bool is_loop);
  void unroll(const Stmt* s);
  void assign_elements(const Type* type, const std::string& name, const Expr* list, Location at);

  Program& program_;
  const Dialect& dialect_;
  Output& out_;
  Scope& scope_;
  TypeWriter& types_;
  DeviceFunctions& device_;
  ExpressionWriter& expressions_;
  std::string on_break_, on_continue_;
};

}  // namespace quern::frontend::lower
