// SPDX-License-Identifier: MIT
// Complex numbers in the type checker: their operators and functions, and the types of the results. The
// lowering does not know them: complex_rewrite.cpp replaces them by vectors before.
#include <algorithm>

#include "frontend/check/checker.hpp"
#include "frontend/complex/complex.hpp"

namespace quern::frontend {
namespace {

// Whether this is a literal or computed from literals. It then adapts to the precision of the other operand.
bool is_weak(const Expr* e) {
  if (e->is_literal) return true;
  if ((e->kind != ExprKind::unary && e->kind != ExprKind::binary) || !e->type->is_scalar()) return false;
  return std::ranges::all_of(e->operands, [](const Expr* operand) { return !operand || is_weak(operand); });
}

bool is_arithmetic(const Expr* e) {
  return e->type->is_scalar() || e->type->is_complex();
}

// Whether `vector` has the representation of `complex`: two components of its real type.
bool is_pair_of(const Type* vector, const Type* complex) {
  return vector->is_vector() && vector->count == 2 && complex->is_complex() &&
         vector->element.type == complex->element.type;
}

}  // namespace

// Returns the common complex type of operands: complex128 if one of them has double precision.
const Type* Checker::complex_of(std::span<Expr* const> operands) {
  const bool any_complex = std::ranges::any_of(operands, [](const Expr* e) { return e->type->is_complex(); });
  const bool is_wide = std::ranges::any_of(operands, [&](const Expr* e) {
    if (e->type->is_complex()) return e->type->element->kind == TypeKind::double_;
    return e->type->kind == TypeKind::double_ && !(any_complex && is_weak(e));
  });
  return types().complex(is_wide ? types().double_ : types().float_);
}

Expr* Checker::complex_conversion(Expr* operand, const Type* to, std::string_view what) {
  const Type* from = operand->type.type;
  const bool fits =
      (to->is_complex() && is_arithmetic(operand)) || is_pair_of(from, to) || is_pair_of(to, from);
  if (!fits)
    fail(operand->at, "cannot convert " + quoted(operand->type) + " to '" + name_of(to) + "' for " +
                          std::string(what) +
                          (to->is_scalar() ? "; use real(), imag() or abs()" : std::string()));
  Expr* e = make(ExprKind::convert, operand->at, {to});
  e->operands[0] = operand;
  return e;
}

// A real factor or divisor stays real. That saves operations, and an infinite factor does not produce NaN.
Expr* Checker::complex_binary(std::uint32_t op, Expr* a, Expr* b, Location at) {
  const bool compares = op == punct("==") || op == punct("!=");
  const bool computes = op == punct("+") || op == punct("-") || op == punct("*") || op == punct("/");
  if (!compares && !computes) {
    const bool orders = op == punct("<") || op == punct(">") || op == punct("<=") || op == punct(">=");
    fail(at, "'" + spelled(op) + "' is not defined for complex numbers" +
                 (orders ? ", which have no order; compare real(), imag() or abs()" : ""));
  }
  if (!is_arithmetic(a) || !is_arithmetic(b))
    fail(at, "operands " + quoted(a->type) + " and " + quoted(b->type) + " are incompatible");
  const std::array<Expr*, 2> both = {a, b};
  const Type* type = complex_of(both);
  const bool keeps_b = (op == punct("*") || op == punct("/")) && b->type->is_scalar();
  const bool keeps_a = op == punct("*") && a->type->is_scalar();
  if (!keeps_a) a = convert(a, type, "an operand");
  if (!keeps_b) b = convert(b, type, "an operand");
  Expr* e = make(ExprKind::binary, at, {compares ? types().int_ : type});
  e->op = op;
  e->overload = type;
  e->operands = {a, b, nullptr};
  return e;
}

Expr* Checker::complex_member(Expr* object, const Token& name) {
  const bool is_real = name.text == "x" || name.text == "real";
  if (!is_real && name.text != "y" && name.text != "imag")
    fail(name.at, quoted(object->type.type) + " has the members .real and .imag, or .x and .y, but no '." +
                      std::string(name.text) + "'");
  QualType type = object->type;
  type.type = object->type->element.type;
  Expr* e = make(ExprKind::swizzle, name.at, type);
  e->operands[0] = object;
  e->is_lvalue = object->is_lvalue;
  e->lanes = {static_cast<std::uint8_t>(is_real ? 0 : 1)};
  return e;
}

Expr* Checker::complex_literal(const Type* type, std::vector<Expr*> parts, Location at) {
  if (parts.size() == 1) return cast(parts[0], {type}, at);
  if (parts.size() != 2)
    fail(at, "a '" + name_of(type) + "' has two parts, not " + std::to_string(parts.size()));
  Expr* e = make(ExprKind::vector_literal, at, {type});
  for (Expr* part : parts) {
    part = value(part);
    if (!part->type->is_scalar())
      fail(part->at, "the parts of a '" + name_of(type) + "' are real numbers, not " + quoted(part->type));
    e->arguments.push_back(part);
  }
  return e;
}

// complex64(), complex64(x) or complex64(re, im); also float(x) and float4(x, y, z, w).
Expr* Checker::constructor(const Type* type, std::vector<Expr*> arguments, Location at) {
  Expr* e = make(ExprKind::complex_call, at, {type});
  e->overload = type;
  for (Expr*& a : arguments) a = value(a);
  if (!type->is_complex()) {
    if (arguments.size() > 1 && !type->is_vector())
      fail(at,
           "'" + name_of(type) + "(...)' takes 1 argument but was given " + std::to_string(arguments.size()));
    if (arguments.size() == 1) e->arguments = {cast(arguments[0], {type}, at)};
    if (arguments.size() > 1) e->arguments = {vector_literal(type, std::move(arguments), at)};
  } else if (arguments.size() == 2) {
    e->arguments = complex_literal(type, std::move(arguments), at)->arguments;
  } else if (arguments.size() == 1) {
    Expr* a = arguments[0];
    e->arguments = {a->type->is_scalar() ? a : convert(a, type, "a complex number")};
  } else if (!arguments.empty()) {
    fail(at, "a '" + name_of(type) + "' has two parts, not " + std::to_string(arguments.size()));
  }
  return e;
}

Expr* Checker::static_cast_of(Expr* operand, QualType type, Location at) {
  Expr* converted = cast(operand, type, at);
  Expr* e = make(ExprKind::complex_call, at, converted->type);
  e->text = kStaticCast;
  e->overload = type.type;
  e->arguments = {converted};
  return e;
}

// Calls abs, real, conj or norm of a real number, so that one text works for real and complex types. Returns
// null for other functions: the argument is then converted to complex, or OpenCL C has the function.
Expr* Checker::real_function(std::string_view name, Expr* argument, Location at) {
  const Type* type = argument->type.type;
  if (!type->is_scalar()) return nullptr;
  std::string_view helper;
  if ((name == "abs" || name == "cabs") && type->is_real()) helper = "real_absolute";
  if (name == "real" || name == "creal" || name == "conj") helper = "real_itself";
  if (name == "norm" || name == "abs_squared") {
    helper = "real_norm";
    type = promoted(types(), type);
  }
  if (helper.empty()) return nullptr;
  Expr* e = make(ExprKind::complex_call, at, {type});
  e->text = helper;
  e->overload = type;
  e->arguments = {argument};
  return e;
}

// Calls a function with complex arguments, or one that exists only for complex numbers. Returns null for any
// other function.
Expr* Checker::complex_function(std::string_view name, std::vector<Expr*>& arguments, Location at) {
  const Type* fixed = name.starts_with("cfloat_")    ? types().complex(types().float_)
                      : name.starts_with("cdouble_") ? types().complex(types().double_)
                                                     : nullptr;
  const std::string_view base = fixed ? name.substr(name.find('_') + 1) : name;
  if (fixed && (base == "new" || base == "fromreal" || base == "cast"))
    return constructor(fixed, std::move(arguments), at);
  const bool any_complex =
      std::ranges::any_of(arguments, [](const Expr* a) { return a->type->is_complex(); });
  const ComplexFunction* row = find_complex_function(name);
  const bool is_builtin = find_builtin(name) != nullptr;
  if (!row) {
    if (any_complex && is_builtin) fail(at, "'" + std::string(name) + "' is not defined for complex numbers");
    return nullptr;
  }
  if (!any_complex && !fixed) {
    if (arguments.size() == 1)
      if (Expr* result = real_function(name, arguments[0], at)) return result;
    if (is_builtin) return nullptr;
  }
  if (arguments.size() != row->arity)
    fail(at, "'" + std::string(name) + "' takes " + std::to_string(row->arity) +
                 (row->arity == 1 ? " argument" : " arguments") + " but was given " +
                 std::to_string(arguments.size()));
  const Type* type = fixed ? fixed : complex_of(arguments);
  const Type* part = type->element.type;
  const Type* wanted = row->of_parts ? part : type;
  Expr* e = make(ExprKind::complex_call, at,
                 {row->result == ComplexResult::complex ? type
                  : row->result == ComplexResult::part  ? part
                                                        : types().int_});
  e->text = row->helper;
  e->overload = type;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = "argument " + std::to_string(i + 1) + " of '" + std::string(name) + "'";
    e->arguments.push_back(convert(arguments[i], wanted, what));
  }
  return e;
}

}  // namespace quern::frontend
