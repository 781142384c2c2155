// SPDX-License-Identifier: MIT
// Sorts along an axis. A stable radix sort sorts all keys together, and then by their rows.
#include "quern/sorting.hpp"

#include <array>
#include <utility>
#include <vector>

#include "algorithms/sort_rows.hpp"
#include "array/build.hpp"
#include "array/cumulative.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"
#include "quern/gather.hpp"
#include "quern/select.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using algorithms::RowKey;
using algorithms::Rows;

// A complex number has three sort keys: its parts, and which of them are NaN.
void add_keys(const Queue& queue, const Array& flat, SortOptions options, std::vector<RowKey>& keys) {
  if (codegen::kind_of(flat.dtype()) != codegen::Kinds::complex) {
    const DType key = detail::without_bfloat16(flat.dtype());
    keys.push_back({as_contiguous(astype(flat, key, &queue), &queue), options});
    return;
  }
  const Array real = apply("real", {flat}, &queue), imag = apply("imag", {flat}, &queue);
  const Array missing =
      apply("add",
            {apply("multiply", {astype(apply("isnan", {real}, &queue), DType::of(Scalar::uint8), &queue), 2},
                   &queue),
             apply("isnan", {imag}, &queue)},
            &queue);
  for (const Array& part : {imag, real}) keys.push_back({as_contiguous(part, &queue), options});
  keys.push_back({as_contiguous(missing, &queue), {}});
}

// Swaps the last two axes of an array of shape (outer, rows, columns). Both arrays are contiguous.
Array swapped(const Array& array, std::int64_t outer, std::int64_t rows, std::int64_t columns,
              const Queue& queue) {
  constexpr std::int64_t kMostMatrices = 64;  // beyond this, one strided copy is faster
  const Array blocks = reshape(array, {outer, rows, columns}, &queue);
  if (outer > kMostMatrices) return copy(permute_dims(blocks, std::array{0, 2, 1}), &queue);
  const Array out = empty(queue, {outer, columns, rows}, array.dtype());
  for (std::int64_t k = 0; k < outer; ++k) transpose(queue, view(blocks, {k}), view(out, {k}));
  return out;
}

// An array that is sorted along one axis.
struct Arranged {
  Shape shape;
  std::size_t axis;
  Rows rows;
  std::int64_t outer = 1, inner = 1;  // elements of the axes before it and behind it

  Arranged(Shape of, int along) : shape(std::move(of)), axis(checked_axis(along, shape.size())) {
    for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
    for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
    rows.length = static_cast<std::size_t>(shape[axis]);
    rows.count = static_cast<std::size_t>(outer * inner);
  }
  // Copies the rows one after another.
  [[nodiscard]] Array flat(const Array& array, const Queue& queue) const {
    std::vector<int> order;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != axis) order.push_back(static_cast<int>(d));
    order.push_back(static_cast<int>(axis));
    array.evaluate();
    const Array moved = permute_dims(array, order);
    const bool is_cheap = moved.contiguous() || !array.contiguous();
    return reshape(is_cheap ? as_contiguous(moved, &queue) : swapped(array, outer, shape[axis], inner, queue),
                   {-1}, &queue);
  }
  // Copies results for the rows back into the array's shape.
  [[nodiscard]] Array restored(const Array& flat, const Queue& queue) const {
    return reshape(inner == 1 ? flat : swapped(flat, outer, inner, shape[axis], queue), shape, &queue);
  }
};

Queue queue_to_sort_on(const Array& array, const Queue* queue) {
  const Operand operand = array;
  const Queue user = array::queue_of({&operand, 1}, queue);
  array::check_place({&operand, 1}, user, "sort");
  return user;
}

Array places_of(const Queue& queue, std::span<const RowKey> keys, const Arranged& arranged) {
  const Array out = empty(queue, keys.front().values.shape(), DType::of(Scalar::int64));
  algorithms::argsort_rows(queue, keys, arranged.rows, out);
  return arranged.restored(out, queue);
}

// Returns for each element of a sorted array whether it differs from the one before it.
Array starts_of(const Queue& queue, const Array& sorted, bool equal_nan) {
  const Array starts = empty(queue, sorted.shape(), DType::of(Scalar::boolean));
  const Array here = view(sorted, {Index::slice(1)}), before = view(sorted, {Index::slice({}, -1)});
  Array differs = apply("not_equal", {here, before}, &queue);
  if (equal_nan && codegen::includes(codegen::Kinds::inexact, codegen::kind_of(sorted.dtype()))) {
    const Array both =
        apply("logical_and", {apply("isnan", {here}, &queue), apply("isnan", {before}, &queue)}, &queue);
    differs = apply("logical_and", {differs, apply("logical_not", {both}, &queue)}, &queue);
  }
  assign(view(starts, {Index::slice({}, 1)}), true, &queue);
  assign(view(starts, {Index::slice(1)}), differs, &queue);
  return starts;
}

}  // namespace

Array sort(const Array& given, std::optional<int> axis, SortOptions options, const Queue* queue) {
  const Array array = axis ? given : reshape(given, {-1}, queue);
  const bool is_complex = codegen::kind_of(array.dtype()) == codegen::Kinds::complex;
  const Queue user = queue_to_sort_on(array, queue);
  if (const DType key = detail::without_bfloat16(array.dtype()); key != array.dtype())
    return astype(sort(astype(array, key, &user), axis.value_or(0), options, &user), array.dtype(), &user);
  const Arranged arranged(array.shape(), axis.value_or(0));
  const Rows& rows = arranged.rows;
  if (rows.size() == 0 || rows.length == 1) return copy(array, &user);
  const Array flat = arranged.flat(array, user);
  const Array out = empty(user, flat.shape(), flat.dtype());
  if (is_complex) {
    std::vector<RowKey> keys;
    add_keys(user, flat, options, keys);
    gather(user, flat, algorithms::positions_of_rows(user, keys, rows), out);
  } else {
    algorithms::sort_rows(user, flat, rows, out, options);
  }
  return arranged.restored(out, user);
}

Array argsort(const Array& given, std::optional<int> axis, SortOptions options, const Queue* queue) {
  static_cast<void>(codegen::kind_of(given.dtype()));
  // As in NumPy, a 0-d array is sorted as an array of one element.
  const Array array = axis && !given.shape().empty() ? given : reshape(given, {-1}, queue);
  const Queue user = queue_to_sort_on(array, queue);
  const Arranged arranged(array.shape(), axis.value_or(0));
  if (arranged.rows.size() == 0 || arranged.rows.length == 1)
    return zeros(user, array.shape(), DType::of(Scalar::int64));
  std::vector<RowKey> keys;
  add_keys(user, arranged.flat(array, user), options, keys);
  return places_of(user, keys, arranged);
}

Array lexsort(std::span<const Array> keys, int axis, const Queue* queue) {
  if (keys.empty()) throw ArgumentError(ArgumentError::Kind::value, "lexsort: expected at least one key");
  const Queue user = queue_to_sort_on(keys.front(), queue);
  for (const Array& key : keys) {
    if (key.shape() != keys.front().shape())
      throw ArgumentError(ArgumentError::Kind::value, "lexsort: the keys have different shapes");
    const Operand operand = key;
    array::check_place({&operand, 1}, user, "lexsort");
    static_cast<void>(codegen::kind_of(key.dtype()));
  }
  const Arranged arranged(keys.front().shape(), axis);
  if (arranged.rows.size() == 0) return zeros(user, keys.front().shape(), DType::of(Scalar::int64));
  std::vector<RowKey> flat;
  for (const Array& key : keys) add_keys(user, arranged.flat(key, user), {}, flat);
  return places_of(user, flat, arranged);
}

Unique unique_all(const Array& array, bool equal_nan, const Queue* queue) {
  static_cast<void>(codegen::kind_of(array.dtype()));
  const Queue user = queue_to_sort_on(array, queue);
  const DType count = DType::of(Scalar::int64);
  const auto size = static_cast<std::int64_t>(array.size());
  if (size == 0) {
    return {empty(user, {0}, array.dtype()), empty(user, {0}, count), empty(user, array.shape(), count),
            empty(user, {0}, count)};
  }
  const Array flat = reshape(as_contiguous(array, &user), {-1}, &user);
  const Array order = argsort(flat, 0, {}, &user);
  const Array sorted = gather(user, flat, order);
  const Array starts = starts_of(user, sorted, equal_nan);
  const Array groups = array::accumulate_elements(ScanOperation::sum, starts, {.axis = 0}, &user);
  const Array inverse = empty(user, {size}, count);
  scatter(user, inverse, order, apply("subtract", {groups, 1}, &user));
  const Array first = nonzero(user, starts);
  const Array ends = empty(user, first.shape(), count);
  assign(view(ends, {Index::slice({}, -1)}), view(first, {Index::slice(1)}), &user);
  assign(view(ends, {Index::slice(-1)}), size, &user);
  return {gather(user, sorted, first), gather(user, order, first), reshape(inverse, array.shape(), &user),
          apply("subtract", {ends, first}, &user)};
}

Array unique_values(const Array& array, bool equal_nan, const Queue* queue) {
  static_cast<void>(codegen::kind_of(array.dtype()));
  const Queue user = queue_to_sort_on(array, queue);
  if (array.size() == 0) return empty(user, {0}, array.dtype());
  const Array flat = reshape(as_contiguous(array, &user), {-1}, &user);
  const Array sorted = sort(flat, 0, {}, &user);
  return gather(user, sorted, nonzero(user, starts_of(user, sorted, equal_nan)));
}

}  // namespace quern
