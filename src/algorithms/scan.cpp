// SPDX-License-Identifier: MIT
// Ready-made scans and reduce_by_key, on ScanKernel.
#include "quern/scan.hpp"

#include <array>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/host/precompiled_kernel.hpp"
#include "algorithms/host/scan_loops.hpp"
#include "algorithms/host/select_loops.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/scan_operator.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "quern/scan_kernel.hpp"

namespace quern {
namespace {

using algorithms::check_apart;
using algorithms::check_vector;
using algorithms::Mark;
using codegen::type_name;

bool is_complex(const DType& dtype) {
  return dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
}
bool is_number(const DType& dtype) {
  return dtype.lanes == 1 && dtype.scalar != Scalar::structure && dtype.scalar != Scalar::unknown;
}

// Kernels are few: two dtypes, an operation and a kind of segments each.
template <class Make>
ScanKernel kernel_for(const std::string& key, const Make& make) {
  struct Table {
    std::mutex mutex;
    std::unordered_map<std::string, ScanKernel> kernels;
  };
  static auto* const table = new Table;  // never destroyed: the library may be used until the process ends
  const std::lock_guard lock(table->mutex);
  auto found = table->kernels.find(key);
  if (found == table->kernels.end()) found = table->kernels.emplace(key, make()).first;
  return found->second;
}

void check_operand(const std::string& what, const char* name, const Array& array, const Queue& queue) {
  check_vector(what, name, array, queue);
  if (!is_number(array.dtype())) algorithms::reject_dtype(what, name, array.dtype(), "numbers");
}

std::string differs(const DType& dtype) {
  return is_complex(dtype) ? "i == 0 || here.x != behind.x || here.y != behind.y"
                           : "i == 0 || here != behind";
}

std::vector<InputFetch> neighbours() {
  return {{"here", "keys", 0}, {"behind", "keys", -1}};
}

}  // namespace

DType scan_dtype(const DType& dtype, ScanOperation operation) {
  if (operation == ScanOperation::maximum || operation == ScanOperation::minimum) return dtype;
  switch (dtype.scalar) {
    case Scalar::boolean:
    case Scalar::int8:
    case Scalar::int16:
    case Scalar::int32:
      return DType::of(Scalar::int64);
    case Scalar::uint8:
    case Scalar::uint16:
    case Scalar::uint32:
      return DType::of(Scalar::uint64);
    default:
      return dtype;
  }
}

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

  const algorithms::ScanOperator op = algorithms::scan_operator(what, out.dtype(), options.operation);
  if (x.size() != 0 && algorithms::prefers_precompiled(queue, x.size())) {
    if (!wait_for.empty()) queue.barrier(wait_for);
    const Buffer marks = starts != nullptr ? algorithms::marked(queue, *starts, Mark::nonzero)
                         : keys != nullptr ? algorithms::marked(queue, *keys, Mark::head)
                                           : Buffer();
    return algorithms::accumulate_by_loops(queue, x, out, {1, x.size(), 1}, options.operation,
                                           options.exclusive, marks);
  }
  std::string arguments = "const " + type_name(x.dtype()) + " *x, " + type_name(out.dtype()) + " *out";
  if (starts != nullptr) arguments += ", const " + type_name(starts->dtype()) + " *starts";
  if (keys != nullptr) arguments += ", const " + type_name(keys->dtype()) + " *keys";
  const std::string key = arguments + op.expression + op.neutral + (options.exclusive ? "e" : "i");
  const ScanKernel kernel = kernel_for(key, [&] {
    ScanSnippets snippets;
    snippets.arguments = arguments;
    snippets.input_expr = "x[i]";
    snippets.scan_expr = op.expression;
    snippets.output_statement = options.exclusive ? "out[i] = prev_item" : "out[i] = item";
    snippets.neutral = op.neutral;
    if (starts != nullptr) snippets.is_segment_start_expr = "starts[i] != 0";
    if (keys != nullptr) {
      snippets.is_segment_start_expr = differs(keys->dtype());
      snippets.input_fetch_exprs = neighbours();
    }
    snippets.commutative = !is_complex(out.dtype());
    return ScanKernel(out.dtype(), std::move(snippets), {"scan_kernel", {}, {}}, {}, type_name(out.dtype()));
  });
  std::vector<KernelArgument> list = {x, out};
  if (starts != nullptr) list.emplace_back(*starts);
  if (keys != nullptr) list.emplace_back(*keys);
  return kernel.launch(queue, list, static_cast<std::int64_t>(x.size()), wait_for);
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

  const algorithms::ScanOperator op = algorithms::scan_operator(what, values_out.dtype(), operation);
  if (algorithms::prefers_precompiled(queue, keys.size())) {
    if (!wait_for.empty()) queue.barrier(wait_for);
    const Buffer heads = algorithms::marked(queue, keys, Mark::head);
    const Array sums = empty(queue, keys.shape(), values_out.dtype());
    algorithms::accumulate_by_loops(queue, values, sums, {1, keys.size(), 1}, operation, false, heads);
    const auto last_of_runs = [&](const Array& from, const Array& to) {
      algorithms::Selected selected;
      selected.elements = from.elements();
      selected.out = to.elements();
      selected.itemsize = from.dtype().itemsize;
      selected.count = count.elements();
      selected.ends = true;
      return algorithms::select_by_loops(queue, heads, keys.size(), selected);
    };
    last_of_runs(keys, keys_out);
    return last_of_runs(sums, values_out);
  }
  const std::string type = type_name(values_out.dtype());
  const std::string arguments = "const " + type_name(keys.dtype()) + " *keys, const " +
                                type_name(values.dtype()) + " *values, " + type_name(keys.dtype()) +
                                " *keys_out, " + type + " *values_out, ulong *count";
  const bool wide = keys.size() >> 32 != 0;
  const std::string rank = wide ? "ulong" : "uint";
  const ScanKernel kernel = kernel_for("k" + arguments + op.expression + rank, [&] {
    // A run that starts within b hides what a has.
    GeneratorOptions options;
    options.name = "reduce_by_key_kernel";
    options.preamble =
        "typedef struct { " + type + " value; " + rank + " heads; } quern_run;\ninline " + type +
        " quern_combine(" + type + " a, " + type + " b) { return " + op.expression +
        "; }\ninline quern_run quern_of_element(" + type +
        " value, bool head) { quern_run r; r.value = value; r.heads = head ? 1 : 0; return r; }\n"
        "inline quern_run quern_after(quern_run a, quern_run b) { quern_run r; r.heads = a.heads + "
        "b.heads; r.value = b.heads != 0 ? b.value : quern_combine(a.value, b.value); return r; }\n";
    const std::string next = is_complex(keys.dtype())
                                 ? "keys[i + 1].x != keys[i].x || keys[i + 1].y != keys[i].y"
                                 : "keys[i + 1] != keys[i]";
    ScanSnippets snippets;
    snippets.arguments = arguments;
    snippets.input_expr = "quern_of_element(values[i], " + differs(keys.dtype()) + ")";
    snippets.input_fetch_exprs = neighbours();
    snippets.scan_expr = "quern_after(a, b)";
    snippets.output_statement =
        "if (i + 1 == N || " + next +
        ") { values_out[item.heads - 1] = item.value; keys_out[item.heads - 1] = keys[i]; }\n"
        "if (i + 1 == N) count[0] = item.heads;";
    return ScanKernel("quern_run", std::move(snippets), std::move(options));
  });
  const Buffer number = count.elements();
  const std::vector<KernelArgument> list = {keys, values, keys_out, values_out, number};
  return kernel.launch(queue, list, static_cast<std::int64_t>(keys.size()), wait_for);
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
