// SPDX-License-Identifier: MIT
// The type checker: shared parts, literals, names and calls.
#include "frontend/check/checker.hpp"

#include <algorithm>

#include "frontend/preprocess/literal.hpp"

namespace quern::frontend {
namespace {

constexpr std::size_t kMaxNodes = 2'000'000;
constexpr int kMaxDepth = 1000;

int depth_of(const Expr* e) {
  if (e->depth > 0) return e->depth;
  int deepest = 0;
  for (const Expr* operand : e->operands)
    if (operand) deepest = std::max(deepest, depth_of(operand));
  for (const Expr* argument : e->arguments)
    if (argument) deepest = std::max(deepest, depth_of(argument));
  return deepest + 1;
}

}  // namespace

std::string quoted(const QualType& type) {
  return "'" + name_of(type) + "'";
}

std::string quoted(const Type* type) {
  return "'" + name_of(type) + "'";
}

bool is_null_constant(const Expr* e) {
  if (e->kind == ExprKind::convert && e->type->is_pointer()) return is_null_constant(e->operands[0]);
  return e->kind == ExprKind::integer && e->integer == 0;
}

void Checker::unsupported(Location at, const std::string& what) const {
  const char* where = target_ == Target::host   ? "on the host device"
                      : target_ == Target::cuda ? "on CUDA devices"
                                                : "in a program with complex numbers";
  try {
    files_.fail(at, what + " is not supported " + where + " yet");
  } catch (const BuildError& error) {
    throw UnsupportedError(error);
  }
}

void Checker::warn(Location at, std::string text) {
  program_.warnings.push_back(files_.diagnostic(at, std::move(text), Diagnostic::Severity::warning));
}

void Checker::count_node(Location at) {
  if (function_) ++function_->nodes;
  if (program_.exprs.size() > kMaxNodes) fail(at, "the program is too large");
}

Expr* Checker::measured(Expr* e) {
  e->depth = depth_of(e);
  if (e->depth > kMaxDepth) fail(e->at, "the expression is nested too deeply");
  return e;
}

Expr* Checker::make(ExprKind kind, Location at, QualType type) {
  count_node(at);
  if (function_) function_->components += type && type->is_vector() ? type->count : 1;
  Expr& e = program_.exprs.emplace_back();
  e.kind = kind;
  e.at = at;
  e.type = type;
  return &e;
}

Expr* Checker::integer(Location at, std::uint64_t value, const Type* type) {
  Expr* e = make(ExprKind::integer, at, {type});
  e->integer = value;
  e->is_literal = true;
  return e;
}

Expr* Checker::number(const Token& token) {
  const auto number = read_number(token.text);
  if (!number) fail(token.at, "'" + std::string(token.text) + "' is not a valid number");
  if (number->kind != Number::Kind::integer) {
    Expr* e = make(ExprKind::real, token.at,
                   {number->kind == Number::Kind::float_  ? types().float_
                    : number->kind == Number::Kind::half_ ? types().half
                                                          : types().double_});
    e->real = number->real;
    if (program_.single_precision_constants && e->type->kind == TypeKind::double_) {
      e->type = {types().float_};
      e->real = static_cast<double>(static_cast<float>(number->real));
    }
    e->is_literal = true;
    return e;
  }
  const std::uint64_t v = number->integer;
  const Type* type = types().ulong;
  if (number->is_long) {
    if (!number->is_unsigned && v <= INT64_MAX) type = types().long_;
  } else if (number->is_unsigned) {
    if (v <= UINT32_MAX) type = types().uint;
  } else if (v <= INT32_MAX) {
    type = types().int_;
  } else if (!number->is_decimal && v <= UINT32_MAX) {
    type = types().uint;
  } else if (v <= INT64_MAX) {
    type = types().long_;
  }
  return integer(token.at, v, type);
}

Expr* Checker::variable(Variable* variable, Location at) {
  Expr* e = make(ExprKind::variable, at, variable->type);
  e->variable = variable;
  e->is_lvalue = true;
  return e;
}

Expr* Checker::object_of(Expr* value) {
  if (!function_) fail(value->at, "a value of this kind can only be used inside a function");
  // An array cannot be assigned, so it is wrapped in a structure.
  const bool is_array = value->type->kind == TypeKind::array;
  QualType type{value->type.type};
  if (is_array) {
    Record* record = types().make_record();
    record->fields.push_back({"elements", type, value->at});
    Types::lay_out(*record);
    type.type = types().record_type(record);
    Expr* wrapped = make(ExprKind::list, value->at, type);
    wrapped->arguments = {value};
    value = wrapped;
  }
  Variable& object = program_.variables.emplace_back();
  object.name = files_.keep("quern_unnamed" + std::to_string(function_->unnamed.size()));
  object.type = type;
  object.at = value->at;
  function_->unnamed.push_back(&object);
  function_->locals.push_back(&object);
  Expr* set = assign(punct("="), variable(&object, value->at), value, value->at);
  Expr* address = unary(punct("&"), variable(&object, value->at), value->at);
  Expr* result = unary(punct("*"), comma(set, address, value->at), value->at);
  if (!is_array) return result;
  Token name;
  name.text = "elements";
  name.at = value->at;
  return member(result, name, false);
}

Expr* Checker::value(Expr* operand) {
  if (operand->type->kind == TypeKind::array) {
    QualType element = operand->type->element;
    element.is_const |= operand->type.is_const;
    if (element.space == Space::unspecified) element.space = operand->type.space;
    if (operand->kind == ExprKind::variable) operand->variable->is_address_taken = true;
    return convert_node(operand, types().pointer(element));
  }
  // A bit-field is promoted to int, unless it is an unsigned one with all the bits of an int.
  if (operand->kind == ExprKind::member && operand->field->is_bit_field() &&
      operand->field->bits < (operand->type->is_signed() ? 33 : 32) && size_of(operand->type.type) <= 4)
    return convert_node(operand, types().int_);
  return operand;
}

Expr* Checker::condition(Expr* operand) {
  operand = value(operand);
  if (!operand->type->is_scalar() && !operand->type->is_pointer())
    fail(operand->at, quoted(operand->type) + " cannot be a condition" +
                          (operand->type->is_complex() ? "; compare it with 0" : ""));
  if (operand->type->kind == TypeKind::half)
    return comparison(punct("!="), operand, integer(operand->at, 0, types().int_), operand->at);
  return operand;
}

void Checker::mark_written(const Expr* target) {
  for (;;) {
    switch (target->kind) {
      case ExprKind::variable:
        target->variable->is_written = true;
        return;
      case ExprKind::member:
      case ExprKind::swizzle:
      case ExprKind::index:
      case ExprKind::convert:
        target = target->operands[0];
        break;
      default:
        return;
    }
  }
}

void Checker::check_writable(const Expr* target, Location at) {
  if (!target->is_lvalue)
    fail(at, "the left side of an assignment must be a variable, an element or a member");
  if (target->type.is_const || target->type.space == Space::constant) {
    std::string what = "a const " + name_of(target->type.type);
    if (target->kind == ExprKind::variable)
      what = "'" + std::string(target->variable->name) + "', which is const";
    if (target->kind == ExprKind::member) what = "'" + target->field->name + "', which is const";
    fail(at, "cannot assign to " + what);
  }
  if (target->type->kind == TypeKind::array) fail(at, "cannot assign to an array");
  mark_written(target);
}

Expr* Checker::call(Function* callee, std::vector<Expr*> arguments, Location at) {
  if (arguments.size() != callee->parameters.size())
    fail(at, "'" + std::string(callee->name) + "' takes " + std::to_string(callee->parameters.size()) +
                 (callee->parameters.size() == 1 ? " argument" : " arguments") + " but was given " +
                 std::to_string(arguments.size()));
  Expr* e = make(ExprKind::call, at, {callee->result.type});
  e->callee = callee;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = "argument " + std::to_string(i + 1) + " of '" + std::string(callee->name) + "'";
    e->arguments.push_back(convert(arguments[i], callee->parameters[i]->type.type, what));
  }
  callee->is_called = true;
  if (function_) function_->calls.emplace_back(callee, at);
  return e;
}

}  // namespace quern::frontend
