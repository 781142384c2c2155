// SPDX-License-Identifier: MIT
// Calls of work-group and sub-group functions, asynchronous copies and Quern's intrinsics.
#include "frontend/check/checker.hpp"

namespace quern::frontend {

// Records that the function needs the local id and the size of the group.
void Checker::use_place_in_group() {
  WorkItemUse& use = function_->uses;
  use.local_id = use.group_id = {true, true, true};
  use.launch = true;
}

const Type* Checker::exchanged_type(Expr* value, std::string_view name) {
  const Type* t = value->type.type;
  if (t->is_integer()) return promoted(types(), t);
  if (t->kind == TypeKind::float_ || t->kind == TypeKind::double_) return t;
  fail(value->at, "'" + std::string(name) + "' takes a number of 32 or 64 bits, not " + quoted(t));
}

Expr* Checker::group_function(const Builtin& row, Expr* call, Location at) {
  const std::string_view name = row.name;
  std::vector<Expr*>& args = call->arguments;
  if (!function_) fail(at, "'" + std::string(name) + "' can only be called in a function");
  const auto to = [&](std::size_t i, const Type* type) {
    args[i] = convert(args[i], type, "argument " + std::to_string(i + 1) + " of '" + std::string(name) + "'");
  };
  const auto set = [&](const Type* overload, const Type* result) {
    call->overload = overload;
    call->type = {result};
    return call;
  };
  const auto pointee = [&](std::size_t i) -> const QualType& {
    if (!args[i]->type->is_pointer())
      fail(args[i]->at, "argument " + std::to_string(i + 1) + " of '" + std::string(name) +
                            "' must be a pointer, not " + quoted(args[i]->type.type));
    return args[i]->type->element;
  };
  const bool of_work_group = name.starts_with("work_group_"), of_sub_group = name.starts_with("sub_group_");
  function_->uses.launch = true;

  if (name.starts_with("get_")) {
    if (name == "get_global_linear_id")
      function_->uses.global_id = {true, true, true};
    else if (name != "get_sub_group_size" && name != "get_max_sub_group_size" &&
             name != "get_sub_group_local_id")
      use_place_in_group();
    return set(types().ulong, name.find("sub_group") == name.npos ? types().ulong : types().uint);
  }
  if (name.starts_with("async_")) {
    use_place_in_group();
    const QualType target = pointee(0), source = pointee(1);
    const bool in = target.space == Space::local && source.space == Space::global;
    const bool out = target.space == Space::global && source.space == Space::local;
    const Type* t = target.type;
    if (t != source.type || !(t->is_scalar() || t->is_vector() || t->is_complex()))
      fail(at, "'" + std::string(name) + "' copies numbers or vectors of one type, not " +
                   quoted(source.type) + " to " + quoted(t));
    if (!in && !out) fail(at, "'" + std::string(name) + "' copies between global and local memory");
    if (target.is_const) fail(args[0]->at, "'" + std::string(name) + "' cannot change a const object");
    for (std::size_t i = 2; i < args.size(); ++i) to(i, types().ulong);
    return set(t, types().ulong);
  }
  if (name == "prefetch") {
    to(1, types().ulong);
    return set(pointee(0).type, types().void_);
  }
  if (name == "sub_group_barrier") {
    for (std::size_t i = 0; i < args.size(); ++i) to(i, types().uint);
    return set(types().uint, types().void_);
  }
  if (name == "quern_philox_words") {  // (counter, key, pointer to 64 words that it writes)
    to(0, types().vector(types().uint, 4));
    to(1, types().vector(types().uint, 2));
    if (pointee(2).type != types().uint || pointee(2).is_const)
      fail(args[2]->at, "argument 3 of '" + std::string(name) + "' must be a pointer to uint");
    return set(types().uint, types().void_);
  }
  if (name.starts_with("quern_load_") || name.starts_with("quern_store_")) {
    const QualType object = pointee(0);
    const bool stores = name.starts_with("quern_store_"), streams = name.ends_with("streaming");
    const Type* t = object.type;
    const std::uint64_t size = size_of(t);
    if (!(t->is_scalar() || (streams && t->is_vector())) || (!streams && size != 4 && size != 8))
      fail(args[0]->at, "'" + std::string(name) + "' takes a pointer to a number" +
                            (streams ? " or vector" : " of 32 or 64 bits") + ", not " + quoted(t));
    if (stores && (object.is_const || object.space == Space::constant))
      fail(args[0]->at, "'" + std::string(name) + "' cannot change a const object");
    if (stores) to(1, t);
    if (!streams) {
      const auto scope = constant_value(args.back());
      if (!scope || *scope < 0 || *scope > 2)
        fail(args.back()->at,
             "'" + std::string(name) + "' needs QUERN_SCOPE_GROUP, QUERN_SCOPE_DEVICE or QUERN_SCOPE_SYSTEM");
    }
    return set(t, stores ? types().void_ : t);
  }

  if (of_work_group) {
    use_place_in_group();
    function_->has_barrier = function_->has_group_functions = true;
  }
  if (name.ends_with("_all") || name.ends_with("_any") || name.ends_with("ballot")) {
    if (name == "quern_match_any") {
      // A byte is not widened: eight ballots compare bytes faster than the instruction for words does.
      const Type* const own = args[0]->type.type;
      const Type* t = own->is_integer() && size_of(own) == 1 ? types().uchar : exchanged_type(args[0], name);
      to(0, t);
      return set(t, types().ulong);
    }
    to(0, types().int_);
    if (name == "quern_ballot") return set(types().int_, types().ulong);
    return set(types().int_,
               of_sub_group && name.ends_with("ballot") ? types().vector(types().uint, 4) : types().int_);
  }
  const Type* t = exchanged_type(args[0], name);
  to(0, t);
  for (std::size_t i = 1; i < args.size(); ++i) to(i, of_work_group ? types().ulong : types().uint);
  return set(t, t);
}

}  // namespace quern::frontend
