// SPDX-License-Identifier: MIT
// Sorts each row of an array separately. A CPU sorts row by row. Other devices sort all keys together and
// then stably by row number, so that the speed does not depend on the length of the rows.
#include "algorithms/sort_rows.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/elementwise_program.hpp"
#include "algorithms/launch/program_table.hpp"
#include "algorithms/radix_sort.hpp"
#include "codegen/expression.hpp"
#include "quern/gather.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kShortSortRow = std::size_t{1} << 13;

// Returns the smallest unsigned type for row numbers.
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

// The kernel that divides positions, or element numbers if there are no positions.
std::shared_ptr<const ElementwiseProgram> division(const char* operation, bool has_positions,
                                                   const DType& position, const DType& to) {
  // Never destroyed, because threads may use it until the process ends.
  static auto* const table = new ProgramTable<std::string, ElementwiseProgram>;
  return table->get(operation + position.name() + to.name() + (has_positions ? "p" : "i"), [&] {
    codegen::Expression expression;
    const auto from =
        has_positions ? expression.operand(position) : expression.cast(expression.index(), position);
    const auto length = expression.scalar(position);
    expression.output(expression.cast(expression.apply(operation, {from, length}), to));
    return std::make_shared<const ElementwiseProgram>(expression, "sort_rows");
  });
}

// to[i] = positions[i] / length or positions[i] % length. Without positions, i is divided.
void divide(const Queue& queue, const Array* positions, const char* operation, const Rows& rows,
            const Array& to) {
  // An expression takes a number as the bytes of its own dtype.
  const std::uint64_t wide = rows.length;
  const auto narrow = static_cast<std::uint32_t>(wide);
  const bool is_wide = position_type(rows).itemsize == 8;
  std::vector<KernelArgument> arguments;
  if (positions != nullptr) arguments.emplace_back(*positions);
  arguments.emplace_back(is_wide ? std::as_bytes(std::span(&wide, 1)) : std::as_bytes(std::span(&narrow, 1)));
  arguments.emplace_back(to);
  division(operation, positions != nullptr, position_type(rows), to.dtype())
      ->launch(queue, arguments, {}, {});
}

// Whether one work-item sorts each row: there are enough rows for all cores, or the rows are too short to be
// divided.
bool sorts_rows_alone(const Queue& queue, const Rows& rows) {
  const Device device = queue.device();
  const DeviceProperties& properties = device.properties();
  return radix_engine_for(properties) == RadixEngine::chunks &&
         (rows.length <= kShortSortRow || rows.count >= std::size_t{2} * properties.compute_units);
}

// Sorts one row after the other, each on all cores.
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
  divide(queue, nullptr, "floor_divide", rows, numbers);
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
  divide(queue, &positions, "remainder", rows, out);
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
    divide(queue, &positions, "floor_divide", rows, numbers);
    sort_by_key(queue, numbers, positions, numbers, positions);
  }
  return positions;
}

}  // namespace quern::algorithms
