// SPDX-License-Identifier: MIT
// Writes statements and functions.
#include "frontend/lower/statement_writer.hpp"

#include <utility>

#include "frontend/lower/analysis/function_facts.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint64_t kMaxLabels = 1024;

}  // namespace

// If jumps may cross a declaration, C++ does not allow an initialiser, so elements are assigned instead.
void StatementWriter::assign_elements(const Type* type, const std::string& name, const Expr* e, Location at) {
  if (e->kind != ExprKind::list || type->kind != TypeKind::array) {
    out_.line(at, name + " = " + expressions_.expr(e) + ";");
    return;
  }
  out_.line(at, dialect_.library_function("memset") + "(" + name + ", 0, sizeof(" + name + "));");
  for (std::size_t i = 0; i < e->arguments.size(); ++i)
    if (e->arguments[i])
      assign_elements(type->element.type, name + "[" + std::to_string(i) + "]", e->arguments[i], at);
}

void StatementWriter::declaration(const Variable* v) {
  if (v->is_local()) {
    if (const auto qualifier = dialect_.local_qualifier())
      out_.line(v->at, std::string(*qualifier) + types_.declare(v->type, scope_.name_of(v)) +
                           alignment_text(v) + ";");
    return;
  }
  const std::string name = scope_.name_of(v);
  const std::string text = types_.declare(v->type, name) + alignment_text(v);
  const bool twin = expressions_.has_wide_twin(v);
  const Storage storage = scope_.storage_of(v);
  if (storage == Storage::counter) return;  // its loop declares it
  if (storage == Storage::addressed) {
    if (v->initial) assign_elements(v->type.type, name, v->initial, v->at);
  } else if (!v->initial) {
    out_.line(v->at, text + ";");
  } else if (scope_.function->has_jumps) {
    out_.line(v->at, text + ";");
    assign_elements(v->type.type, name, v->initial, v->at);
    if (twin)
      out_.line(v->at, "long long " + expressions_.wide_twin(v) + "; " + expressions_.wide_twin(v) +
                           " = (long long)" + expressions_.wide(v->initial) + ";");
  } else {
    const bool is_array = v->type->kind == TypeKind::array;
    out_.line(v->at,
              text + " = " +
                  (is_array ? "{" + expressions_.list(v->initial) + "}" : expressions_.expr(v->initial)) +
                  ";");
    if (twin)
      out_.line(v->at, "const long long " + expressions_.wide_twin(v) + " = (long long)" +
                           expressions_.wide(v->initial) + ";");
  }
}

std::string StatementWriter::case_labels(const Stmt* s) {
  if (!s->step) return "case " + expressions_.expr(s->condition) + ":;";
  if (dialect_.has_case_ranges())
    return "case " + expressions_.expr(s->condition) + " ... " + expressions_.expr(s->step) + ":;";
  const auto first = static_cast<std::int64_t>(s->condition->integer);
  const auto last = static_cast<std::int64_t>(s->step->integer);
  if (last >= first && static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >= kMaxLabels)
    out_.fail(s->at, "a range of more than " + std::to_string(kMaxLabels) +
                         " case labels is not supported on this device; compare with its bounds in an if "
                         "statement instead");
  std::string text;
  for (std::int64_t value = first; value <= last; ++value)
    text +=
        "case " + types_.integer_literal(static_cast<std::uint64_t>(value), s->condition->type.type) + ": ";
  return text + ";";
}

void StatementWriter::nested(const Stmt* s) {
  out_.indent();
  statement(s);
  out_.dedent();
}

// Writes the body of a loop or switch that is kept, in which break and continue are written unchanged.
void StatementWriter::own_body(const Stmt* s, bool is_loop) {
  const std::string breaks = std::exchange(on_break_, {}), continues = on_continue_;
  if (is_loop) on_continue_.clear();
  nested(s);
  on_break_ = breaks;
  on_continue_ = continues;
}

void StatementWriter::body(const Stmt* s, const std::string& on_break, const std::string& on_continue) {
  on_break_ = on_break;
  on_continue_ = on_continue;
  statement(s);
  on_break_.clear();
  on_continue_.clear();
}

void StatementWriter::unroll(const Stmt* s) {
  if (s->unroll >= 0) out_.plain_line(dialect_.unroll_pragma(s->unroll));
}

void StatementWriter::statement(const Stmt* s) {
  switch (s->kind) {
    case StmtKind::empty:
      out_.line(s->at, ";");
      break;
    case StmtKind::expression:
      out_.line(s->at, expressions_.expr(s->condition) + ";");
      break;
    case StmtKind::declaration:
      for (const Variable* v : s->variables) declaration(v);
      break;
    case StmtKind::block:
      out_.line(s->at, "{");
      for (const Stmt* inner : s->block) nested(inner);
      out_.plain_line("}");
      break;
    case StmtKind::if_:
      if (scope_.guards.is_hoisted(s->condition)) {
        if (!scope_.guards.returns) statement(s->first);
        break;
      }
      out_.line(s->at, "if (" + expressions_.expr(s->condition) + ") {");
      nested(s->first);
      if (s->second) {
        out_.plain_line("} else {");
        nested(s->second);
      }
      out_.plain_line("}");
      break;
    case StmtKind::for_:
      out_.line(s->at, "{");
      if (s->first) nested(s->first);
      unroll(s);
      out_.line(s->at, "for (; " + (s->condition ? expressions_.expr(s->condition) : "") + "; " +
                           (s->step ? expressions_.expr(s->step) : "") + ") {");
      own_body(s->second, true);
      out_.plain_line("} }");
      break;
    case StmtKind::while_:
      unroll(s);
      out_.line(s->at, "while (" + expressions_.expr(s->condition) + ") {");
      own_body(s->first, true);
      out_.plain_line("}");
      break;
    case StmtKind::do_:
      unroll(s);
      out_.line(s->at, "do {");
      own_body(s->first, true);
      out_.line(s->condition->at, "} while (" + expressions_.expr(s->condition) + ");");
      break;
    case StmtKind::switch_:
      out_.line(s->at, "switch (" + expressions_.expr(s->condition) + ") {");
      own_body(s->first, false);
      out_.plain_line("}");
      break;
    case StmtKind::case_:
      out_.line(s->at, case_labels(s));
      statement(s->first);
      break;
    case StmtKind::default_:
      out_.line(s->at, "default:;");
      statement(s->first);
      break;
    case StmtKind::break_:
      out_.line(s->at, on_break_.empty() ? "break;" : on_break_);
      break;
    case StmtKind::continue_:
      out_.line(s->at, on_continue_.empty() ? "continue;" : on_continue_);
      break;
    case StmtKind::return_:
      if (s->condition && s->condition->type->kind == TypeKind::void_)
        out_.line(s->at, "{ " + expressions_.expr(s->condition) + "; return; }");
      else
        out_.line(s->at, s->condition ? "return " + expressions_.expr(s->condition) + ";" : "return;");
      break;
    case StmtKind::goto_:
      out_.line(s->at, "goto " + mangled(s->label) + ";");
      break;
    case StmtKind::label:
      out_.line(s->at, mangled(s->label) + ":;");
      statement(s->first);
      break;
  }
}

std::string StatementWriter::header(const Function* f) {
  std::string parameters;
  const auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
  std::size_t unnamed = 0;
  for (const Variable* p : f->parameters)
    add(types_.declare(p->type, parameter_name(p, "quern_unnamed", p->name.empty() ? unnamed++ : 0)));
  for (const std::string& p : device_.hidden_parameters(f)) add(p);
  const bool is_short = !program_.for_debugging && inlined_size(f) <= kMaxInlinedSize;
  return std::string(dialect_.function_qualifiers(f, is_short)) +
         types_.declare({f->result.type},
                        function_name(f) + "(" + (parameters.empty() ? "void" : parameters) + ")");
}

void StatementWriter::function(const Function* f) {
  out_.line(f->at, header(f) + " {");
  for (const Stmt* s : f->body->block) nested(s);
  out_.plain_line("}");
  // Compilers report diagnostics in a kernel's entry under this file name.
  if (f->is_kernel) out_.plain_line("#line 1 \"<quern_kernel_" + std::string(f->name) + ">\"");
  out_.forget_location();
}

}  // namespace quern::frontend::lower
