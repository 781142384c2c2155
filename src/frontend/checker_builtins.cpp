// SPDX-License-Identifier: MIT
// Calls of built-in functions: which overload is meant, and the conversions that follow from it.
#include <algorithm>

#include "frontend/checker.hpp"

namespace quern::frontend {
namespace {

std::string quoted(const Type* type) {
  return "'" + name_of(type) + "'";
}

}  // namespace

// The floating type that a call of gentype parameters means. Vectors decide; then typed doubles; then typed
// floats, to which unsuffixed literals adapt, so that fmax(x, 0.0) of a float x stays in float. Integers
// become float.
const Type* Checker::resolve_real(std::span<Expr*> arguments, std::string_view name, Location at) {
  const Type* vector = nullptr;
  bool any_double = false, any_float = false, double_literal = false, any_integer = false;
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
    } else if (t->is_integer()) {
      any_integer = true;
    } else {
      fail(a->at, "'" + std::string(name) + "' takes floating-point numbers, not " + quoted(t));
    }
  }
  if (vector) return vector;
  if (any_double) return types().double_;
  if (any_float) return types().float_;
  if (double_literal) return types().double_;
  if (any_integer &&
      !std::all_of(arguments.begin(), arguments.end(), [](const Expr* a) { return a->is_literal; }))
    warn(at, "'" + std::string(name) +
                 "' of an integer is computed in float; cast the argument to say which is meant");
  return types().float_;
}

const Type* Checker::resolve_integer(std::span<Expr*> arguments, std::string_view name, Location at) {
  const Type* vector = nullptr;
  const Type* typed = nullptr;
  const Type* literal = nullptr;
  for (const Expr* a : arguments) {
    const Type* t = a->type.type;
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
  return result->kind == TypeKind::bool_ ? types().int_ : result;
}

Expr* Checker::builtin(std::string_view name, std::vector<Expr*> arguments, Location at) {
  for (Expr*& a : arguments) a = value(a);
  if (Expr* conversion = conversion_function(name, arguments, at)) return conversion;
  const Builtin* row = find_builtin(name);
  return row ? builtin_call(*row, name, std::move(arguments), at) : nullptr;
}

Expr* Checker::builtin_call(const Builtin& row, std::string_view name, std::vector<Expr*> arguments,
                            Location at) {
  if (row.rule == Rule::unsupported) unsupported(at, std::string(name) + "()");
  const bool is_barrier = row.name == "work_group_barrier" || row.name == "sub_group_barrier";
  const bool has_scope =  // or further dimensions
      (is_barrier && arguments.size() == 2) ||
      (row.name == "work_group_broadcast" && arguments.size() >= 2 && arguments.size() <= 4);
  const bool arity_fits =
      row.rule == Rule::print ? !arguments.empty() : arguments.size() == row.arity || has_scope;
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
      const Type* t = resolve_integer(all, name, at);
      convert_all(t, 0, args.size());
      set(t, row.rule == Rule::integer ? t : types().unsigned_of(t));
      break;
    }
    case Rule::number: {
      const bool any_real =
          std::any_of(args.begin(), args.end(), [](const Expr* a) { return a->type->scalar()->is_real(); });
      const Type* t = any_real ? resolve_real(all, name, at) : resolve_integer(all, name, at);
      convert_all(t, 0, args.size());
      set(t, t);
      break;
    }
    case Rule::select:
    case Rule::bits: {
      const bool any_real = std::any_of(args.begin(), args.begin() + 2,
                                        [](const Expr* a) { return a->type->scalar()->is_real(); });
      const std::size_t typed = row.rule == Rule::select ? 2 : 3;
      const Type* t =
          any_real ? resolve_real(all.first(typed), name, at) : resolve_integer(all.first(typed), name, at);
      convert_all(t, 0, typed);
      if (row.rule == Rule::select) {
        const Type* c = args[2]->type.type;
        if (!c->scalar()->is_integer() || c->is_vector() != t->is_vector() ||
            (c->is_vector() && c->count != t->count) ||
            (c->is_vector() && size_of(c->element.type) != size_of(t->element.type)))
          fail(args[2]->at, "'select' of " + quoted(t) + " cannot choose by " + quoted(c));
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
      if (!t->is_integer()) fail(args[0]->at, "'nan' takes an unsigned integer, not " + quoted(t));
      const Type* result = size_of(t) == 8 ? types().double_ : types().float_;
      set(result, result);
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
    case Rule::vload:
    case Rule::vstore:
      return vector_memory(row, call, at);
    case Rule::work_item:
    case Rule::work_dim:
      return work_item(row, call, at);
    case Rule::fence:
      convert_all(types().uint, 0, 1);
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
  if (!t->is_pointer() || !t->element->is_scalar() || t->element->kind == TypeKind::half)
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
  if (call->arguments[0]->type.type != vector)
    fail(call->arguments[0]->at, "'" + std::string(row.name) + "' stores a " + quoted(vector) + ", not a " +
                                     quoted(call->arguments[0]->type.type));
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

// convert_T and as_T, whose names carry the type.
Expr* Checker::conversion_function(std::string_view name, std::vector<Expr*>& arguments, Location at) {
  const bool reinterprets = name.starts_with("as_");
  if (!reinterprets && !name.starts_with("convert_")) return nullptr;
  std::string_view rest = name.substr(reinterprets ? 3 : 8);
  const std::size_t mark = rest.find('_');
  const std::string_view mode = mark == rest.npos ? std::string_view() : rest.substr(mark);
  const Type* to = types().named(rest.substr(0, mark));
  if (!to || to->kind == TypeKind::void_ || (reinterprets && !mode.empty())) return nullptr;
  if (arguments.size() != 1)
    fail(at,
         "'" + std::string(name) + "' takes 1 argument but was given " + std::to_string(arguments.size()));
  Expr* from = arguments[0];
  const Type* source = from->type.type;
  if (!source->scalar()->is_scalar())
    fail(from->at, "'" + std::string(name) + "' cannot convert " + quoted(source));
  if (reinterprets) {
    if (size_of(source) != size_of(to))
      fail(at, quoted(source) + " and " + quoted(to) + " have different sizes, so '" + std::string(name) +
                   "' is an error");
    if (source == to) return from;
    Expr* e = make(ExprKind::reinterpret, at, {to});
    e->operands[0] = from;
    return e;
  }
  const auto lanes = [](const Type* t) { return t->is_vector() ? t->count : 1; };
  if (lanes(source) != lanes(to)) fail(at, quoted(source) + " cannot be converted to " + quoted(to));
  if (to->scalar()->kind == TypeKind::half) unsupported(at, "'" + std::string(name) + "'");
  const bool to_integer = to->scalar()->is_integer(), from_real = source->scalar()->is_real();
  const bool saturates = mode.starts_with("_sat");
  const std::string_view rounding = saturates ? mode.substr(4) : mode;
  if (rounding != "" && rounding != "_rte" && rounding != "_rtz" && rounding != "_rtp" && rounding != "_rtn")
    return nullptr;
  if (saturates) unsupported(at, "'" + std::string(name) + "'");
  if (!rounding.empty() && from_real && to_integer && rounding != "_rtz") {
    const char* function = rounding == "_rte" ? "rint" : rounding == "_rtp" ? "ceil" : "floor";
    from = builtin(function, {from}, at);
  } else if (!rounding.empty() && !to_integer && rounding != "_rte" && source->scalar() != to->scalar()) {
    unsupported(at, "'" + std::string(name) + "'");
  }
  if (source == to) {
    Expr* e = make(ExprKind::convert, at, {to});
    e->operands[0] = from;
    return e;
  }
  Expr* e = convert_node(from, to);
  e->is_literal = false;
  return e;
}

// What C's variable arguments do to each value; vectors need the %v formats, which are not there yet.
void Checker::check_printf(Expr* call, Location at) {
  if (call->arguments[0]->kind != ExprKind::string) fail(at, "the format of printf must be a string literal");
  for (std::size_t i = 1; i < call->arguments.size(); ++i) {
    Expr*& a = call->arguments[i];
    const Type* t = a->type.type;
    if (t->is_vector()) unsupported(a->at, "printf of a vector");
    if (t->kind == TypeKind::float_) a = convert(a, types().double_, "printf");
    if (t->is_integer()) a = convert(a, promoted(types(), t), "printf");
  }
}

}  // namespace quern::frontend
