// SPDX-License-Identifier: MIT
// Rows of keys, sorted each for itself. A CPU takes them one by one. On others all keys are sorted together
// and then by their rows, which radix sorts do stably: rows of any length are as fast as one array of all.
#include "algorithms/sort_rows.hpp"

#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/radix_sort.hpp"
#include "codegen/type_text.hpp"
#include "quern/elementwise.hpp"
#include "quern/gather.hpp"

namespace quern::algorithms {
namespace {

using codegen::type_name;

constexpr std::size_t kShortRow = std::size_t{1} << 13;

// As few bytes as can count rows, and positions among all keys.
DType number_type(const Rows& rows) {
  return DType::of(rows.count <= 0x100             ? Scalar::uint8
                   : rows.count <= 0x10000         ? Scalar::uint16
                   : rows.count <= 0x1'0000'0000UL ? Scalar::uint32
                                                   : Scalar::uint64);
}
DType position_type(const Rows& rows) {
  return DType::of(rows.size() <= std::numeric_limits<std::uint32_t>::max() ? Scalar::uint32
                                                                            : Scalar::uint64);
}

const ElementwiseKernel& row_kernel(const std::string& arguments, const std::string& operation) {
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::unordered_map<std::string, std::unique_ptr<ElementwiseKernel>>;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<ElementwiseKernel>& kernel = (*known)[arguments + operation];
  if (!kernel)
    kernel = std::make_unique<ElementwiseKernel>(arguments, operation, GeneratorOptions{"sort_rows", {}, {}});
  return *kernel;
}

// to[i] = positions[i] / length or % length, or of i itself.
void divide(const Queue& queue, const Array* positions, char operation, const Rows& rows, const Array& to) {
  const std::string type = type_name(position_type(rows));
  const std::string from = positions == nullptr ? "" : "const " + type + " *positions, ";
  const ElementwiseKernel& kernel =
      row_kernel(from + type + " length, " + type_name(to.dtype()) + " *to",
                 std::string("to[i] = ") + (positions == nullptr ? "(" + type + ")i" : "positions[i]") + " " +
                     operation + " length");
  std::vector<KernelArgument> arguments;
  if (positions != nullptr) arguments.emplace_back(*positions);
  if (position_type(rows).itemsize == 4) {
    arguments.emplace_back(static_cast<std::uint32_t>(rows.length));
  } else {
    arguments.emplace_back(static_cast<std::uint64_t>(rows.length));
  }
  arguments.emplace_back(to);
  kernel.launch(queue, arguments);
}

// Whether each row is one work-item's: they are enough for all cores, or too short to be shared.
bool sorts_rows_alone(const Queue& queue, const Rows& rows) {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  return radix_engine_for(properties) == RadixEngine::chunks &&
         (rows.length <= kShortRow || rows.count >= std::size_t{2} * properties.compute_units);
}

// One row after the other, each by all cores.
template <class Sort>
bool sort_long_rows(const Queue& queue, const Rows& rows, const Sort& sort_row) {
  if (rows.count > 1 && radix_engine_for(queue.device().properties()) != RadixEngine::chunks) return false;
  for (std::size_t row = 0; row < rows.count; ++row) sort_row(row * rows.length);
  return true;
}

Array part(const Array& array, std::size_t first, std::size_t count) {
  const std::size_t size = array.dtype().itemsize;
  return Array(array.elements().sub_buffer(first * size, count * size), array.dtype(),
               {static_cast<std::int64_t>(count)});
}

}  // namespace

void sort_rows(const Queue& queue, const Array& keys, const Rows& rows, const Array& out,
               SortOptions options) {
  if (sorts_rows_alone(queue, rows)) {
    RadixSort sort;
    sort.n = rows.length;
    sort.rows = rows.count;
    sort.order = key_order("sort", "array", keys.dtype(), options);
    sort.keys = keys.elements();
    sort.keys_out = out.elements();
    radix_chunks(queue, sort);
    return;
  }
  const bool is_done = sort_long_rows(queue, rows, [&](std::size_t first) {
    sort(queue, part(keys, first, rows.length), part(out, first, rows.length), options);
  });
  if (is_done) return;
  const Array numbers = empty(queue, keys.shape(), number_type(rows));
  divide(queue, nullptr, '/', rows, numbers);
  sort_by_key(queue, keys, numbers, out, numbers, options);
  sort_by_key(queue, numbers, out, numbers, out);
}

void argsort_rows(const Queue& queue, std::span<const RowKey> keys, const Rows& rows, const Array& out) {
  const RowKey& key = keys.front();
  if (keys.size() == 1 && sorts_rows_alone(queue, rows)) {
    RadixSort sort;
    sort.n = rows.length;
    sort.rows = rows.count;
    sort.order = key_order("argsort", "array", key.values.dtype(), key.options);
    sort.keys = key.values.elements();
    sort.has_values = sort.are_positions = true;
    sort.value_size = rows.length <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
    sort.value_out_size = 8;
    sort.values_out = out.elements();
    radix_chunks(queue, sort);
    return;
  }
  const bool is_done =
      keys.size() == 1 && sort_long_rows(queue, rows, [&](std::size_t first) {
        argsort(queue, part(key.values, first, rows.length), part(out, first, rows.length), key.options);
      });
  if (is_done) return;
  const Array positions = positions_of_rows(queue, keys, rows);
  divide(queue, &positions, '%', rows, out);
}

Array positions_of_rows(const Queue& queue, std::span<const RowKey> keys, const Rows& rows) {
  Array positions = empty(queue, {static_cast<std::int64_t>(rows.size())}, position_type(rows));
  argsort(queue, keys.front().values, positions, keys.front().options);
  for (const RowKey& key : keys.subspan(1)) {
    const Array moved = gather(queue, key.values, positions);
    sort_by_key(queue, moved, positions, moved, positions, key.options);
  }
  if (rows.count > 1) {
    const Array numbers = empty(queue, positions.shape(), number_type(rows));
    divide(queue, &positions, '/', rows, numbers);
    sort_by_key(queue, numbers, positions, numbers, positions);
  }
  return positions;
}

}  // namespace quern::algorithms
