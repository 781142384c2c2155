// SPDX-License-Identifier: MIT
// Writes expressions.
#include "frontend/lower/expression_writer.hpp"

#include <utility>

namespace quern::frontend::lower {
namespace {

// Whether evaluating the expression twice has the same effect as evaluating it once.
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

// The number 1 of a scalar type, as its bits for half.
std::string one_text(const Type* scalar) {
  return scalar->kind == TypeKind::half ? "0x3c00" : "1";
}

bool is_division(std::uint32_t op) {
  return op == punct("/") || op == punct("%");
}
bool is_shift(std::uint32_t op) {
  return op == punct("<<") || op == punct(">>");
}

}  // namespace

std::string ExpressionWriter::expr(const Expr* e) {
  const bool is_address = std::exchange(is_address_, false);
  switch (e->kind) {
    case ExprKind::integer:
      return types_.integer_literal(e->integer, e->type.type);
    case ExprKind::real:
      return types_.real_literal(e->real, e->type.type);
    case ExprKind::string:
      return string_literal(e->text);
    case ExprKind::variable:
      if (in_constant_ && !e->variable->values.empty() && e->type->is_scalar())
        return constant_initialiser(e);
      if (in_constant_ && e->variable->initial && e->type->is_pointer() && e->variable->type.is_const)
        return constant_initialiser(e->variable->initial);
      return scope_.name_of(e->variable);
    case ExprKind::call:
      return call(e);
    case ExprKind::builtin:
      return builtin(e);
    case ExprKind::convert:
      return convert(e);
    case ExprKind::reinterpret:
      return conversions_.reinterpret_helper(e->type.type, e->operands[0]->type.type) + "(" +
             expr(e->operands[0]) + ")";
    case ExprKind::unary:
      if (e->op == punct("*") && !is_address)
        if (const auto argument = checked_argument(e->operands[0])) {
          if (e->type->kind == TypeKind::structure) types_.define(e->type->record);
          return "(*" + checked_address(e->operands[0], expr(e->operands[0]), 1, *argument, e->at) + ")";
        }
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
      if (object->type->kind == TypeKind::structure) types_.define(object->type->record);
      if (object->kind == ExprKind::unary && object->op == punct("*") &&
          (is_address || !checked_argument(object->operands[0])))
        return expr(object->operands[0]) + "->" + field_name(*object->type->record, *e->field);
      is_address_ = is_address;
      return expr(object) + "." + field_name(*object->type->record, *e->field);
    }
    case ExprKind::index: {
      const Expr* base = e->operands[0];
      const std::optional<int> argument = is_address ? std::nullopt : checked_argument(base);
      is_address_ = is_address && !base->type->is_pointer();
      const std::string element = expr(base) + "[" + wide(e->operands[1]) + "]";
      return argument ? "(*" + checked_address(base, "&" + element, 1, *argument, e->at) + ")" : element;
    }
    case ExprKind::swizzle:
      return swizzle(e);
    case ExprKind::vector_literal:
      return vector_literal(e);
    case ExprKind::list:
      if (e->field && !dialect_.has_designated_values())
        return union_helper(e) + "(" + expr(e->arguments[0]) + ")";
      return types_.aggregate(e->type.type, list(e));
    case ExprKind::complex_call:  // rewritten before a program is lowered
      break;
  }
  return {};
}

std::string ExpressionWriter::convert(const Expr* e) {
  const Type* to = e->type.type;
  const Expr* operand = e->operands[0];
  const Type* from = operand->type.type;
  if (to == from) return expr(operand);
  if (to->is_vector() && from->is_scalar()) return operators_.splat(to, expr(operand));
  if (to->is_vector() && from->is_vector())
    return conversions_.convert_helper(to, from) + "(" + expr(operand) + ")";
  return conversions_.scalar_convert(to, from, expr(operand));
}

std::string ExpressionWriter::unary(const Expr* e) {
  const Expr* operand = e->operands[0];
  const Type* type = operand->type.type;
  if (!type->is_vector() || e->op == punct("*") || e->op == punct("&")) {
    if (e->op == punct("*") && operand->type->element->kind == TypeKind::structure)
      types_.define(operand->type->element->record);
    if (e->op == punct("&") && operand->kind == ExprKind::variable)
      return "(&" + scope_.name_of(operand->variable) + ")";  // of constant data too, never of its value
    if (e->op == punct("-") && type->kind == TypeKind::half)
      return "((unsigned short)(" + expr(operand) + " ^ 0x8000))";
    is_address_ = e->op == punct("&");
    return "(" + spelled(e->op) + expr(operand) + ")";
  }
  if (e->op == punct("-")) {
    const std::string name = operators_.negate_helper(type);
    return name + "(" + expr(operand) + ")";
  }
  if (e->op == punct("~"))
    return operators_.operate(punct("^"), type, type, expr(operand),
                              operators_.splat(type, "((" + types_.text(type->element.type) + ")-1)"));
  return operators_.operate(punct("=="), type, type, expr(operand), operators_.splat(type, "0"));  // !
}

std::string ExpressionWriter::binary(const Expr* e) {
  const Expr* a = e->operands[0];
  const Expr* b = e->operands[1];
  if (e->op == punct("&&") || e->op == punct("||")) {
    if (scope_.guards.is_hoisted(a)) return expr(b);
    if (scope_.guards.is_hoisted(b)) return expr(a);
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
  return operators_.operate(e->op, a->type.type, b->type.type, expr(a), expr(b));
}

std::string ExpressionWriter::assign(const Expr* e) {
  const Expr* target = e->operands[0];
  const Expr* value = e->operands[1];
  const Type* type = target->type.type;
  if (target->kind == ExprKind::swizzle && target->lanes.size() > 1) {
    const Expr* vector = target->operands[0];
    std::string text = expr(value);
    if (e->op != punct("=")) {
      if (!is_repeatable(vector))
        return operators_.change_lanes_helper(e->op, target, value->type.type) + "(&" + expr(vector) + ", " +
               text + ")";
      text = operators_.operate(e->op, type, value->type.type, expr(target), text);
    }
    return operators_.set_lanes_helper(vector->type.type, type, target->lanes) + "(&" + expr(vector) + ", " +
           text + ")";
  }
  if (e->op == punct("=")) return "(" + expr(target) + " = " + expr(value) + ")";
  if (type->is_pointer()) return "(" + expr(target) + " " + spelled(e->op) + "= " + wide(value) + ")";
  const bool guarded = is_division(e->op) && type->is_integer() && e->overload->is_integer() &&
                       !is_safe_divisor(value) && dialect_.division_traps();
  const bool in_half = type->kind == TypeKind::half || e->overload->kind == TypeKind::half;
  if (!type->is_vector() && !guarded && !in_half) {
    const std::string mask = std::to_string(8 * size_of(e->overload) - 1);
    const std::string amount = is_shift(e->op) ? "(" + expr(value) + " & " + mask + ")" : expr(value);
    return "(" + expr(target) + " " + spelled(e->op) + "= " + amount + ")";
  }
  if (is_repeatable(target)) {
    const std::string loaded =
        type->is_vector() ? expr(target) : conversions_.scalar_convert(e->overload, type, expr(target));
    const std::string computed =
        operators_.operate(e->op, e->overload, value->type.type, loaded, expr(value));
    return "(" + expr(target) + " = " +
           (type->is_vector() ? computed : conversions_.scalar_convert(type, e->overload, computed)) + ")";
  }
  return operators_.store_helper(e->op, type, e->overload, value->type.type) + "(&" + expr(target) + ", " +
         expr(value) + ")";
}

std::string ExpressionWriter::increment(const Expr* e) {
  const Type* type = e->type.type;
  if (!type->is_vector() && type->kind != TypeKind::half) {
    const std::string target = expr(e->operands[0]);
    return e->is_postfix ? "(" + target + spelled(e->op) + ")" : "(" + spelled(e->op) + target + ")";
  }
  const std::uint32_t op = e->op == punct("++") ? punct("+") : punct("-");
  const std::uint32_t back = e->op == punct("++") ? punct("-") : punct("+");
  const std::string one =
      type->is_vector() ? operators_.splat(type, one_text(type->element.type)) : one_text(type);
  const Expr* part = e->operands[0];
  const bool in_lanes = part->kind == ExprKind::swizzle && part->lanes.size() > 1;
  const Expr* object = in_lanes ? part->operands[0] : part;
  std::string change = in_lanes ? operators_.change_lanes_helper(op, part, type)
                                : operators_.store_helper(op, type, type, type);
  if (e->is_postfix && type->scalar()->is_real()) {  // subtracting one afterwards would round
    const std::string t = types_.text(type), name = "quern_before_" + change;
    const std::string before =
        in_lanes ? operators_.get_lanes_helper(object->type.type, type, part->lanes) + "(*p)" : "*p";
    change =
        out_.helper(name, t + " " + name + "(" + types_.text(object->type.type) + " *p, " + t +
                              " y) { const " + t + " x = " + before + "; " + change + "(p, y); return x; }");
    return change + "(&" + expr(object) + ", " + one + ")";
  }
  const std::string changed = change + "(&" + expr(object) + ", " + one + ")";
  return e->is_postfix ? operators_.operate(back, type, type, changed, one) : changed;
}

std::string ExpressionWriter::conditional(const Expr* e) {
  const Expr* test = e->operands[0];
  const Type* type = e->type.type;
  if (!test->type->is_vector())
    return "(" + expr(test) + " ? " + expr(e->operands[1]) + " : " + expr(e->operands[2]) + ")";
  const std::string name = operators_.choose_helper(test->type.type, type);
  return name + "(" + expr(test) + ", " + expr(e->operands[1]) + ", " + expr(e->operands[2]) + ")";
}

std::string ExpressionWriter::list(const Expr* e) {
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
    else if (a->kind == ExprKind::list && (!a->field || dialect_.has_designated_values()))
      text += "{" + list(a) + "}";
    else
      text += expr(a);
  }
  return text.empty() && type->kind == TypeKind::array ? std::string(dialect_.empty_initialiser()) : text;
}

// Before C++20 an expression cannot initialise a member of a union that is not the first.
std::string ExpressionWriter::union_helper(const Expr* e) {
  const Record& record = *e->type->record;
  const std::string t = types_.text(e->type.type), member = field_name(record, *e->field);
  const std::string name = "quern_union_" + std::to_string(record.id) + "_" + member;
  return out_.helper(name, t + " " + name + "(" + types_.declare({e->field->type.type}, "x") + ") { " + t +
                               " r; r." + member + " = x; return r; }");
}

std::string ExpressionWriter::call(const Expr* e) {
  std::string text = function_name(e->callee) + "(";
  bool first = true;
  const auto add = [&](const std::string& argument) {
    text += (first ? "" : ", ") + argument;
    first = false;
  };
  for (const Expr* a : e->arguments) add(expr(a));
  for (const std::string& a : device_.hidden_arguments(e->callee->uses)) add(a);
  return text + ")";
}

std::string ExpressionWriter::builtin(const Expr* e) {
  if (e->builtin->rule == Rule::work_item || e->builtin->rule == Rule::work_dim) return work_item(e);
  std::vector<std::string> arguments;
  for (const Expr* a : e->arguments) arguments.push_back(expr(a));
  if (program_.checks_bounds) check_arguments(e, arguments);
  return builtins_.call(e, arguments);
}

std::string ExpressionWriter::work_item(const Expr* e) {
  const std::string_view name = e->builtin->name;
  if (e->builtin->rule == Rule::work_dim) return device_.work_item_value(name, 0);
  const Expr* d = e->arguments[0];
  // For a dimension out of range, sizes are 1, ids and offsets are 0.
  const bool is_size = name == "get_global_size" || name == "get_local_size" ||
                       name == "get_enqueued_local_size" || name == "get_num_groups";
  const std::string other = is_size ? "1ull" : "0ull";
  if (d->kind == ExprKind::integer) return d->integer < 3 ? device_.work_item_value(name, d->integer) : other;
  const std::string helper_name = "quern_pick";
  out_.helper(
      helper_name,
      "unsigned long long quern_pick(unsigned d, unsigned long long x, unsigned long long y, unsigned "
      "long long z, "
      "unsigned long long other) { return d == 0 ? x : d == 1 ? y : d == 2 ? z : other; }");
  return helper_name + "(" + expr(d) + ", " + device_.work_item_value(name, 0) + ", " +
         device_.work_item_value(name, 1) + ", " + device_.work_item_value(name, 2) + ", " + other + ")";
}

std::string ExpressionWriter::swizzle(const Expr* e) {
  const Expr* vector = e->operands[0];
  const Type* type = e->type.type;
  if (e->lanes.size() == 1) return expr(vector) + "." + lane(e->lanes[0]);
  return operators_.get_lanes_helper(vector->type.type, type, e->lanes) + "(" + expr(vector) + ")";
}

std::string ExpressionWriter::vector_literal(const Expr* e) {
  const Type* type = e->type.type;
  std::string name = "quern_make_" + name_of(type), parameters, text, arguments;
  std::size_t next = 0;
  for (std::size_t k = 0; k < e->arguments.size(); ++k) {
    const Type* part = e->arguments[k]->type.type;
    const std::string p = "p" + std::to_string(k);
    name += "_" + std::to_string(part->is_vector() ? part->count : 1);
    parameters += (k > 0 ? ", " : "") + types_.text(part) + " " + p;
    arguments += (k > 0 ? ", " : "") + expr(e->arguments[k]);
    if (!part->is_vector()) text += "r." + lane(next++) + " = " + p + "; ";
    for (std::size_t i = 0; part->is_vector() && i < part->count; ++i)
      text += "r." + lane(next++) + " = " + p + "." + lane(i) + "; ";
  }
  const std::string t = types_.text(type);
  if (!out_.is_defined(name))
    out_.helper(name, t + " " + name + "(" + parameters + ") { " + t + " r; " + text + "return r; }");
  return name + "(" + arguments + ")";
}

}  // namespace quern::frontend::lower
