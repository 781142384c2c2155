// SPDX-License-Identifier: MIT
// Operators, conversions and member access of the type checker.
#include "frontend/checker.hpp"

#include <algorithm>

#include "frontend/literal.hpp"

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

std::string quoted(const QualType& type) {
  return "'" + name_of(type) + "'";
}

bool is_null_constant(const Expr* e) {
  if (e->kind == ExprKind::convert && e->type->is_pointer()) return is_null_constant(e->operands[0]);
  return e->kind == ExprKind::integer && e->integer == 0;
}

bool same_type(const Type* a, const Type* b) {
  return a == b;
}

}  // namespace

void Checker::unsupported(Location at, const std::string& what) const {
  const char* device = target_ == Target::host ? "the host device" : "CUDA devices";
  files_.fail(at, what + " is not supported on " + device + " yet");
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
  if (e->depth > kMaxDepth) fail(e->at, "the expression is too deep");
  return e;
}

Expr* Checker::make(ExprKind kind, Location at, QualType type) {
  count_node(at);
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
    if (number->kind == Number::Kind::half_) unsupported(token.at, "a literal of type half");
    Expr* e = make(ExprKind::real, token.at,
                   {number->kind == Number::Kind::float_ ? types().float_ : types().double_});
    e->real = number->real;
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

Expr* Checker::value(Expr* operand) {
  if (operand->type->kind == TypeKind::array) {
    QualType element = operand->type->element;
    element.is_const |= operand->type.is_const;
    if (element.space == Space::unspecified) element.space = operand->type.space;
    if (operand->kind == ExprKind::variable) operand->variable->is_address_taken = true;
    return convert_node(operand, types().pointer(element));
  }
  if (operand->type->scalar()->kind == TypeKind::half) unsupported(operand->at, "arithmetic on half");
  return operand;
}

Expr* Checker::convert_node(Expr* operand, const Type* to) {
  if (same_type(operand->type.type, to)) return operand;
  if (operand->kind == ExprKind::integer && to->is_integer() && to->kind != TypeKind::bool_) {
    // A literal takes the type itself, so that the emitted text stays readable.
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
    e->real =
        to->kind == TypeKind::float_ ? static_cast<double>(static_cast<float>(v)) : static_cast<double>(v);
    e->is_literal = true;
    return e;
  }
  if (operand->kind == ExprKind::real && to->is_real() && to->kind != TypeKind::half) {
    Expr* e = make(ExprKind::real, operand->at, {to});
    e->real =
        to->kind == TypeKind::float_ ? static_cast<double>(static_cast<float>(operand->real)) : operand->real;
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
  if (same_type(from, to)) return operand;
  if (from->is_scalar() && (to->is_scalar() || to->is_vector())) {
    if (to->scalar()->kind == TypeKind::half) unsupported(operand->at, "arithmetic on half");
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

Expr* Checker::condition(Expr* operand) {
  operand = value(operand);
  if (!operand->type->is_scalar() && !operand->type->is_pointer())
    fail(operand->at, quoted(operand->type) + " cannot be a condition");
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

Expr* Checker::unary(std::uint32_t op, Expr* operand, Location at) {
  if (op == punct("&")) {
    if (!operand->is_lvalue || operand->kind == ExprKind::swizzle)
      fail(at, "cannot take the address of this expression");
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
      fail(at, "cannot dereference " + quoted(operand->type) + ", which is no pointer");
    if (type->element->kind == TypeKind::void_) fail(at, "cannot dereference 'void*'");
    Expr* e = make(ExprKind::unary, at, type->element);
    e->op = op;
    e->operands[0] = operand;
    e->is_lvalue = true;
    return e;
  }
  const Type* scalar = type->scalar();
  if (op == punct("!") ? !(type->is_scalar() || type->is_pointer() || type->is_vector())
                       : !(scalar->is_scalar() && (op != punct("~") || scalar->is_integer())))
    fail(at, "'" + spelled(op) + "' cannot be applied to " + quoted(operand->type));
  if (op == punct("!")) {
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
      fail(at, "operands " + quoted(a->type) + " and " + quoted(b->type) + " do not fit");
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

// A compound assignment keeps its target as it is; `overload` is the type in which it is computed.
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
  if (computed->kind != ExprKind::binary) fail(at, "these operands do not fit '" + spelled(op) + "='");
  e->overload = computed->type.type;
  e->operands[1] = computed->operands[1];
  e->operands[2] = computed->operands[0];  // the target as converted for the computation
  if (computed->type.type != target->type.type && !(computed->type->is_scalar() && target->type->is_scalar()))
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

Expr* Checker::member(Expr* object, const Token& name, bool arrow) {
  if (arrow) object = unary(punct("*"), object, object->at);
  if (object->type->is_vector()) return swizzle(object, name);
  if (object->type->kind != TypeKind::structure)
    fail(name.at, quoted(object->type) + " has no members, so '." + std::string(name.text) + "' is an error");
  const Record* record = object->type->record;
  if (!record->is_complete) fail(name.at, quoted(object->type) + " is declared but not defined");
  const Field* field = record->find(name.text);
  if (!field) fail(name.at, quoted({object->type.type}) + " has no member '" + std::string(name.text) + "'");
  QualType type = field->type;
  type.is_const |= object->type.is_const;
  if (!type->is_pointer() || type.space == Space::unspecified) type.space = object->type.space;
  Expr* e = make(ExprKind::member, name.at, type);
  e->operands[0] = object;
  e->field = field;
  e->is_lvalue = object->is_lvalue;
  return e;
}

Expr* Checker::swizzle(Expr* vector, const Token& name) {
  const auto count = static_cast<std::size_t>(vector->type->count);
  const std::size_t slots = count == 3 ? 4 : count;
  const std::string_view text = name.text;
  std::vector<std::uint8_t> lanes;
  const auto add = [&](std::size_t lane) { lanes.push_back(static_cast<std::uint8_t>(lane)); };
  if (text == "lo" || text == "hi") {
    for (std::size_t i = 0; i < slots / 2; ++i) add(text == "lo" ? i : i + slots / 2);
  } else if (text == "even" || text == "odd") {
    for (std::size_t i = text == "even" ? 0 : 1; i < slots; i += 2) add(i);
  } else if ((text[0] == 's' || text[0] == 'S') && text.size() > 1) {
    for (const char c : text.substr(1)) {
      const std::size_t lane = std::string_view("0123456789abcdef").find(c);
      const std::size_t upper = std::string_view("0123456789ABCDEF").find(c);
      add(std::min({lane, upper, std::size_t{99}}));
    }
  } else {
    for (const char c : text) add(std::min(std::string_view("xyzw").find(c), std::size_t{99}));
  }
  const bool length_fits = lanes.size() <= 4 || lanes.size() == 8 || lanes.size() == 16;
  const bool padded = text == "hi" || text == "odd";  // of three lanes: the fourth is undefined
  for (const std::uint8_t lane : lanes)
    if (lane >= count && !(padded && lane < slots))
      fail(name.at, quoted({vector->type.type}) + " has no component '." + std::string(text) + "'");
  if (!length_fits || lanes.empty())
    fail(name.at, "'." + std::string(text) + "' makes no vector of 2, 3, 4, 8 or 16 components");
  const Type* element = vector->type->element.type;
  QualType type = vector->type;
  type.type = lanes.size() == 1 ? element : types().vector(element, static_cast<unsigned>(lanes.size()));
  Expr* e = make(ExprKind::swizzle, name.at, type);
  e->operands[0] = vector;
  e->is_lvalue = vector->is_lvalue;
  const bool within = std::ranges::all_of(lanes, [&](std::uint8_t lane) { return lane < count; });
  if (vector->kind == ExprKind::swizzle && within) {  // v.hi.x is v.z
    e->operands[0] = vector->operands[0];
    for (std::uint8_t& lane : lanes) lane = vector->lanes[lane];
  } else if (vector->kind == ExprKind::swizzle) {
    e->is_lvalue = false;  // v.xyz.hi has a component that v.xyz has not
  }
  for (std::size_t i = 0; i < lanes.size() && e->is_lvalue; ++i)
    if (std::find(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(i), lanes[i]) !=
        lanes.begin() + static_cast<std::ptrdiff_t>(i))
      e->is_lvalue = false;  // a component named twice cannot be assigned to
  e->lanes = std::move(lanes);
  return e;
}

Expr* Checker::index(Expr* base, Expr* position, Location at) {
  if (base->type->is_integer()) std::swap(base, position);
  if (base->type->is_vector()) fail(at, "a vector has components .s0, .s1..., not elements");
  const bool is_array = base->type->kind == TypeKind::array;
  if (!is_array && !base->type->is_pointer()) fail(at, quoted(base->type) + " cannot be indexed");
  position = value(position);
  if (!position->type->is_integer())
    fail(position->at, "an index must be an integer, not " + quoted(position->type));
  QualType element = base->type->element;
  if (is_array) {
    element.is_const |= base->type.is_const;
    if (element.space == Space::unspecified) element.space = base->type.space;
  } else {
    base = value(base);
  }
  if (element->kind == TypeKind::void_ || size_of(element.type) == 0)
    fail(at, "elements of type " + quoted(element) + " cannot be indexed");
  Expr* e = make(ExprKind::index, at, element);
  e->operands = {base, position, nullptr};
  e->is_lvalue = true;
  return e;
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
  const bool scalars = from->is_scalar() && to->scalar()->is_scalar();
  if (to->scalar()->kind == TypeKind::half && from != to) unsupported(at, "arithmetic on half");
  if (scalars) {
    Expr* e = convert(operand, to, "a cast");
    if (e != operand) {
      e->is_literal = false;
      e->at = at;
      return e;
    }
    e = make(ExprKind::convert, at, {to});  // (float)1.0f: typed on purpose, no literal that adapts
    e->operands[0] = operand;
    return e;
  }
  const bool pointers = (from->is_pointer() && (to->is_pointer() || to->is_integer())) ||
                        (to->is_pointer() && from->is_integer());
  if (pointers) {
    if (from->is_pointer() && to->is_pointer()) {
      // A cast that names no address space keeps the one it had.
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

Expr* Checker::vector_literal(const Type* type, std::vector<Expr*> parts, Location at) {
  if (parts.size() == 1) return cast(parts[0], {type}, at);
  Expr* e = make(ExprKind::vector_literal, at, {type});
  std::uint64_t lanes = 0;
  for (Expr* part : parts) {
    part = value(part);
    if (!part->type->scalar()->is_scalar())
      fail(part->at, quoted(part->type) + " cannot be part of a vector");
    if (part->type->is_vector()) {
      lanes += part->type->count;
      if (part->type->element.type != type->element.type)
        fail(part->at, quoted(part->type) + " cannot be part of a '" + name_of(type) + "'");
    } else {
      ++lanes;
      part = convert(part, type->element.type, "a component");
    }
    e->arguments.push_back(part);
  }
  if (lanes != type->count)
    fail(at, "a '" + name_of(type) + "' needs " + std::to_string(type->count) + " components but has " +
                 std::to_string(lanes));
  return e;
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
