// SPDX-License-Identifier: MIT
// Ready-made scans and reduce_by_key, on ScanKernel.
#include "quern/scan.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/convert.hpp"
#include "algorithms/heads.hpp"
#include "algorithms/launch/background_compiler.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/launch/program_table.hpp"
#include "algorithms/scan_operator.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/scan_form.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "quern/scan_kernel.hpp"
#include "quern/select.hpp"

namespace quern {
namespace {

using algorithms::check_apart;
using algorithms::check_vector;
using algorithms::converted;
using codegen::type_name;
using detail::is_complex;
using detail::is_number;

// `in_order` combines the elements one after the other, as NumPy does.
ScanKernel kernel_for(const codegen::ScanForm& form, bool is_general, bool in_order) {
  static auto* const table =
      new algorithms::ProgramTable<std::uint64_t, ScanKernel>;  // used until the process ends
  std::uint64_t key = is_general ? 2 : form.exclusive ? 1 : 0;
  const auto add = [&](std::uint64_t part) { key = key << 8 | part; };
  add(static_cast<std::uint64_t>(form.operation) | (in_order ? 128U : 0U));
  add(static_cast<std::uint64_t>(form.out.scalar));
  for (const std::optional<DType>& each : {std::optional(form.x), form.starts, form.keys})
    add(is_general || !each ? 0 : 1 + static_cast<std::uint64_t>(each->scalar));
  return *table->get(key, [&] {
    ScanTuning tuning;
    if (in_order) tuning.strategy = ScanStrategy::sequential;
    return std::make_shared<const ScanKernel>(
        form.item_dtype(), is_general ? form.general_snippets() : form.snippets(),
        GeneratorOptions{codegen::ScanForm::kName, {}, {}}, tuning, form.item());
  });
}

// Small scans on the host have NumPy's results to the last bit: one work-item does all of the work anyway.
bool is_in_order(const Queue& queue, const codegen::ScanForm& form, const Array& x) {
  return form.rounds() && x.size() < algorithms::kSmallWork &&
         algorithms::policy(queue).scans_small_arrays_in_order;
}

// The scan in the form that the library has for each dtype of the result. `marks` has a bool for each
// element, which is true if a segment starts there.
Event enqueue_general(const Queue& queue, const codegen::ScanForm& form, const Array& x, const Array& out,
                      const Array& marks) {
  const Array items = converted(queue, x, out.dtype());
  const std::array<KernelArgument, 4> list = {items, out, marks, KernelArgument(form.exclusive ? 1 : 0)};
  return kernel_for(form, true, is_in_order(queue, form, x))
      .launch(queue, list, static_cast<std::int64_t>(x.size()));
}

void check_operand(const std::string& what, const char* name, const Array& array, const Queue& queue) {
  check_vector(what, name, array, queue);
  if (!is_number(array.dtype())) algorithms::reject_dtype(what, name, array.dtype(), "numbers");
}

}  // namespace

Event scan(const Queue& queue, const Array& x, const Array& out, const ScanOptions& options,
           WaitList wait_for) {
  const std::string what = "scan";
  check_operand(what, "x", x, queue);
  check_operand(what, "out", out, queue);
  algorithms::check_size(what, "out", out, x.size());
  if (is_complex(x.dtype()) != is_complex(out.dtype()) ||
      (is_complex(x.dtype()) && !(x.dtype() == out.dtype())))
    algorithms::check_dtype(what, "out", out, x.dtype());
  if (x.dtype().itemsize == out.dtype().itemsize) {
    check_apart(what, "out", out, "x", x, true);
  } else {
    check_apart(what, "out", out, "x", x);
  }
  const Array *const starts = options.segments.starts, *const keys = options.segments.keys;
  if (starts != nullptr && keys != nullptr)
    throw ArgumentError(ArgumentError::Kind::value, what + ": takes starts or keys, not both");
  for (const auto& [name, segments] : {std::pair{"starts", starts}, {"keys", keys}}) {
    if (segments == nullptr) continue;
    check_operand(what, name, *segments, queue);
    algorithms::check_size(what, name, *segments, x.size());
    check_apart(what, "out", out, name, *segments);
  }
  if (starts != nullptr && is_complex(starts->dtype()))
    algorithms::reject_dtype(what, "starts", starts->dtype(), "bool or an integer");

  algorithms::check_operation(what, out.dtype(), options.operation);
  codegen::ScanForm form{x.dtype(), out.dtype(), options.operation, options.exclusive, {}, {}};
  if (starts != nullptr) form.starts = starts->dtype();
  if (keys != nullptr) form.keys = keys->dtype();
  if (x.size() != 0 && !form.is_in_library() && algorithms::avoids_compiling(queue, x.size())) {
    if (!wait_for.empty()) queue.barrier(wait_for);
    const Array marks = starts != nullptr ? converted(queue, *starts, DType::of(Scalar::boolean))
                        : keys != nullptr ? algorithms::heads_of(queue, *keys)
                                          : zeros(queue, x.shape(), DType::of(Scalar::boolean));
    return enqueue_general(queue, form, x, out, marks);
  }
  std::vector<KernelArgument> list = {x, out};
  if (starts != nullptr) list.emplace_back(*starts);
  if (keys != nullptr) list.emplace_back(*keys);
  return kernel_for(form, false, form.is_in_library() && is_in_order(queue, form, x))
      .launch(queue, list, static_cast<std::int64_t>(x.size()), wait_for);
}

Array scan(const Queue& queue, const Array& x, const ScanOptions& options) {
  check_operand("scan", "x", x, queue);
  Array out = empty(queue, x.shape(), scan_dtype(x.dtype(), options.operation));
  scan(queue, x, out, options);
  return out;
}

Event reduce_by_key(const Queue& queue, const Array& keys, const Array& values, const Array& keys_out,
                    const Array& values_out, const Array& count, ScanOperation operation, WaitList wait_for) {
  const std::string what = "reduce_by_key";
  check_operand(what, "keys", keys, queue);
  check_operand(what, "values", values, queue);
  algorithms::check_size(what, "values", values, keys.size());
  check_vector(what, "keys_out", keys_out, queue);
  algorithms::check_dtype(what, "keys_out", keys_out, keys.dtype());
  check_operand(what, "values_out", values_out, queue);
  if (is_complex(values.dtype()) != is_complex(values_out.dtype()))
    algorithms::check_dtype(what, "values_out", values_out, values.dtype());
  check_vector(what, "count", count, queue);
  if (count.size() < 1 || (count.dtype().scalar != Scalar::uint64 && count.dtype().scalar != Scalar::int64))
    algorithms::reject_dtype(what, "count", count.dtype(), "one uint64 or int64");
  const std::array<std::pair<const char*, const Array*>, 5> all = {{{"keys", &keys},
                                                                    {"values", &values},
                                                                    {"keys_out", &keys_out},
                                                                    {"values_out", &values_out},
                                                                    {"count", &count}}};
  for (std::size_t output = 2; output < all.size(); ++output)
    for (std::size_t other = 0; other < output; ++other)
      check_apart(what, all[output].first, *all[output].second, all[other].first, *all[other].second);
  if (keys.size() == 0) {
    const std::byte zero{0};
    return queue.fill(count.elements().sub_buffer(0, sizeof(std::uint64_t)), {&zero, 1}, wait_for);
  }

  algorithms::check_not_empty(what, "keys_out", keys_out);
  algorithms::check_not_empty(what, "values_out", values_out);
  algorithms::check_operation(what, values_out.dtype(), operation);
  if (algorithms::avoids_compiling(queue, keys.size())) {
    if (!wait_for.empty()) queue.barrier(wait_for);
    const Array heads = algorithms::heads_of(queue, keys);
    const Array sums = empty(queue, keys.shape(), values_out.dtype());
    enqueue_general(queue, {values.dtype(), sums.dtype(), operation, false, {}, {}}, values, sums, heads);
    // The last element of a run is the one in front of a head.
    const Array ends(heads.elements().sub_buffer(1, keys.size()), heads.dtype(), keys.shape());
    copy_if(queue, keys, Predicate(ends), keys_out, count);
    return copy_if(queue, sums, Predicate(ends), values_out, count);
  }
  const codegen::ScanForm form{values.dtype(), values_out.dtype(), operation, false, {}, {}};
  const std::string type = form.item();
  const std::string arguments = "const " + type_name(keys.dtype()) + " *keys, const " +
                                type_name(values.dtype()) + " *values, " + type_name(keys.dtype()) +
                                " *keys_out, " + type_name(values_out.dtype()) +
                                " *values_out, ulong *count, ulong keys_capacity, ulong values_capacity";
  const bool wide = keys.size() >> 32 != 0;
  const std::string rank = wide ? "ulong" : "uint";
  const codegen::ScanOperator op = codegen::scan_operator(form.item_dtype(), operation);
  static auto* const table =
      new algorithms::ProgramTable<std::string, ScanKernel>;  // used until the process ends
  const auto kernel = table->get(arguments + op.expression + rank, [&] {
    // If a run starts within b, the value of a does not count.
    GeneratorOptions options;
    options.name = "reduce_by_key_kernel";
    options.preamble =
        "typedef struct { " + type + " value; " + rank + " heads; } quern_run;\ninline " + type +
        " quern_combine(" + type + " a, " + type + " b) { return " + op.expression +
        "; }\ninline quern_run quern_of_element(" + type +
        " value, bool head) { quern_run r; r.value = value; r.heads = head ? 1 : 0; return r; }\n"
        "inline quern_run quern_after(quern_run a, quern_run b) { quern_run r; r.heads = a.heads + "
        "b.heads; r.value = b.heads != 0 ? b.value : quern_combine(a.value, b.value); return r; }\n";
    const std::string next = codegen::differs(keys.dtype(), "keys[i + 1]", "keys[i]");
    ScanSnippets snippets;
    snippets.arguments = arguments;
    snippets.input_expr = "quern_of_element(" + form.element("values[i]") + ", i == 0 || " +
                          codegen::differs(keys.dtype(), "here", "behind") + ")";
    snippets.input_fetch_exprs = {{"here", "keys", 0}, {"behind", "keys", -1}};
    snippets.scan_expr = "quern_after(a, b)";
    snippets.output_statement =
        "if (i + 1 == N || " + next +
        ") {\nif (item.heads <= values_capacity) values_out[item.heads - 1] = item.value;\n"
        "if (item.heads <= keys_capacity) keys_out[item.heads - 1] = keys[i];\n}\n"
        "if (i + 1 == N) count[0] = item.heads;";
    return std::make_shared<const ScanKernel>("quern_run", std::move(snippets), std::move(options));
  });
  const Buffer number = count.elements();
  const std::vector<KernelArgument> list = {keys,
                                            values,
                                            keys_out,
                                            values_out,
                                            number,
                                            static_cast<std::int64_t>(keys_out.size()),
                                            static_cast<std::int64_t>(values_out.size())};
  return kernel->launch(queue, list, static_cast<std::int64_t>(keys.size()), wait_for);
}

std::pair<Array, Array> reduce_by_key(const Queue& queue, const Array& keys, const Array& values,
                                      ScanOperation operation) {
  check_operand("reduce_by_key", "keys", keys, queue);
  check_operand("reduce_by_key", "values", values, queue);
  const Array keys_out = empty(queue, keys.shape(), keys.dtype());
  const Array values_out = empty(queue, keys.shape(), scan_dtype(values.dtype(), operation));
  const Array count = empty(queue, {1}, DType::of(Scalar::uint64));
  reduce_by_key(queue, keys, values, keys_out, values_out, count, operation);
  const std::uint64_t runs = count.to_vector<std::uint64_t>(queue)[0];
  const auto first = [&](const Array& array) {
    return Array(array.elements().sub_buffer(0, runs * array.dtype().itemsize), array.dtype(),
                 {static_cast<std::int64_t>(runs)});
  };
  return {first(keys_out), first(values_out)};
}

}  // namespace quern
