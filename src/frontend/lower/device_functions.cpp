// SPDX-License-Identifier: MIT
// The parts of device functions that all targets share.
#include "frontend/lower/device_functions.hpp"

namespace quern::frontend::lower {

std::string_view last_word(std::string_view name) {
  return name.substr(name.rfind('_') + 1);
}

Reduction::Reduction(const Expr* e) {
  const std::string_view name = e->builtin->name;
  operation = last_word(name);
  is_of_work_group = name.starts_with("work_group_");
  is_inclusive = name.find("_inclusive_") != name.npos;
  is_exclusive = name.find("_exclusive_") != name.npos;
}

std::string_view Reduction::combination() const {
  return operation == "add"   ? "r + y"
         : operation == "min" ? "(y < r ? y : r)"
         : operation == "max" ? "(r < y ? y : r)"
         : operation == "all" ? "(r && y)"
                              : "(r || y)";
}

std::string filled_in(std::string_view text,
                      std::initializer_list<std::pair<char, std::string_view>> values) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    ++i;
    for (const auto& [key, value] : values)
      if (key == text[i]) out += value;
  }
  return out;
}

std::string fetch_result(std::string_view operation, const std::string& old, const std::string& operand) {
  if (operation == "fetch_min") return operand + " < " + old + " ? " + operand + " : " + old;
  if (operation == "fetch_max") return old + " < " + operand + " ? " + operand + " : " + old;
  const std::string sign = operation == "fetch_add"   ? " + "
                           : operation == "fetch_sub" ? " - "
                           : operation == "fetch_or"  ? " | "
                           : operation == "fetch_xor" ? " ^ "
                                                      : " & ";
  return old + sign + operand;
}

std::string DeviceFunctions::atomic(const Expr* e, const std::vector<std::string>& arguments) {
  const Type* type = e->overload;
  const AtomicCall how = AtomicCall::unpacked(e->op);
  const std::string_view operation = atomic_operation(e->text);
  std::string name = "quern_atomic_" + std::string(operation) + "_" + name_of(type) + "_" +
                     std::to_string(how.order) + std::to_string(how.scope);
  const bool compares = operation.starts_with("compare_exchange");
  if (compares) name += "_" + std::to_string(how.failure);
  if (!out_.is_defined(name)) {
    const std::string t = types_.text(type);
    std::string head = types_.text(e->type.type) + " " + name + "(volatile " + t + " *x";
    if (compares)
      head += ", " + t + " *y, " + t + " z";
    else if (arguments.size() > 1)
      head += ", " + t + " y";
    const std::string body = atomic_body(operation, type, how);
    out_.helper(name, head + ") { " + body + " }");
  }
  return call_text(name, arguments);
}

std::string DeviceFunctions::identity_of(std::string_view operation, const Type* type) {
  if (operation == "add" || operation == "any") return "0";
  if (operation == "all") return "1";
  const bool lowest = operation == "max";
  if (type->is_real()) return (lowest ? "-" : "") + types_.real_literal(__builtin_inf(), type);
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  if (!type->is_signed()) return types_.integer_literal(lowest ? 0 : ~std::uint64_t{0}, type);
  const std::uint64_t least = ~std::uint64_t{0} << (bits - 1);
  return types_.integer_literal(lowest ? least : ~least, type);
}

std::string DeviceFunctions::local_linear_id() {
  const auto id = [&](std::size_t d) { return work_item_value("get_local_id", d); };
  return linear_id({id(0), id(1), id(2)});
}

std::string DeviceFunctions::linear_id(const std::vector<std::string>& ids) {
  std::string text = ids.back();
  for (std::size_t d = ids.size() - 1; d > 0; --d)
    text = "(" + ids[d - 1] + " + " + work_item_value("get_local_size", d - 1) + " * " + text + ")";
  return text;
}

std::string DeviceFunctions::group_items() {
  const auto size = [&](std::size_t d) { return work_item_value("get_local_size", d); };
  return "(" + size(0) + " * " + size(1) + " * " + size(2) + ")";
}

// Each work-item copies its share.
std::string DeviceFunctions::group_copy(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string t = types_.text(e->overload), function = "quern_copy_" + name_of(e->overload);
  out_.helper(
      function,
      "unsigned long long " + function + "(" + t + " *to, const " + t +
          " *from, unsigned long long n, unsigned long long to_step, unsigned long long from_step, "
          "unsigned long long item, unsigned long long items, unsigned long long event) { for (; item < "
          "n; item += items) to[item * to_step] = from[item * from_step]; return event; }");
  const bool strided = arguments.size() == 5;
  const bool in = e->arguments[0]->type->element.space == Space::local;
  return function + "(" + arguments[0] + ", " + arguments[1] + ", " + arguments[2] + ", " +
         (strided && !in ? arguments[3] : "1") + ", " + (strided && in ? arguments[3] : "1") + ", " +
         local_linear_id() + ", " + group_items() + ", " + arguments.back() + ")";
}

std::string DeviceFunctions::group_function(const Expr* e, const std::vector<std::string>& arguments) {
  const std::string_view name = e->builtin->name;
  if (name == "get_local_linear_id") return local_linear_id();
  if (name == "get_global_linear_id") {
    const auto id = [&](std::size_t d) {
      return "(" + work_item_value("get_global_id", d) + " - " + work_item_value("get_global_offset", d) +
             ")";
    };
    return "(" + id(0) + " + " + work_item_value("get_global_size", 0) + " * (" + id(1) + " + " +
           work_item_value("get_global_size", 1) + " * " + id(2) + "))";
  }
  if (name.starts_with("get_")) return sub_group_value(name);
  if (name.starts_with("async_")) return group_copy(e, arguments);
  if (name == "prefetch") return prefetch(arguments);
  if (name == "sub_group_barrier") return sub_group_barrier();
  if (name == "quern_philox_words") return philox_words(arguments);
  if (name.starts_with("quern_load_") || name.starts_with("quern_store_"))
    return ordered_access(e, arguments);
  if (name.find("_reduce_") != name.npos || name.find("_scan_") != name.npos ||
      ((name.ends_with("_all") || name.ends_with("_any")) && name != "quern_match_any"))
    return reduction(e, arguments[0]);
  if (name == "work_group_broadcast") return broadcast(e, arguments);
  return lane_exchange(e, arguments);
}

}  // namespace quern::frontend::lower
