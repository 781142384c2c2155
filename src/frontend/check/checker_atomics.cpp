// SPDX-License-Identifier: MIT
// Calls of OpenCL 2's atomic functions and of functions that query address spaces.
#include <algorithm>

#include "frontend/check/checker.hpp"

namespace quern::frontend {

// A memory order or scope that is not constant counts as the strongest one.
Expr* Checker::atomic_call(Expr* call, Location at) {
  const std::string name(call->text);
  const std::string_view operation = atomic_operation(name);
  std::vector<Expr*>& args = call->arguments;
  const std::size_t values = call->builtin->arity;
  const Type* pointer = args[0]->type.type;
  const Type* t = pointer->is_pointer() ? pointer->element.type : types().void_;
  const bool is_flag = operation.starts_with("flag");
  const bool bitwise = operation == "fetch_and" || operation == "fetch_or" || operation == "fetch_xor";
  const bool fits = (t->is_integer() || (t->is_real() && !bitwise)) && size_of(t) >= 4;
  if (!fits || (is_flag && t != types().int_))
    fail(args[0]->at, "'" + name + "' takes a pointer to an atomic type, not " + quoted(pointer));
  if (operation != "load" && (pointer->element.is_const || pointer->element.space == Space::constant))
    fail(args[0]->at, "'" + name + "' cannot change a const object");
  const bool compares = operation.starts_with("compare_exchange");
  if (compares) {
    const Type* expected = args[1]->type.type;
    if (!expected->is_pointer() || expected->element.type != t || expected->element.is_const)
      fail(args[1]->at,
           "argument 2 of '" + name + "' must be a pointer to " + quoted(t) + ", not " + quoted(expected));
  }
  for (std::size_t i = compares ? 2 : 1; i < values; ++i)
    args[i] = convert(args[i], t, "argument " + std::to_string(i + 1) + " of '" + name + "'");
  AtomicCall how;
  std::vector<std::uint32_t*> settings = {&how.order, &how.scope};
  if (compares) settings.insert(settings.begin() + 1, &how.failure);
  for (std::size_t i = values; i < args.size(); ++i) {
    if (!args[i]->type->is_integer())
      fail(args[i]->at, "argument " + std::to_string(i + 1) + " of '" + name +
                            "' must be a memory order or scope, not " + quoted(args[i]->type));
    const auto number = constant_value(args[i]);
    std::uint32_t& setting = *settings[i - values];
    if (number && *number >= 0 && *number <= 5) setting = static_cast<std::uint32_t>(*number);
  }
  args.resize(values);
  call->overload = t;
  call->op = how.packed();
  const bool gives_nothing = operation == "init" || operation == "store" || operation == "flag_clear";
  call->type = {gives_nothing ? types().void_ : compares || is_flag ? types().bool_ : t};
  if (!function_) fail(at, "'" + name + "' can only be called in a function");
  return call;
}

// If the pointer's type has an address space, the result is known at compile time.
Expr* Checker::space_call(Expr* call, Location at) {
  Expr* from = call->arguments[0];
  const Type* t = from->type.type;
  if (!t->is_pointer()) fail(from->at, "'" + std::string(call->text) + "' takes a pointer, not " + quoted(t));
  const std::string_view name = call->builtin->name;
  if (name == "get_fence") {
    call->type = {types().uint};
    return call;
  }
  QualType pointee = t->element;
  const Space known = pointee.space;
  const Space wanted = name == "to_global"  ? Space::global
                       : name == "to_local" ? Space::local
                                            : Space::unspecified;
  pointee.space = wanted;
  const Type* result = types().pointer(pointee);
  call->type = {result};
  if (known == wanted && known != Space::unspecified) return from;
  if (known != Space::unspecified) {
    Expr* null = make(ExprKind::convert, at, {result});
    null->operands[0] = integer(at, 0, types().int_);
    return null;
  }
  if (!function_) fail(at, "'" + std::string(name) + "' can only be called in a function");
  function_->uses.launch = true;  // at run time the host backend is asked
  return call;
}

}  // namespace quern::frontend
