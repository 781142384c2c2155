// SPDX-License-Identifier: MIT
// Writes the data of program scope and static variables, with their initialisers.
#include "frontend/lower/expression_writer.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::size_t kMaxAddressText =
    100000;  // limit; nested pointer expressions may double the text at each level

// Whether this is a difference of pointers, which only the compiler of the lowered text can compute.
bool is_distance(const Expr* e) {
  if (e->kind == ExprKind::convert) return is_distance(e->operands[0]);
  return e->kind == ExprKind::binary && e->operands[0]->type->is_pointer() && e->op == punct("-");
}

}  // namespace

// In C an initialiser of constant data must not call functions. Numbers are therefore computed here; only
// addresses remain expressions.
std::string ExpressionWriter::constant_component(const Expr* e, std::size_t index) {
  const Type* type = e->type->scalar();
  const auto value = frontend::constant_component(e, index);
  if (!value) out_.fail(e->at, "constant data must be initialised by constant expressions");
  return type->is_real() ? types_.real_literal(value->real, type)
                         : types_.integer_literal(static_cast<std::uint64_t>(value->integer), type);
}

std::string ExpressionWriter::constant_initialiser(const Expr* e) {
  if (e->kind == ExprKind::list) {
    std::string text;
    out_.requirements.designated_initialisers |= e->field != nullptr;
    if (e->field) text = "." + field_name(*e->type->record, *e->field) + " = ";
    for (std::size_t i = 0; i < e->arguments.size(); ++i) {
      const bool is_record = e->type->kind == TypeKind::structure;
      if (is_record && e->type->record->fields[i].is_bit_field() && e->type->record->fields[i].name.empty())
        continue;
      const Type* wanted = is_record ? e->type->record->fields[i].type.type : e->type->element.type;
      if (i > 0 && !text.empty()) text += ", ";
      text += e->arguments[i] ? constant_initialiser(e->arguments[i]) : wanted->is_scalar() ? "0" : "{}";
    }
    return "{" + (text.empty() ? std::string(dialect_.empty_initialiser()) : text) + "}";
  }
  if (e->type->is_vector()) {
    std::string text;
    for (std::size_t i = 0; i < e->type->count; ++i) text += (i > 0 ? ", " : "") + constant_component(e, i);
    return "{" + text + "}";
  }
  if (e->type->is_scalar() && !is_distance(e)) return constant_component(e, 0);
  std::string text = expr(e);
  if (text.size() > kMaxAddressText) out_.fail(e->at, "the initialiser is too large");
  return text;
}

void ExpressionWriter::constant_data() {
  in_constant_ = true;
  std::uint64_t constant_bytes = 0;
  for (const Variable* v : program_.constants) {
    const std::string name = "quern_v" + std::to_string(scope_.names.size()) + "_" + std::string(v->name);
    scope_.names[v] = name;
    const bool is_constant = v->type.space == Space::constant;
    constant_bytes += is_constant ? size_of(v->type.type) : 0;
    std::string text(dialect_.data_qualifiers(is_constant, constant_bytes));
    text +=
        types_.declare({v->type.type, false, v->type.is_volatile && !is_constant}, name) + alignment_text(v);
    if (v->initial) text += " = " + constant_initialiser(v->initial);
    out_.line(v->at, text + ";");
  }
  in_constant_ = false;
}

}  // namespace quern::frontend::lower
