// SPDX-License-Identifier: MIT
// Atomics and ordered accesses in C, by the compiler's built-in functions.
#include "frontend/lower/c/device_functions.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint32_t kRelaxedOrder = 0, kAcquireOrder = 2, kReleaseOrder = 3, kSequentialOrder = 5;

// The order of a pure load or store. If C does not allow the program's order for it, the strongest order is
// used.
std::uint32_t order_of_load(std::uint32_t order) {
  return order == kRelaxedOrder || order == kAcquireOrder ? order : kSequentialOrder;
}
std::uint32_t order_of_store(std::uint32_t order) {
  return order == kRelaxedOrder || order == kReleaseOrder ? order : kSequentialOrder;
}

}  // namespace

std::string CDeviceFunctions::atomic_body(std::string_view operation, const Type* type,
                                          const AtomicCall& how) {
  const std::string t = types_.text(type), order = std::to_string(how.order);
  if (operation == "load" || operation == "store" || operation == "flag_clear") {
    const bool loads = operation == "load";
    const std::string o = std::to_string(loads ? order_of_load(how.order) : order_of_store(how.order));
    if (loads) return t + " r; __atomic_load(x, &r, " + o + "); return r;";
    return (operation == "store" ? "" : t + " y = 0; ") + "__atomic_store(x, &y, " + o + ");";
  }
  if (operation == "init") return "*x = y;";
  if (operation == "exchange") return t + " r; __atomic_exchange(x, &y, &r, " + order + "); return r;";
  if (operation == "flag_test_and_set") return "return __atomic_exchange_n(x, 1, " + order + ") != 0;";
  if (operation.starts_with("compare_exchange"))
    return "return __atomic_compare_exchange(x, y, &z, " +
           std::string(operation.ends_with("weak") ? "1" : "0") + ", " + order + ", " +
           std::to_string(order_of_load(how.failure)) + ");";
  const bool is_extremum = operation == "fetch_min" || operation == "fetch_max";
  if (type->is_integer() && !is_extremum)
    return "return __atomic_" + std::string(operation) + "(x, y, " + order + ");";
  return t + " o, n; __atomic_load(x, &o, 0); do n = " + fetch_result(operation, "o", "y") +
         "; while (!__atomic_compare_exchange(x, &o, &n, 1, " + order + ", 0)); return o;";
}

std::string CDeviceFunctions::ordered_access(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  const bool stores = name.starts_with("quern_store_");
  if (name.ends_with("streaming"))
    return stores ? "((void)(*" + arguments[0] + " = " + arguments[1] + "))" : "(*" + arguments[0] + ")";
  const std::string t = types_.text(e->overload);
  const std::string function = std::string(name) + "_" + name_of(e->overload);
  if (stores)
    out_.helper(function, "void " + function + "(" + t + " *p, " + t +
                              " x) { __atomic_store(p, &x, __ATOMIC_RELEASE); }");
  else
    out_.helper(function, t + " " + function + "(const " + t + " *p) { " + t +
                              " x; __atomic_load(p, &x, __ATOMIC_ACQUIRE); return x; }");
  return function + "(" + arguments[0] + (stores ? ", " + arguments[1] : "") + ")";
}

}  // namespace quern::frontend::lower
