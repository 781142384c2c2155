// SPDX-License-Identifier: MIT
// Expressions of the lowered text.
#include <bit>
#include <charconv>
#include <cmath>

#include "base/half.hpp"
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

// Whether evaluating it twice is the same as once.
bool is_repeatable(const Expr* e) {
  switch (e->kind) {
    case ExprKind::integer:
    case ExprKind::real:
    case ExprKind::variable:
      return true;
    case ExprKind::convert:
    case ExprKind::member:
    case ExprKind::swizzle:
    case ExprKind::unary:
      return is_repeatable(e->operands[0]);
    case ExprKind::index:
    case ExprKind::binary:
      return is_repeatable(e->operands[0]) && is_repeatable(e->operands[1]);
    default:
      return false;
  }
}

bool is_safe_divisor(const Expr* e) {
  return e->kind == ExprKind::integer && e->integer != 0 &&
         !(e->type->is_signed() && e->integer == ~std::uint64_t{0});
}

bool takes_no_value(const Field& field) {
  return field.is_bit_field() && field.name.empty();
}

bool is_division(std::uint32_t op) {
  return op == punct("/") || op == punct("%");
}
bool is_shift(std::uint32_t op) {
  return op == punct("<<") || op == punct(">>");
}

}  // namespace

std::string Emitter::real_literal(double value, const Type* type) {
  const bool is_float = type->kind == TypeKind::float_;
  if (type->kind == TypeKind::half) return "((unsigned short)" + std::to_string(quern::to_half(value)) + ")";
  if (!std::isfinite(value)) {
    if (is_cuda())  // a cast that constant data may have too
      return is_float ? "__builtin_bit_cast(float, " +
                            std::to_string(std::bit_cast<std::uint32_t>(static_cast<float>(value))) + "u)"
                      : "__builtin_bit_cast(double, " + std::to_string(std::bit_cast<std::uint64_t>(value)) +
                            "ull)";
    return std::string(std::signbit(value) ? "(-__builtin_" : "(__builtin_") +
           (std::isnan(value) ? "nan" : "inf") + (is_float ? "f" : "") +
           (std::isnan(value) ? "(\"\"))" : "())");
  }
  char buffer[64];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, is_float ? 9 : 17);
  std::string text(buffer, written.ptr);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  if (is_float) text += "f";
  return value < 0 || std::signbit(value) ? "(" + text + ")" : text;
}

std::string Emitter::integer_literal(std::uint64_t value, const Type* type) {
  const auto sign = static_cast<std::int64_t>(value);
  switch (type->kind) {
    case TypeKind::uint:
      return std::to_string(value & 0xffffffff) + "u";
    case TypeKind::ulong:
      return std::to_string(value) + "ull";
    case TypeKind::int_:
      if (sign == INT32_MIN) return "(-2147483647 - 1)";
      return sign < 0 ? "(" + std::to_string(sign) + ")" : std::to_string(sign);
    case TypeKind::long_:
      if (sign == INT64_MIN) return "(-9223372036854775807ll - 1)";
      return sign < 0 ? "(" + std::to_string(sign) + "ll)" : std::to_string(sign) + "ll";
    default:
      return "((" + type_text(type) + ")" + std::to_string(sign) + ")";
  }
}

std::string Emitter::string_text(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?' || u < 32 || u > 126) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\%03o", u);
      text += buffer;
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string Emitter::expr(const Expr* e) {
  switch (e->kind) {
    case ExprKind::integer:
      return integer_literal(e->integer, e->type.type);
    case ExprKind::real:
      return real_literal(e->real, e->type.type);
    case ExprKind::string:
      return string_text(e->text);
    case ExprKind::variable:
      if (in_constant_ && !e->variable->values.empty() && e->type->is_scalar())
        return constant_initialiser(e);
      if (in_constant_ && e->variable->initial && e->type->is_pointer() && e->variable->type.is_const)
        return constant_initialiser(e->variable->initial);
      return name_of_variable(e->variable);
    case ExprKind::call:
      return call(e);
    case ExprKind::builtin:
      return builtin(e);
    case ExprKind::convert:
      return convert(e);
    case ExprKind::reinterpret:
      return reinterpret_helper(e->type.type, e->operands[0]->type.type) + "(" + expr(e->operands[0]) + ")";
    case ExprKind::unary:
      return unary(e);
    case ExprKind::increment:
      return increment(e);
    case ExprKind::binary:
      return binary(e);
    case ExprKind::assign:
      return assign(e);
    case ExprKind::conditional:
      return conditional(e);
    case ExprKind::comma:
      return "(" + expr(e->operands[0]) + ", " + expr(e->operands[1]) + ")";
    case ExprKind::member: {
      const Expr* object = e->operands[0];
      if (object->type->kind == TypeKind::structure) define_record(object->type->record);
      if (object->kind == ExprKind::unary && object->op == punct("*"))
        return expr(object->operands[0]) + "->" + field_name(*object->type->record, *e->field);
      return expr(object) + "." + field_name(*object->type->record, *e->field);
    }
    case ExprKind::index:
      return expr(e->operands[0]) + "[" + wide(e->operands[1]) + "]";
    case ExprKind::swizzle:
      return swizzle(e);
    case ExprKind::vector_literal:
      return vector_literal(e);
    case ExprKind::list:
      if (is_cuda() && e->field) return union_helper(e) + "(" + expr(e->arguments[0]) + ")";
      return braces(e->type.type, list(e));
    case ExprKind::complex_call:  // rewritten before a program is lowered
      break;
  }
  return {};
}

std::string Emitter::convert(const Expr* e) {
  const Type* to = e->type.type;
  const Expr* operand = e->operands[0];
  const Type* from = operand->type.type;
  if (to == from) return expr(operand);
  if (to->is_vector() && from->is_scalar()) return splat(to, expr(operand));
  if (to->is_vector() && from->is_vector()) return convert_helper(to, from) + "(" + expr(operand) + ")";
  return scalar_convert(to, from, expr(operand));
}

std::string Emitter::unary(const Expr* e) {
  const Expr* operand = e->operands[0];
  const Type* type = operand->type.type;
  if (!type->is_vector() || e->op == punct("*") || e->op == punct("&")) {
    if (e->op == punct("*") && operand->type->element->kind == TypeKind::structure)
      define_record(operand->type->element->record);
    if (e->op == punct("&") && operand->kind == ExprKind::variable)
      return "(&" + name_of_variable(operand->variable) + ")";  // of constant data too, never of its value
    if (e->op == punct("-") && type->kind == TypeKind::half)
      return "((unsigned short)(" + expr(operand) + " ^ 0x8000))";
    return "(" + spelled(e->op) + expr(operand) + ")";
  }
  if (e->op == punct("-")) {
    // 0 - x would lose the sign of zero
    const bool is_half = type->element->kind == TypeKind::half;
    const std::string name = "quern_neg_" + name_of(type);
    if (!defined_.contains(name)) {
      std::string text = qualifiers() + type_text(type) + " " + name + "(" + type_text(type) + " x) { ";
      for (std::size_t i = 0; i < type->count; ++i)
        text += "x." + lane(i) + " = (" + type_text(type->element.type) + ")" +
                (is_half ? "(x." + lane(i) + " ^ 0x8000)" : "-x." + lane(i)) + "; ";
      helper(name, text + "return x; }");
    }
    return name + "(" + expr(operand) + ")";
  }
  if (e->op == punct("~"))
    return operate(punct("^"), type, type, expr(operand),
                   splat(type, "((" + type_text(type->element.type) + ")-1)"));
  return operate(punct("=="), type, type, expr(operand), splat(type, "0"));  // !
}

std::string Emitter::binary(const Expr* e) {
  const Expr* a = e->operands[0];
  const Expr* b = e->operands[1];
  if (e->op == punct("&&") || e->op == punct("||")) {
    if (is_hoisted(a)) return expr(b);
    if (is_hoisted(b)) return expr(a);
  }
  if (a->type->is_pointer()) {
    if (b->type->is_integer()) return "(" + expr(a) + " " + spelled(e->op) + " " + wide(b) + ")";
    return "(" + expr(a) + " " + spelled(e->op) + " " + expr(b) + ")";
  }
  if (is_division(e->op) && is_safe_divisor(b))
    return "(" + expr(a) + " " + spelled(e->op) + " " + expr(b) + ")";
  if (is_shift(e->op) && b->kind == ExprKind::integer && !a->type->is_signed()) {
    const std::uint64_t amount = b->integer & (8 * size_of(a->type.type) - 1);
    return "(" + expr(a) + " " + spelled(e->op) + " " + std::to_string(amount) + ")";
  }
  return operate(e->op, a->type.type, b->type.type, expr(a), expr(b));
}

std::string Emitter::assign(const Expr* e) {
  const Expr* target = e->operands[0];
  const Expr* value = e->operands[1];
  const Type* type = target->type.type;
  if (target->kind == ExprKind::swizzle && target->lanes.size() > 1) {
    const Expr* vector = target->operands[0];
    std::string text = expr(value);
    if (e->op != punct("=")) {
      if (!is_repeatable(vector))
        return change_lanes_helper(e->op, target, value->type.type) + "(&" + expr(vector) + ", " + text + ")";
      text = operate(e->op, type, value->type.type, expr(target), text);
    }
    return set_lanes_helper(vector->type.type, type, target->lanes) + "(&" + expr(vector) + ", " + text + ")";
  }
  if (e->op == punct("=")) return "(" + expr(target) + " = " + expr(value) + ")";
  if (type->is_pointer()) return "(" + expr(target) + " " + spelled(e->op) + "= " + wide(value) + ")";
  const bool guarded = is_division(e->op) && type->is_integer() && e->overload->is_integer() &&
                       !is_safe_divisor(value) && !is_cuda();
  const bool in_half = type->kind == TypeKind::half || e->overload->kind == TypeKind::half;
  if (!type->is_vector() && !guarded && !in_half) {
    const std::string mask = std::to_string(8 * size_of(e->overload) - 1);
    const std::string amount = is_shift(e->op) ? "(" + expr(value) + " & " + mask + ")" : expr(value);
    return "(" + expr(target) + " " + spelled(e->op) + "= " + amount + ")";
  }
  if (is_repeatable(target)) {
    const std::string loaded =
        type->is_vector() ? expr(target) : scalar_convert(e->overload, type, expr(target));
    const std::string computed = operate(e->op, e->overload, value->type.type, loaded, expr(value));
    return "(" + expr(target) + " = " +
           (type->is_vector() ? computed : scalar_convert(type, e->overload, computed)) + ")";
  }
  return store_helper(e->op, type, e->overload, value->type.type) + "(&" + expr(target) + ", " + expr(value) +
         ")";
}

std::string Emitter::increment(const Expr* e) {
  const Type* type = e->type.type;
  if (!type->is_vector() && type->kind != TypeKind::half) {
    const std::string target = expr(e->operands[0]);
    return e->is_postfix ? "(" + target + spelled(e->op) + ")" : "(" + spelled(e->op) + target + ")";
  }
  const std::uint32_t op = e->op == punct("++") ? punct("+") : punct("-");
  const std::uint32_t back = e->op == punct("++") ? punct("-") : punct("+");
  const std::string one = type->is_vector() ? splat(type, one_of(type->element.type)) : one_of(type);
  const Expr* part = e->operands[0];
  const bool in_lanes = part->kind == ExprKind::swizzle && part->lanes.size() > 1;
  const Expr* object = in_lanes ? part->operands[0] : part;
  std::string change = in_lanes ? change_lanes_helper(op, part, type) : store_helper(op, type, type, type);
  if (e->is_postfix && type->scalar()->is_real()) {  // taking one off again would round
    const std::string t = type_text(type), name = "quern_before_" + change;
    const std::string before =
        in_lanes ? get_lanes_helper(object->type.type, type, part->lanes) + "(*p)" : "*p";
    change = helper(name, qualifiers() + t + " " + name + "(" + type_text(object->type.type) + " *p, " + t +
                              " y) { const " + t + " x = " + before + "; " + change + "(p, y); return x; }");
    return change + "(&" + expr(object) + ", " + one + ")";
  }
  const std::string changed = change + "(&" + expr(object) + ", " + one + ")";
  return e->is_postfix ? operate(back, type, type, changed, one) : changed;
}

std::string Emitter::conditional(const Expr* e) {
  const Expr* test = e->operands[0];
  const Type* type = e->type.type;
  if (!test->type->is_vector())
    return "(" + expr(test) + " ? " + expr(e->operands[1]) + " : " + expr(e->operands[2]) + ")";
  const std::string name = "quern_choose_" + name_of(type) + "_" + name_of(test->type.type);
  if (!defined_.contains(name)) {
    const std::string t = type_text(type), c = type_text(test->type.type);
    const std::string s = type_text(program_.types.signed_of(test->type->element.type));
    std::string text =
        qualifiers() + t + " " + name + "(" + c + " c, " + t + " x, " + t + " y) { " + t + " r; ";
    for (std::size_t i = 0; i < type->count; ++i)
      text +=
          "r." + lane(i) + " = (" + s + ")c." + lane(i) + " < 0 ? x." + lane(i) + " : y." + lane(i) + "; ";
    helper(name, text + "return r; }");
  }
  return name + "(" + expr(test) + ", " + expr(e->operands[1]) + ", " + expr(e->operands[2]) + ")";
}

std::string Emitter::braces(const Type* type, const std::string& inside) {
  if (type->kind == TypeKind::array) return "{" + inside + "}";
  return is_cuda() ? type_text(type) + "{" + inside + "}" : "((" + type_text(type) + "){" + inside + "})";
}

// What stands between the braces; used for initialisers as well, where nested aggregates need no type.
std::string Emitter::list(const Expr* e) {
  std::string text;
  const Type* type = e->type.type;
  if (e->field) {  // a union's member that is not its first
    const Expr* a = e->arguments[0];
    return "." + field_name(*type->record, *e->field) + " = " +
           (a->kind == ExprKind::list ? "{" + list(a) + "}" : expr(a));
  }
  for (std::size_t i = 0; i < e->arguments.size(); ++i) {
    const Expr* a = e->arguments[i];
    const Type* wanted =
        type->kind == TypeKind::array ? type->element.type : type->record->fields[i].type.type;
    if (type->kind != TypeKind::array && takes_no_value(type->record->fields[i])) continue;
    if (!text.empty()) text += ", ";
    if (!a)
      text += wanted->is_scalar() || wanted->is_pointer() ? "0" : "{}";
    else if (a->kind == ExprKind::list && !(is_cuda() && a->field))
      text += "{" + list(a) + "}";
    else
      text += expr(a);
  }
  return text.empty() && !is_cuda() && type->kind == TypeKind::array ? "0" : text;
}

// Before C++20 there is no way to initialise a member of a union that is not the first in an expression.
std::string Emitter::union_helper(const Expr* e) {
  const Record& record = *e->type->record;
  const std::string t = type_text(e->type.type), member = field_name(record, *e->field);
  const std::string name = "quern_union_" + std::to_string(record.id) + "_" + member;
  return helper(name, qualifiers() + t + " " + name + "(" + declare({e->field->type.type}, "x") + ") { " + t +
                          " r; r." + member + " = x; return r; }");
}

std::string Emitter::call(const Expr* e) {
  std::string text = function_name(e->callee) + "(";
  bool first = true;
  const auto add = [&](const std::string& argument) {
    text += (first ? "" : ", ") + argument;
    first = false;
  };
  for (const Expr* a : e->arguments) add(expr(a));
  for (const std::string& a : item_arguments(e->callee->uses)) add(a);
  return text + ")";
}

std::string Emitter::swizzle(const Expr* e) {
  const Expr* vector = e->operands[0];
  const Type* type = e->type.type;
  if (e->lanes.size() == 1) return expr(vector) + "." + lane(e->lanes[0]);
  return get_lanes_helper(vector->type.type, type, e->lanes) + "(" + expr(vector) + ")";
}

std::string Emitter::vector_literal(const Expr* e) {
  const Type* type = e->type.type;
  std::string name = "quern_make_" + name_of(type), parameters, text, arguments;
  std::size_t next = 0;
  for (std::size_t k = 0; k < e->arguments.size(); ++k) {
    const Type* part = e->arguments[k]->type.type;
    const std::string p = "p" + std::to_string(k);
    name += "_" + std::to_string(part->is_vector() ? part->count : 1);
    parameters += (k > 0 ? ", " : "") + type_text(part) + " " + p;
    arguments += (k > 0 ? ", " : "") + expr(e->arguments[k]);
    if (!part->is_vector()) text += "r." + lane(next++) + " = " + p + "; ";
    for (std::size_t i = 0; part->is_vector() && i < part->count; ++i)
      text += "r." + lane(next++) + " = " + p + "." + lane(i) + "; ";
  }
  const std::string t = type_text(type);
  if (!defined_.contains(name))
    helper(name,
           qualifiers() + t + " " + name + "(" + parameters + ") { " + t + " r; " + text + "return r; }");
  return name + "(" + arguments + ")";
}

}  // namespace quern::frontend::lower
