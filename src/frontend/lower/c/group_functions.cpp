// SPDX-License-Identifier: MIT
// Group and sub-group functions in C.
#include "frontend/lower/analysis/tree.hpp"
#include "frontend/lower/c/device_functions.hpp"

namespace quern::frontend::lower {
namespace {

// In the templates $T is the type, $F the function's name, $O the combination of r and y.

// Each work-item stores its value; the first one computes all results, in the order of the work-items.
// Results have separate memory, so that a work-item may start the next call while others still read the
// results of this one.
constexpr std::string_view kWorkGroupC =
    "static $T $F(const quern_launch *c, const char *where, unsigned long long item, unsigned long long "
    "items, "
    "$T x) { $T *const in = c->exchange, *const out = ($T *)((char *)c->exchange + 8 * items); in[item] = x; "
    "c->runtime->barrier(c, "
    "where); "
    "if (item == 0) { $T r = in[0]; for (unsigned long long i = 1; i < items; ++i) { $E; const $T y = in[i]; "
    "r "
    "= $O; $I; } $R; } c->runtime->barrier(c, where); return out[$X]; }";

// The same in a split kernel, whose work-items have stored their values before. Results overwrite the values.
constexpr std::string_view kWorkGroupSplit =
    "static $V $F(void *exchange, int items) { $T *const in = exchange; $T r = in[0]; $Z; for (int i = 1; i "
    "< "
    "items; ++i) { const $T y = in[i]; $E; r = $O; $I; } $R; }";

constexpr std::string_view kBroadcastC =
    "static $T $F(const quern_launch *c, const char *where, unsigned long long item, unsigned long long "
    "from, $T "
    "x) { $T *const in = c->exchange; in[item] = x; c->runtime->barrier(c, where); x = in[from]; "
    "c->runtime->barrier(c, where); return x; }";

}  // namespace

std::string CDeviceFunctions::reduction(const Expr* e, const std::string& x) {
  const Reduction how(e);
  if (how.is_of_work_group && scope_.group_plan) return split_reduction(e);
  const std::string t = types_.text(e->overload), zero = identity_of(how.operation, e->overload);
  if (!how.is_of_work_group)
    return how.is_exclusive ? "((void)(" + x + "), (" + t + ")" + zero + ")" : "(" + x + ")";
  const std::string function = "quern_" + std::string(e->builtin->name) + "_" + name_of(e->overload);
  const bool is_scan = how.is_exclusive || how.is_inclusive;
  const std::string first = how.is_exclusive   ? "out[0] = " + zero + "; "
                            : how.is_inclusive ? "out[0] = in[0]; "
                                               : "";
  out_.define_text(function, filled_in(kWorkGroupC, {{'T', t},
                                                     {'F', function},
                                                     {'O', how.combination()},
                                                     {'E', how.is_exclusive ? "out[i] = r" : ""},
                                                     {'I', how.is_inclusive ? "out[i] = r" : ""},
                                                     {'R', first + (is_scan ? "" : "out[0] = r")},
                                                     {'X', is_scan ? "item" : "0"}}));
  return function + "(quern_c, " + convergence_point(e->at) + ", " + local_linear_id() + ", " +
         group_items() + ", " + x + ")";
}

std::string CDeviceFunctions::split_reduction(const Expr* e) {
  const Reduction how(e);
  const std::string t = types_.text(e->overload), zero = identity_of(how.operation, e->overload);
  const std::string function =
      "quern_" + std::string(e->builtin->name) + "_" + name_of(e->overload) + "_split";
  const bool has_result = !how.is_inclusive && !how.is_exclusive;
  out_.define_text(function, filled_in(kWorkGroupSplit, {{'V', has_result ? t : "void"},
                                                         {'T', t},
                                                         {'F', function},
                                                         {'O', how.combination()},
                                                         {'Z', how.is_exclusive ? "in[0] = " + zero : ""},
                                                         {'E', how.is_exclusive ? "in[i] = r" : ""},
                                                         {'I', how.is_inclusive ? "in[i] = r" : ""},
                                                         {'R', has_result ? "return r" : ""}}));
  return function + "(" + exchange_memory(e) + ", quern_n0 * quern_n1 * quern_n2)";
}

// Returns the half of the exchange memory that a step of a split kernel uses.
std::string CDeviceFunctions::exchange_memory(const Expr* e) {
  if (e->integer == 0) return "quern_exchange";
  return "(void *)((char *)quern_exchange + 8ull * (unsigned long long)(quern_n0 * quern_n1 * quern_n2))";
}

std::string CDeviceFunctions::combine_values(const Expr* e) {
  const bool has_result = e->kind == ExprKind::assign;
  const Expr* call = has_result ? e->operands[1] : e;
  if (!is_group_value(call) || call->builtin->name == "work_group_broadcast") return {};
  const std::string result = has_result ? scope_.name_of(e->operands[0]->variable) + " = " : "";
  return result + reduction(call, "") + ";";
}

std::string CDeviceFunctions::broadcast(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string t = types_.text(e->overload);
  const std::string function = "quern_" + std::string(e->builtin->name) + "_" + name_of(e->overload);
  const std::string from = linear_id({arguments.begin() + 1, arguments.end()});
  out_.define_text(function, filled_in(kBroadcastC, {{'T', t}, {'F', function}}));
  return function + "(quern_c, " + convergence_point(e->at) + ", " + local_linear_id() + ", " + from + ", " +
         arguments[0] + ")";
}

std::string CDeviceFunctions::sub_group_value(std::string_view name) {
  if (name == "get_sub_group_id") return "(unsigned)" + local_linear_id();
  if (name == "get_num_sub_groups") return "(unsigned)" + group_items();
  if (name == "get_enqueued_num_sub_groups")
    return "(unsigned)(quern_c->local_size[0] * quern_c->local_size[1] * quern_c->local_size[2])";
  return name == "get_sub_group_local_id" ? "0u" : "1u";
}

std::string CDeviceFunctions::prefetch(const std::vector<std::string>& arguments) {
  return "((void)(" + arguments[1] + "), __builtin_prefetch(" + arguments[0] + "))";
}

// A sub-group has one lane. The steps of a split kernel's group functions exchange values through memory.
std::string CDeviceFunctions::lane_exchange(const Expr* e, const std::vector<std::string>& arguments) {
  if (e->builtin == &kExchangePut || e->builtin == &kExchangeTake) {
    const std::string of =
        e->builtin == &kExchangeTake && !arguments.empty() ? linear_id(arguments) : "quern_row + quern_n";
    const std::string element =
        "((" + types_.text(e->overload) + " *)" + exchange_memory(e) + ")[" + of + "]";
    return e->builtin == &kExchangePut ? element + " = " + arguments[0] : element;
  }
  const std::string_view name = e->builtin->name;
  const std::string& x = arguments[0];
  if (name == "quern_ballot") return "((" + x + ") ? 1ull : 0ull)";
  if (name == "quern_match_any") return "((void)(" + x + "), 1ull)";
  if (name == "sub_group_ballot") return types_.aggregate(e->type.type, "(" + x + ") ? 1u : 0u, 0u, 0u, 0u");
  return "((void)(" + arguments[1] + "), " + x + ")";
}

}  // namespace quern::frontend::lower
