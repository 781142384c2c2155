// SPDX-License-Identifier: MIT
// Operators in the type checker: the types of operands and results.
#include "frontend/check/checker.hpp"

namespace quern::frontend {

Expr* Checker::unary(std::uint32_t op, Expr* operand, Location at) {
  if (op == punct("&")) {
    if (!operand->is_lvalue || operand->kind == ExprKind::swizzle)
      fail(at, "cannot take the address of this expression");
    if (operand->kind == ExprKind::member && operand->field->is_bit_field())
      fail(at, "cannot take the address of the bit-field '" + operand->field->name + "'");
    if (operand->kind == ExprKind::variable) operand->variable->is_address_taken = true;
    mark_written(operand);
    Expr* e = make(ExprKind::unary, at, {types().pointer(operand->type)});
    e->op = op;
    e->operands[0] = operand;
    return e;
  }
  operand = value(operand);
  const Type* type = operand->type.type;
  if (op == punct("*")) {
    if (!type->is_pointer())
      fail(at, "cannot dereference " + quoted(operand->type) + ", which is not a pointer");
    if (type->element->kind == TypeKind::void_) fail(at, "cannot dereference 'void*'");
    Expr* e = make(ExprKind::unary, at, type->element);
    e->op = op;
    e->operands[0] = operand;
    e->is_lvalue = true;
    return e;
  }
  if (type->is_complex() && (op == punct("-") || op == punct("+"))) {
    Expr* e = make(ExprKind::unary, at, {type});
    e->op = op;
    e->operands[0] = operand;
    return e;
  }
  const Type* scalar = type->scalar();
  if (op == punct("!") ? !(type->is_scalar() || type->is_pointer() || type->is_vector())
                       : !(scalar->is_scalar() && (op != punct("~") || scalar->is_integer())))
    fail(at, "'" + spelled(op) + "' cannot be applied to " + quoted(operand->type));
  if (op == punct("!")) {
    if (type->kind == TypeKind::half)
      return comparison(punct("=="), operand, integer(at, 0, types().int_), at);
    const Type* result = type->is_vector() ? types().signed_of(type) : types().int_;
    Expr* e = make(ExprKind::unary, at, {result});
    e->op = op;
    e->operands[0] = operand;
    return e;
  }
  if (!type->is_vector()) operand = convert_node(operand, promoted(types(), type));
  if (op == punct("+")) {
    Expr* e = make(ExprKind::convert, at, {operand->type.type});
    e->operands[0] = operand;
    e->is_literal = operand->is_literal;
    return e;
  }
  Expr* e = make(ExprKind::unary, at, {operand->type.type});
  e->op = op;
  e->operands[0] = operand;
  e->is_literal = operand->is_literal;
  return e;
}

Expr* Checker::increment(std::uint32_t op, bool postfix, Expr* operand, Location at) {
  check_writable(operand, at);
  if (!operand->type->scalar()->is_scalar() && !operand->type->is_pointer())
    fail(at, "'" + spelled(op) + "' cannot be applied to " + quoted(operand->type));
  value(operand);
  Expr* e = make(ExprKind::increment, at, {operand->type.type});
  e->op = op;
  e->is_postfix = postfix;
  e->operands[0] = operand;
  return e;
}

const Type* Checker::unify(Expr*& a, Expr*& b, Location at) {
  const Type* x = a->type.type;
  const Type* y = b->type.type;
  const auto arithmetic = [&](Expr* e) {
    if (!e->type->scalar()->is_scalar())
      fail(at, "operands " + quoted(a->type) + " and " + quoted(b->type) + " are incompatible");
  };
  arithmetic(a);
  arithmetic(b);
  const Type* common = nullptr;
  if (x->is_vector() && y->is_vector()) {
    if (x != y)
      fail(at, "operands " + quoted(a->type) + " and " + quoted(b->type) + " are vectors of different types");
    common = x;
  } else if (x->is_vector() || y->is_vector()) {
    common = x->is_vector() ? x : y;
  } else {
    common = usual_conversion(types(), x, y);
  }
  a = convert(a, common, "an operand");
  b = convert(b, common, "an operand");
  return common;
}

Expr* Checker::pointer_arithmetic(std::uint32_t op, Expr* a, Expr* b, Location at) {
  if (b->type->is_pointer() && !a->type->is_pointer() && op == punct("+")) std::swap(a, b);
  const Type* pointee = a->type->is_pointer() ? a->type->element.type : nullptr;
  if (pointee && pointee->kind == TypeKind::void_) {  // counts bytes, as in gcc and clang
    const auto in_bytes = [&](Expr* e) {
      if (!e->type->is_pointer()) return e;
      QualType byte = e->type->element;
      byte.type = types().char_;
      return convert_node(e, types().pointer(byte));
    };
    Expr* moved = pointer_arithmetic(op, in_bytes(a), in_bytes(b), at);
    return moved->type->is_pointer() ? convert_node(moved, a->type.type) : moved;
  }
  const bool fits = pointee && pointee->kind != TypeKind::void_ && size_of(pointee) > 0 &&
                    (op == punct("+") || op == punct("-"));
  if (fits && op == punct("-") && b->type->is_pointer() && b->type->element.type == pointee) {
    Expr* e = make(ExprKind::binary, at, {types().long_});
    e->op = op;
    e->operands = {a, b, nullptr};
    return e;
  }
  if (!fits || !b->type->is_integer())
    fail(at, "'" + spelled(op) + "' cannot be applied to " + quoted(a->type) + " and " + quoted(b->type));
  Expr* e = make(ExprKind::binary, at, {a->type.type});
  e->op = op;
  e->operands = {a, b, nullptr};
  return e;
}

Expr* Checker::shift(std::uint32_t op, Expr* a, Expr* b, Location at) {
  if (!a->type->scalar()->is_integer() || !b->type->scalar()->is_integer())
    fail(at, "'" + spelled(op) + "' needs integers, not " + quoted(a->type) + " and " + quoted(b->type));
  if (a->type->is_vector()) {
    if (b->type->is_vector() && b->type->count != a->type->count)
      fail(at, "operands " + quoted(a->type) + " and " + quoted(b->type) + " have different lengths");
    if (!b->type->is_vector()) b = convert(b, a->type.type, "a shift");
  } else {
    if (b->type->is_vector()) fail(at, "a scalar cannot be shifted by a vector");
    a = convert_node(a, promoted(types(), a->type.type));
    b = convert_node(b, promoted(types(), b->type.type));
  }
  Expr* e = make(ExprKind::binary, at, {a->type.type});
  e->op = op;
  e->operands = {a, b, nullptr};
  return e;
}

Expr* Checker::comparison(std::uint32_t op, Expr* a, Expr* b, Location at) {
  const Type* result = types().int_;
  if (a->type->is_pointer() || b->type->is_pointer()) {
    if (!a->type->is_pointer()) a = convert(a, b->type.type, "a comparison");
    if (!b->type->is_pointer()) b = convert(b, a->type.type, "a comparison");
  } else {
    const Type* common = unify(a, b, at);
    if (common->is_vector()) result = types().signed_of(common);
  }
  Expr* e = make(ExprKind::binary, at, {result});
  e->op = op;
  e->operands = {a, b, nullptr};
  return e;
}

Expr* Checker::binary(std::uint32_t op, Expr* a, Expr* b, Location at) {
  a = value(a);
  b = value(b);
  const bool is_logical = op == punct("&&") || op == punct("||");
  if ((a->type->is_complex() || b->type->is_complex()) && !is_logical) return complex_binary(op, a, b, at);
  switch (op) {
    case punct("&&"):
    case punct("||"): {
      const bool vectors = a->type->is_vector() || b->type->is_vector();
      if (vectors) return comparison(op, a, b, at);
      Expr* e = make(ExprKind::binary, at, {types().int_});
      e->op = op;
      e->operands = {condition(a), condition(b), nullptr};
      return e;
    }
    case punct("<<"):
    case punct(">>"):
      return shift(op, a, b, at);
    case punct("=="):
    case punct("!="):
    case punct("<"):
    case punct(">"):
    case punct("<="):
    case punct(">="):
      return comparison(op, a, b, at);
    default:
      break;
  }
  if (a->type->is_pointer() || b->type->is_pointer()) return pointer_arithmetic(op, a, b, at);
  const Type* common = unify(a, b, at);
  const bool integers_only = op == punct("%") || op == punct("&") || op == punct("|") || op == punct("^");
  if (integers_only && !common->scalar()->is_integer())
    fail(at, "'" + spelled(op) + "' needs integers, not " + quoted(a->type) + " and " + quoted(b->type));
  Expr* e = make(ExprKind::binary, at, {common});
  e->op = op;
  e->operands = {a, b, nullptr};
  return e;
}

// A compound assignment keeps its target unconverted; `overload` is the type in which it computes.
Expr* Checker::assign(std::uint32_t op, Expr* target, Expr* operand, Location at) {
  check_writable(target, at);
  Expr* e = make(ExprKind::assign, at, {target->type.type});
  e->op = op;
  e->operands[0] = target;
  if (op == punct("=")) {
    e->operands[1] = convert(operand, target->type.type, "an assignment");
    return e;
  }
  const Expr* computed = binary(op, target, operand, at);
  if (computed->kind != ExprKind::binary) fail(at, "these operands are not valid for '" + spelled(op) + "='");
  e->overload = computed->type.type;
  e->operands[1] = computed->operands[1];
  e->operands[2] = computed->operands[0];  // the target, converted for the computation
  const bool both_complex = computed->type->is_complex() && target->type->is_complex();
  if (computed->type.type != target->type.type && !both_complex &&
      !(computed->type->is_scalar() && target->type->is_scalar()))
    fail(at, "cannot convert '" + name_of(computed->type.type) + "' to " + quoted(target->type) +
                 " for an assignment");
  return e;
}

Expr* Checker::conditional(Expr* test, Expr* yes, Expr* no, Location at) {
  test = value(test);
  yes = value(yes);
  no = value(no);
  Expr* e = make(ExprKind::conditional, at, {types().void_});
  if (yes->type->is_pointer() || no->type->is_pointer()) {
    const bool to_no = is_null_constant(yes) || (no->type->is_pointer() && no->type->element.is_const);
    const Type* common = to_no ? no->type.type : yes->type.type;
    yes = convert(yes, common, "'?:'");
    no = convert(no, common, "'?:'");
    e->type = {common};
  } else if (yes->type.type == no->type.type) {
    e->type = {yes->type->is_scalar() ? promoted(types(), yes->type.type) : yes->type.type};
    if (yes->type->is_scalar()) yes = convert_node(yes, e->type.type), no = convert_node(no, e->type.type);
  } else if (yes->type->is_complex() || no->type->is_complex()) {
    const std::array<Expr*, 2> both = {yes, no};
    e->type = {complex_of(both)};
    yes = convert(yes, e->type.type, "'?:'");
    no = convert(no, e->type.type, "'?:'");
  } else {
    e->type = {unify(yes, no, at)};
  }
  if (test->type->is_vector()) {
    const Type* result = e->type.type;
    if (!result->is_vector()) {
      result = types().vector(result, static_cast<unsigned>(test->type->count));
      yes = convert(yes, result, "'?:'");
      no = convert(no, result, "'?:'");
      e->type = {result};
    }
    if (!test->type->scalar()->is_integer() || result->count != test->type->count ||
        size_of(result->element.type) != size_of(test->type->element.type))
      fail(at, "'?:' cannot select " + quoted(e->type) + " by " + quoted(test->type));
  } else {
    test = condition(test);
  }
  e->operands = {test, yes, no};
  return e;
}

Expr* Checker::comma(Expr* a, Expr* b, Location at) {
  b = value(b);
  Expr* e = make(ExprKind::comma, at, {b->type.type});
  e->operands = {a, b, nullptr};
  return e;
}

}  // namespace quern::frontend
