// SPDX-License-Identifier: MIT
// Calls of built-in functions: overload resolution and the conversions of the arguments.
#include <algorithm>
#include <array>

#include "frontend/builtins/printf_format.hpp"
#include "frontend/check/checker.hpp"

namespace quern::frontend {
// Returns the floating-point type of a call with gentype parameters. Vectors decide first, then double
// variables, then float variables. Literals without a suffix adapt, so that fmax(x, 0.0) of a float x
// computes in float. Integers become float.
const Type* Checker::resolve_real(std::span<Expr*> arguments, std::string_view name, Location at) {
  const Type* vector = nullptr;
  bool any_double = false, any_float = false, any_half = false, double_literal = false, any_integer = false;
  for (const Expr* a : arguments) {
    const Type* t = a->type.type;
    if (t->is_vector() && t->element->is_real()) {
      if (vector && vector != t)
        fail(at, "'" + std::string(name) + "' was given both " + quoted(vector) + " and " + quoted(t));
      vector = t;
    } else if (t->kind == TypeKind::double_) {
      (a->is_literal ? double_literal : any_double) = true;
    } else if (t->kind == TypeKind::float_) {
      any_float = true;
    } else if (t->kind == TypeKind::half) {
      any_half = true;
    } else if (t->is_integer()) {
      any_integer = true;
    } else {
      fail(a->at, "'" + std::string(name) + "' takes floating-point numbers, not " + quoted(t));
    }
  }
  if (vector) return vector;
  if (any_double) return types().double_;
  if (any_float) return types().float_;
  if (any_half) return types().half;
  if (double_literal) return types().double_;
  if (any_integer &&
      !std::all_of(arguments.begin(), arguments.end(), [](const Expr* a) { return a->is_literal; }))
    warn(at, "'" + std::string(name) +
                 "' of an integer is computed in float; cast the argument to say which is meant");
  return types().float_;
}

// Returns the integer type of a call. Vectors decide first, then integer variables. Literals and
// floating-point numbers adapt.
const Type* Checker::resolve_integer(std::span<Expr*> arguments, std::string_view name, Location at) {
  const Type* vector = nullptr;
  const Type* typed = nullptr;
  const Type* literal = nullptr;
  for (const Expr* a : arguments) {
    const Type* t = a->type.type;
    if (t->is_real()) continue;
    if (!t->scalar()->is_integer())
      fail(a->at, "'" + std::string(name) + "' takes integers, not " + quoted(t));
    if (t->is_vector()) {
      if (vector && vector != t)
        fail(at, "'" + std::string(name) + "' was given both " + quoted(vector) + " and " + quoted(t));
      vector = t;
    } else if (a->is_literal) {
      literal = literal ? usual_conversion(types(), literal, t) : t;
    } else {
      typed = !typed || typed == t ? t : usual_conversion(types(), typed, t);
    }
  }
  if (vector) return vector;
  const Type* result = typed ? typed : literal;
  if (!result)
    fail(at, "'" + std::string(name) + "' takes integers, not " + quoted(arguments.front()->type.type));
  return result->kind == TypeKind::bool_ ? types().int_ : result;
}

// mul24 and mad24 exist only for int and uint. Wider integers decide only if no other argument does.
const Type* Checker::resolve_24_bits(std::span<Expr*> arguments, std::string_view name, Location at) {
  std::vector<Expr*> deciding;
  for (Expr* a : arguments)
    if (a->type->is_vector() || (a->type->is_integer() && size_of(a->type.type) <= 4 && !a->is_literal))
      deciding.push_back(a);
  const Type* t = resolve_integer(deciding.empty() ? arguments : std::span(deciding), name, at);
  if (t->is_vector()) return t;
  return t->is_signed() || size_of(t) < 4 ? types().int_ : types().uint;
}

// For functions that take integers and floating-point numbers: a vector decides, otherwise a floating-point
// number.
const Type* Checker::resolve_number(std::span<Expr*> arguments, std::string_view name, Location at) {
  const auto is_real = [](const Expr* a) { return a->type->scalar()->is_real(); };
  const auto vector = std::ranges::find_if(arguments, [](const Expr* a) { return a->type->is_vector(); });
  const bool any_real =
      vector != arguments.end() ? is_real(*vector) : std::ranges::any_of(arguments, is_real);
  return any_real ? resolve_real(arguments, name, at) : resolve_integer(arguments, name, at);
}

Expr* Checker::builtin(std::string_view name, std::vector<Expr*> arguments, Location at) {
  for (Expr*& a : arguments) a = value(a);
  if (types().has_complex)
    if (Expr* result = complex_function(name, arguments, at)) return result;
  if (name == "ATOMIC_VAR_INIT" && arguments.size() == 1) return arguments[0];
  if (Expr* conversion = conversion_function(name, arguments, at)) return conversion;
  const Builtin* row = find_builtin(name);
  return row ? builtin_call(*row, name, std::move(arguments), at) : nullptr;
}

Expr* Checker::builtin_call(const Builtin& row, std::string_view name, std::vector<Expr*> arguments,
                            Location at) {
  if (row.rule == Rule::unsupported) unsupported(at, std::string(name) + "()");
  const bool is_barrier = row.name == "work_group_barrier" || row.name == "sub_group_barrier";
  const bool has_scope =  // barrier with a scope, or work_group_broadcast with more dimensions
      (is_barrier && arguments.size() == 2) ||
      (row.name == "work_group_broadcast" && arguments.size() >= 2 && arguments.size() <= 4);
  const bool is_explicit = row.rule == Rule::atomic2 && name.ends_with("_explicit");
  const std::size_t orders = !is_explicit ? 0 : row.arity == 3 ? 2 : 1;  // a scope may follow the orders
  const std::size_t least = row.arity + orders, most = least + (is_explicit ? 1 : 0);
  const bool arity_fits = row.rule == Rule::print
                              ? !arguments.empty()
                              : has_scope || (arguments.size() >= least && arguments.size() <= most);
  if (!arity_fits)
    fail(at, "'" + std::string(name) + "' takes " + std::to_string(row.arity) +
                 (row.arity == 1 ? " argument" : " arguments") + " but was given " +
                 std::to_string(arguments.size()));
  Expr* call = make(ExprKind::builtin, at, {types().void_});
  call->builtin = &row;
  call->text = name;
  call->arguments = std::move(arguments);
  std::vector<Expr*>& args = call->arguments;
  const std::span<Expr*> all(args);
  const auto convert_all = [&](const Type* type, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      args[i] =
          convert(args[i], type, "argument " + std::to_string(i + 1) + " of '" + std::string(name) + "'");
  };
  const auto pointer_to = [&](std::size_t i, const Type* pointee) {
    const Type* t = args[i]->type.type;
    if (!t->is_pointer() || t->element.type != pointee || t->element.is_const)
      fail(args[i]->at, "argument " + std::to_string(i + 1) + " of '" + std::string(name) +
                            "' must be a pointer to " + quoted(pointee) + ", not " + quoted(t));
  };
  const auto set = [&](const Type* overload, const Type* result) {
    call->overload = overload;
    call->type = {result};
  };
  switch (row.rule) {
    case Rule::real:
    case Rule::normalize:
    case Rule::cross:
    case Rule::dot:
    case Rule::length:
    case Rule::distance: {
      const Type* t = resolve_real(all, name, at);
      convert_all(t, 0, args.size());
      const bool reduces = row.rule == Rule::dot || row.rule == Rule::length || row.rule == Rule::distance;
      set(t, reduces ? t->scalar() : t);
      if (row.rule == Rule::cross && (!t->is_vector() || (t->count != 3 && t->count != 4)))
        fail(at, "'cross' takes vectors of three or four components, not " + quoted(t));
      break;
    }
    case Rule::real_int: {
      const Type* t = resolve_real(all.first(1), name, at);
      convert_all(t, 0, 1);
      convert_all(types().with_scalar(t, types().int_), 1, 2);
      set(t, t);
      break;
    }
    case Rule::real_to_int: {
      const Type* t = resolve_real(all, name, at);
      convert_all(t, 0, 1);
      set(t, types().with_scalar(t, types().int_));
      break;
    }
    case Rule::real_pointer:
    case Rule::real_int_pointer:
    case Rule::real_real_int_pointer: {
      const std::size_t last = args.size() - 1;
      const Type* t = resolve_real(all.first(last), name, at);
      convert_all(t, 0, last);
      pointer_to(last, row.rule == Rule::real_pointer ? t : types().with_scalar(t, types().int_));
      set(t, t);
      break;
    }
    case Rule::test: {
      const Type* t = resolve_real(all, name, at);
      convert_all(t, 0, args.size());
      set(t, t->is_vector() ? types().signed_of(t) : types().int_);
      break;
    }
    case Rule::integer:
    case Rule::integer_abs: {
      const bool has_24_bits = row.name == "mul24" || row.name == "mad24";
      const Type* t = has_24_bits ? resolve_24_bits(all, name, at) : resolve_integer(all, name, at);
      convert_all(t, 0, args.size());
      set(t, row.rule == Rule::integer ? t : types().unsigned_of(t));
      break;
    }
    case Rule::number: {
      const Type* t = resolve_number(all, name, at);
      convert_all(t, 0, args.size());
      set(t, t);
      break;
    }
    case Rule::select:
    case Rule::bits: {
      const std::size_t typed = row.rule == Rule::select ? 2 : 3;
      const Type* t = resolve_number(all.first(typed), name, at);
      convert_all(t, 0, typed);
      if (row.rule == Rule::select) {
        const Type* c = args[2]->type.type;
        if (!c->scalar()->is_integer() || c->is_vector() != t->is_vector() ||
            (c->is_vector() && c->count != t->count) ||
            (c->is_vector() && size_of(c->element.type) != size_of(t->element.type)))
          fail(args[2]->at, "'select' of " + quoted(t) +
                                " needs an integer of the same size as condition, not " + quoted(c));
      }
      set(t, t);
      break;
    }
    case Rule::any_all: {
      const Type* t = args[0]->type.type;
      if (!t->scalar()->is_integer())
        fail(args[0]->at, "'" + std::string(name) + "' takes integers, not " + quoted(t));
      set(t, types().int_);
      break;
    }
    case Rule::nan: {
      const Type* t = args[0]->type.type;
      if (!t->scalar()->is_integer()) fail(args[0]->at, "'nan' takes an unsigned integer, not " + quoted(t));
      convert_all(types().unsigned_of(t), 0, 1);
      const std::uint64_t size = size_of(t->scalar());
      const Type* real = size == 8 ? types().double_ : size == 2 ? types().half : types().float_;
      set(types().with_scalar(t, real), types().with_scalar(t, real));
      break;
    }
    case Rule::atomic: {
      const Type* t = args[0]->type.type;
      const Type* pointee = t->is_pointer() ? t->element.type : types().void_;
      const bool integer = pointee->is_integer() && size_of(pointee) >= 4;
      if (!integer && !(pointee->kind == TypeKind::float_ && row.name == "atomic_xchg"))
        fail(args[0]->at, "'" + std::string(name) + "' takes a pointer to int or uint, not " + quoted(t));
      if (t->element.is_const) fail(args[0]->at, "'" + std::string(name) + "' cannot change a const object");
      convert_all(pointee, 1, args.size());
      set(pointee, pointee);
      break;
    }
    case Rule::atomic2:
      return atomic_call(call, at);
    case Rule::space:
      return space_call(call, at);
    case Rule::vload:
    case Rule::vstore:
      return vector_memory(row, call, at);
    case Rule::vload_half:
    case Rule::vstore_half:
      return half_memory(call, at);
    case Rule::upsample: {
      const Type* high = args[0]->type.type;
      const Type* low = args[1]->type.type;
      if (low->is_scalar() && high->scalar()->is_integer()) {
        low = types().unsigned_of(high);
        args[1] = convert(args[1], low, "argument 2 of 'upsample'");
      } else if (low->scalar()->is_integer() && high->scalar()->is_integer()) {
        low = types().unsigned_of(low);  // the same bits
      }
      if (!high->scalar()->is_integer() || low != types().unsigned_of(high) || size_of(high->scalar()) == 8)
        fail(at, "'upsample' takes an integer of at most 32 bits and its unsigned counterpart, not " +
                     quoted(high) + " and " + quoted(low));
      const Type* s = high->scalar();
      const Type* wide = size_of(s) == 1 ? types().short_ : size_of(s) == 2 ? types().int_ : types().long_;
      set(high, types().with_scalar(high, s->is_signed() ? wide : types().unsigned_of(wide)));
      break;
    }
    case Rule::shuffle: {
      const Type* t = args[0]->type.type;
      const Type* mask = args.back()->type.type;
      if (!t->is_vector() || t->count == 3 || args[args.size() - 2]->type.type != t)
        fail(at, "'" + std::string(name) + "' takes vectors of 2, 4, 8 or 16 components, not " +
                     quoted(args[args.size() - 2]->type.type));
      if (!mask->is_vector() || mask->count == 3 ||
          mask->element.type != types().unsigned_of(t->element.type))
        fail(args.back()->at, "the mask of '" + std::string(name) + "' of " + quoted(t) +
                                  " must be a vector of " + quoted(types().unsigned_of(t->element.type)) +
                                  ", not " + quoted(mask));
      set(t, types().vector(t->element.type, static_cast<unsigned>(mask->count)));
      break;
    }
    case Rule::work_item:
    case Rule::work_dim:
      return work_item(row, call, at);
    case Rule::fence:
      convert_all(types().uint, 0, args.size());
      break;
    case Rule::barrier:
      if (!function_) fail(at, "'" + std::string(name) + "' can only be called in a function");
      convert_all(types().uint, 0, row.name == "wait_group_events" ? 1 : args.size());
      function_->has_barrier = true;
      function_->uses.launch = true;
      break;
    case Rule::group:
      return group_function(row, call, at);
    case Rule::print:
      call->type = {types().int_};
      check_printf(call, at);
      break;
    case Rule::convert:
    case Rule::unsupported:
      break;
  }
  return call;
}

Expr* Checker::vector_memory(const Builtin& row, Expr* call, Location at) {
  const bool loads = row.rule == Rule::vload;
  const auto lanes = static_cast<unsigned>(std::stoul(std::string(row.name.substr(loads ? 5 : 6))));
  Expr*& pointer = call->arguments.back();
  Expr*& offset = call->arguments[loads ? 0 : 1];
  const Type* t = pointer->type.type;
  if (!t->is_pointer() || !t->element->is_scalar())
    fail(pointer->at, "'" + std::string(row.name) + "' takes a pointer to numbers, not " + quoted(t));
  const Type* vector = types().vector(t->element.type, lanes);
  offset = convert(offset, types().ulong, "the offset of '" + std::string(row.name) + "'");
  call->overload = vector;
  if (loads) {
    call->type = {vector};
    return call;
  }
  if (t->element.is_const || t->element.space == Space::constant)
    fail(at, "'" + std::string(row.name) + "' cannot change a const object");
  if (call->arguments[0]->type->is_scalar()) {
    call->arguments[0] = convert(call->arguments[0], vector, "'" + std::string(row.name) + "'");
  } else if (call->arguments[0]->type.type != vector)
    fail(call->arguments[0]->at, "'" + std::string(row.name) + "' stores a " + quoted(vector) + ", not a " +
                                     quoted(call->arguments[0]->type.type));
  return call;
}

// vload_half and vstore_half: loads give float, stores take float or double. They need no half arithmetic.
Expr* Checker::half_memory(Expr* call, Location at) {
  const std::string name(call->text);
  const HalfAccess access = half_access(name);
  const bool loads = call->builtin->rule == Rule::vload_half;
  const auto shaped = [&](const Type* scalar) {
    return access.lanes > 1 ? types().vector(scalar, access.lanes) : scalar;
  };
  Expr*& pointer = call->arguments.back();
  Expr*& offset = call->arguments[loads ? 0 : 1];
  const Type* t = pointer->type.type;
  if (!t->is_pointer() || t->element->kind != TypeKind::half)
    fail(pointer->at, "'" + name + "' takes a pointer to half, not " + quoted(t));
  offset = convert(offset, types().ulong, "the offset of '" + name + "'");
  call->overload = shaped(types().float_);
  if (loads) {
    call->type = {call->overload};
    return call;
  }
  if (t->element.is_const || t->element.space == Space::constant)
    fail(at, "'" + name + "' cannot change a const object");
  Expr*& value = call->arguments[0];
  if (value->type.type == shaped(types().double_) && !value->is_literal) {
    call->overload = value->type.type;
  } else if (access.lanes == 1) {
    value = convert(value, types().float_, "'" + name + "'");
  } else if (value->type.type != call->overload) {
    fail(value->at,
         "'" + name + "' stores a " + quoted(call->overload) + ", not a " + quoted(value->type.type));
  }
  return call;
}

Expr* Checker::work_item(const Builtin& row, Expr* call, Location at) {
  if (!function_) fail(at, "'" + std::string(row.name) + "' can only be called in a function");
  WorkItemUse& use = function_->uses;
  if (row.rule == Rule::work_dim) {
    call->type = {types().uint};
    use.launch = true;
    return call;
  }
  call->type = {types().ulong};
  call->overload = types().ulong;
  call->arguments[0] = convert(call->arguments[0], types().uint, "the dimension");
  const auto dimension = constant_value(call->arguments[0]);
  if (dimension)  // a constant argument: the lowered text then uses only the dimensions that are marked here
    call->arguments[0] =
        integer(call->arguments[0]->at, static_cast<std::uint64_t>(*dimension), types().uint);
  const auto mark = [&](std::array<bool, 3>& flags) {
    for (std::size_t d = 0; d < 3; ++d) flags[d] |= !dimension || *dimension == static_cast<std::int64_t>(d);
  };
  if (row.name == "get_global_id") {
    mark(use.global_id);
  } else if (row.name == "get_local_id") {
    mark(use.local_id);
  } else if (row.name == "get_group_id") {
    mark(use.group_id);
  } else {
    use.launch = true;
    if (row.name == "get_local_size") mark(use.group_id);  // the last group of a row may be smaller
  }
  return call;
}

// Converts each value to the type of its conversion in the format, so that no format reads past the
// arguments.
void Checker::check_printf(Expr* call, Location at) {
  std::vector<Expr*>& args = call->arguments;
  if (args[0]->kind != ExprKind::string) fail(at, "the format of printf must be a string literal");
  const auto format = read_format(args[0]->text);
  if (!format.error.empty()) fail(args[0]->at, format.error);
  std::size_t next = 1;
  const auto argument = [&](const std::string& spelled) -> Expr*& {
    if (next >= args.size()) fail(args[0]->at, "printf has no value for '" + spelled + "'");
    return args[next++];
  };
  for (const FormatPiece& piece : format.pieces) {
    if (piece.kind == FormatPiece::Kind::text) continue;
    for (int star = 0; star < piece.stars; ++star) {
      Expr*& width = argument(piece.spelled);
      width = convert(width, types().int_, "the width of '" + piece.spelled + "'");
    }
    Expr*& a = argument(piece.spelled);
    const Type* t = a->type.type;
    const auto mismatch = [&] { fail(a->at, "'" + piece.spelled + "' of printf cannot print " + quoted(t)); };
    if (piece.kind == FormatPiece::Kind::string) {
      // OpenCL C allows only a literal. Devices also accept pointers to constant text.
      if (a->kind != ExprKind::string && !(t->is_pointer() && t->element->kind == TypeKind::char_))
        mismatch();
    } else if (piece.kind == FormatPiece::Kind::pointer) {
      if (!t->is_pointer()) mismatch();
    } else {
      if (!t->scalar()->is_scalar() || (t->is_vector() ? t->count : 1) != piece.lanes) mismatch();
      if (t->scalar()->is_real() != (piece.kind == FormatPiece::Kind::real))
        warn(a->at, "'" + piece.spelled + "' of printf prints " + quoted(t) + " after a conversion");
      const Type* scalar = piece.kind == FormatPiece::Kind::real ? types().double_ : types().int_;
      if (piece.kind == FormatPiece::Kind::signed_integer)
        scalar = std::array{types().int_, types().char_, types().short_, types().int_,
                            types().long_}[static_cast<std::size_t>(piece.length)];
      if (piece.kind == FormatPiece::Kind::unsigned_integer)
        scalar = std::array{types().uint, types().uchar, types().ushort, types().uint,
                            types().ulong}[static_cast<std::size_t>(piece.length)];
      // If the format gives no length, a vector's element type does.
      const bool adapts = t->is_vector() && piece.length == FormatPiece::Length::none &&
                          piece.kind != FormatPiece::Kind::real && t->element->is_integer();
      if (adapts)
        scalar = piece.kind == FormatPiece::Kind::signed_integer ? types().signed_of(t->element.type)
                                                                 : types().unsigned_of(t->element.type);
      const Type* wanted = types().with_scalar(t, scalar);
      if (t != wanted) a = convert_node(a, wanted);
    }
  }
  if (next < args.size()) {
    warn(args[next]->at, "the format of printf has conversions for " + std::to_string(next - 1) + " of its " +
                             std::to_string(args.size() - 1) + " values");
    args.resize(next);
  }
}

}  // namespace quern::frontend
