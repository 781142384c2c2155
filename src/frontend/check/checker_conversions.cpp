// SPDX-License-Identifier: MIT
// Conversions in the type checker: implicit conversions, casts, convert_T and as_T.
#include "base/half.hpp"
#include "frontend/check/checker.hpp"

namespace quern::frontend {
namespace {

constexpr Builtin kConvert = {"convert_", 1, Rule::convert, "", ""};

double rounded_to(const Type* type, double value) {
  if (type->kind == TypeKind::half) return rounded_to_half(value);
  return type->kind == TypeKind::float_ ? static_cast<double>(static_cast<float>(value)) : value;
}

}  // namespace

Expr* Checker::convert_node(Expr* operand, const Type* to) {
  if (operand->type.type == to) return operand;
  if (operand->kind == ExprKind::integer && to->is_integer() && to->kind != TypeKind::bool_) {
    // A literal is changed to the new type, which keeps the lowered text readable.
    std::uint64_t bits = operand->integer;
    const auto width = static_cast<unsigned>(8 * size_of(to));
    if (width < 64) {
      bits &= (std::uint64_t{1} << width) - 1;
      if (to->is_signed() && (bits >> (width - 1) & 1) != 0) bits |= ~std::uint64_t{0} << width;
    }
    return integer(operand->at, bits, to);
  }
  if (operand->kind == ExprKind::integer && to->is_real() && operand->type->is_signed()) {
    Expr* e = make(ExprKind::real, operand->at, {to});
    const auto v = static_cast<std::int64_t>(operand->integer);
    e->real = to->kind == TypeKind::float_ ? static_cast<double>(static_cast<float>(v))
                                           : rounded_to(to, static_cast<double>(v));
    e->is_literal = true;
    return e;
  }
  if (operand->kind == ExprKind::real && to->is_real()) {
    Expr* e = make(ExprKind::real, operand->at, {to});
    e->real = rounded_to(to, operand->real);
    e->is_literal = true;
    return e;
  }
  if (operand->type->scalar()->is_real() && to->scalar()->is_integer()) program_.to_integer = true;
  if (operand->type->scalar()->is_integer() && to->scalar()->is_real()) program_.to_real = true;
  Expr* e = make(ExprKind::convert, operand->at, {to});
  e->operands[0] = operand;
  return e;
}

Expr* Checker::pointer_conversion(Expr* operand, const Type* to, std::string_view what) {
  const Type* from = operand->type.type;
  if (!from->is_pointer()) {
    if (is_null_constant(operand)) return convert_node(operand, to);
    fail(operand->at,
         "cannot convert " + quoted(operand->type) + " to '" + name_of(to) + "' for " + std::string(what));
  }
  const QualType& a = from->element;
  const QualType& b = to->element;
  if (is_null_constant(operand)) return convert_node(operand, to);
  if (a.space != b.space && a.space != Space::unspecified && b.space != Space::unspecified)
    fail(operand->at, std::string(what) + " changes the address space of " + quoted(operand->type) +
                          " to that of '" + name_of(to) + "'");
  if (a.is_const && !b.is_const)
    warn(operand->at, std::string(what) + " discards the const of " + quoted(operand->type));
  if (a.type != b.type && a->kind != TypeKind::void_ && b->kind != TypeKind::void_)
    warn(operand->at, std::string(what) + " converts " + quoted(operand->type) + " to the incompatible '" +
                          name_of(to) + "'");
  return convert_node(operand, to);
}

Expr* Checker::convert(Expr* operand, const Type* to, std::string_view what) {
  operand = value(operand);
  const Type* from = operand->type.type;
  if (from == to) return operand;
  if (from->is_complex() || to->is_complex()) return complex_conversion(operand, to, what);
  if (from->is_scalar() && (to->is_scalar() || to->is_vector())) {
    if (to->is_vector()) return convert_node(convert_node(operand, to->element.type), to);
    return convert_node(operand, to);
  }
  if (to->is_pointer()) return pointer_conversion(operand, to, what);
  if (from->is_pointer() && to->kind == TypeKind::bool_) return convert_node(operand, to);
  const std::string hint = from->is_vector() && to->is_vector() && from->count == to->count
                               ? "; use convert_" + name_of(to) + "()"
                               : "";
  fail(operand->at, "cannot convert " + quoted(operand->type) + " to '" + name_of(to) + "' for " +
                        std::string(what) + hint);
}

Expr* Checker::cast(Expr* operand, QualType type, Location at) {
  operand = value(operand);
  const Type* from = operand->type.type;
  const Type* to = type.type;
  if (to->kind == TypeKind::void_) {
    Expr* e = make(ExprKind::convert, at, {to});
    e->operands[0] = operand;
    return e;
  }
  if (from->is_complex() || to->is_complex()) {
    // A node even if the type is the same: it has the cast's tokens.
    Expr* e = make(ExprKind::convert, at, {to});
    e->operands[0] = from == to ? operand : complex_conversion(operand, to, "a cast")->operands[0];
    return e;
  }
  const bool scalars = from->is_scalar() && to->scalar()->is_scalar();
  if (scalars) {
    Expr* e = convert(operand, to, "a cast");
    if (e != operand) {
      e->is_literal = false;
      e->at = at;
      return e;
    }
    // (float)1.0f has an explicit type, so it no longer adapts like a literal.
    e = make(ExprKind::convert, at, {to});
    e->operands[0] = operand;
    return e;
  }
  const bool pointers = (from->is_pointer() && (to->is_pointer() || to->is_integer())) ||
                        (to->is_pointer() && from->is_integer());
  if (pointers) {
    if (from->is_pointer() && to->is_pointer()) {
      // A cast without an address space keeps that of the operand.
      QualType pointee = to->element;
      if (pointee.space == Space::unspecified) pointee.space = from->element.space;
      to = types().pointer(pointee);
    }
    Expr* e = make(ExprKind::convert, at, {to});
    e->operands[0] = operand;
    return e;
  }
  if (from == to) return operand;
  const std::string hint =
      from->is_vector() && to->is_vector() ? "; use convert_ or as_" + name_of(to) + "()" : "";
  fail(at, "cannot cast " + quoted(operand->type) + " to '" + name_of(to) + "'" + hint);
}

// convert_T and as_T, whose names contain the type.
Expr* Checker::conversion_function(std::string_view name, std::vector<Expr*>& arguments, Location at) {
  const bool reinterprets = name.starts_with("as_");
  if (!reinterprets && !name.starts_with("convert_")) return nullptr;
  std::string_view rest = name.substr(reinterprets ? 3 : 8);
  const std::size_t mark = rest.find('_');
  const std::string_view mode = mark == rest.npos ? std::string_view() : rest.substr(mark);
  const Type* to = types().named(rest.substr(0, mark));
  if (!to || to->kind == TypeKind::void_ || to->is_complex() || (reinterprets && !mode.empty()))
    return nullptr;
  if (arguments.size() != 1)
    fail(at,
         "'" + std::string(name) + "' takes 1 argument but was given " + std::to_string(arguments.size()));
  Expr* from = arguments[0];
  const Type* source = from->type.type;
  if (!source->scalar()->is_scalar())
    fail(from->at, "'" + std::string(name) + "' cannot convert " + quoted(source));
  if (reinterprets) {
    if (size_of(source) != size_of(to))
      fail(at, "'" + std::string(name) + "' cannot reinterpret " + quoted(source) + " as " + quoted(to) +
                   ", which has another size");
    if (source == to) return from;
    Expr* e = make(ExprKind::reinterpret, at, {to});
    e->operands[0] = from;
    return e;
  }
  const auto lanes = [](const Type* t) { return t->is_vector() ? t->count : 1; };
  if (lanes(source) != lanes(to)) fail(at, quoted(source) + " cannot be converted to " + quoted(to));
  const bool saturates = mode.starts_with("_sat");
  const auto rounding = rounding_of(saturates ? mode.substr(4) : mode);
  if (!rounding || (saturates && !to->scalar()->is_integer())) return nullptr;
  if (source == to) {
    Expr* e = make(ExprKind::convert, at, {to});  // an explicit type, so it no longer adapts like a literal
    e->operands[0] = from;
    return e;
  }
  if (*rounding == Rounding::none && !saturates) {
    Expr* e = convert_node(from, to);
    e->is_literal = false;
    return e;
  }
  if (source->scalar()->is_real() && to->scalar()->is_integer()) program_.to_integer = true;
  if (source->scalar()->is_integer() && to->scalar()->is_real()) program_.to_real = true;
  Expr* e = make(ExprKind::builtin, at, {to});
  e->builtin = &kConvert;
  e->text = name;
  e->overload = to;
  e->op = Conversion{*rounding, saturates}.packed();
  e->arguments = {from};
  return e;
}

}  // namespace quern::frontend
