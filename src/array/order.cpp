// SPDX-License-Identifier: MIT
// Sorting along an axis: keys are sorted together and then by their rows, both of which radix sorts do
// stably.
#include "quern/order.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "array/build.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/cumulative.hpp"
#include "quern/elementwise.hpp"
#include "quern/error.hpp"
#include "quern/gather.hpp"
#include "quern/select.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

using codegen::type_name;

// Rows of keys that are sorted each for itself.
struct Rows {
  std::size_t count = 1, length = 0;
  [[nodiscard]] std::size_t size() const { return count * length; }
  // Of a row, and of a position among all keys: as few bytes as can count them.
  [[nodiscard]] DType number() const {
    return DType::of(count <= 0x100             ? Scalar::uint8
                     : count <= 0x10000         ? Scalar::uint16
                     : count <= 0x1'0000'0000UL ? Scalar::uint32
                                                : Scalar::uint64);
  }
  [[nodiscard]] DType position() const {
    return DType::of(size() <= std::numeric_limits<std::uint32_t>::max() ? Scalar::uint32 : Scalar::uint64);
  }
};

struct Key {
  Array values;  // of one axis, contiguous
  SortOptions options;
};

const ElementwiseKernel& kernel_for(const std::string& arguments, const std::string& operation) {
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
  const std::string type = type_name(rows.position());
  const std::string from = positions == nullptr ? "" : "const " + type + " *positions, ";
  const ElementwiseKernel& kernel =
      kernel_for(from + type + " length, " + type_name(to.dtype()) + " *to",
                 std::string("to[i] = ") + (positions == nullptr ? "(" + type + ")i" : "positions[i]") + " " +
                     operation + " length");
  std::vector<KernelArgument> arguments;
  if (positions != nullptr) arguments.emplace_back(*positions);
  if (rows.position().itemsize == 4) {
    arguments.emplace_back(static_cast<std::uint32_t>(rows.length));
  } else {
    arguments.emplace_back(static_cast<std::uint64_t>(rows.length));
  }
  arguments.emplace_back(to);
  kernel.launch(queue, arguments);
}

// Where the keys of each row come from in order; the first key counts least.
Array positions_of(const Queue& queue, std::span<const Key> keys, const Rows& rows) {
  Array positions = empty(queue, {static_cast<std::int64_t>(rows.size())}, rows.position());
  argsort(queue, keys.front().values, positions, keys.front().options);
  for (const Key& key : keys.subspan(1)) {
    const Array moved = gather(queue, key.values, positions);
    sort_by_key(queue, moved, positions, moved, positions, key.options);
  }
  if (rows.count > 1) {
    const Array numbers = empty(queue, positions.shape(), rows.number());
    divide(queue, &positions, '/', rows, numbers);
    sort_by_key(queue, numbers, positions, numbers, positions);
  }
  return positions;
}

// A complex number is three keys: its parts, and which of them are NaN.
void add_keys(const Queue& queue, const Array& flat, SortOptions options, std::vector<Key>& keys) {
  if (codegen::kind_of(flat.dtype()) != codegen::Kinds::complex) {
    keys.push_back({flat, options});
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

// The array with one axis moved behind the others, as rows without gaps.
struct Arranged {
  Rows rows;
  Shape shape;            // with the axis last
  std::vector<int> back;  // axes of the result among these
  std::vector<int> order;

  Arranged(const Shape& from, int axis) {
    const std::size_t rank = from.size(), at = checked_axis(axis, rank);
    for (std::size_t d = 0; d < rank; ++d)
      if (d != at) order.push_back(static_cast<int>(d));
    order.push_back(static_cast<int>(at));
    back.resize(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      back[static_cast<std::size_t>(order[d])] = static_cast<int>(d);
      shape.push_back(from[static_cast<std::size_t>(order[d])]);
    }
    rows.length = static_cast<std::size_t>(from[at]);
    for (std::size_t d = 0; d + 1 < rank; ++d) rows.count *= static_cast<std::size_t>(shape[d]);
  }
  [[nodiscard]] bool is_last() const { return order.back() + 1 == static_cast<int>(order.size()); }
  [[nodiscard]] Array flat(const Array& array, const Queue& queue) const {
    const Array moved = is_last() ? array : permute_dims(array, order);
    return reshape(as_contiguous(moved, &queue), {-1}, &queue);
  }
  [[nodiscard]] Array restored(const Array& flat, const Queue& queue) const {
    const Array moved = reshape(flat, shape, &queue);
    return is_last() ? moved : as_contiguous(permute_dims(moved, back), &queue);
  }
};

Queue queue_for(const Array& array, const Queue* queue) {
  const Operand operand = array;
  const Queue user = array::queue_of({&operand, 1}, queue);
  array::check_place({&operand, 1}, user, "sort");
  return user;
}

Array places_of(const Queue& queue, std::span<const Key> keys, const Arranged& arranged) {
  const Array positions = positions_of(queue, keys, arranged.rows);
  const Array out = empty(queue, positions.shape(), DType::of(Scalar::int64));
  divide(queue, &positions, '%', arranged.rows, out);
  return arranged.restored(out, queue);
}

// Whether each element of a sorted array is another than the one before it.
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

Array sort(const Array& array, int axis, SortOptions options, const Queue* queue) {
  const bool is_complex = codegen::kind_of(array.dtype()) == codegen::Kinds::complex;
  const Queue user = queue_for(array, queue);
  const Arranged arranged(array.shape(), axis);
  const Rows& rows = arranged.rows;
  if (rows.size() == 0 || rows.length == 1) return copy(array, &user);
  const Array flat = arranged.flat(array, user);
  const Array out = empty(user, flat.shape(), flat.dtype());
  if (is_complex) {
    std::vector<Key> keys;
    add_keys(user, flat, options, keys);
    gather(user, flat, positions_of(user, keys, rows), out);
  } else if (rows.count == 1) {
    sort(user, flat, out, options);
  } else {
    const Array numbers = empty(user, flat.shape(), rows.number());
    divide(user, nullptr, '/', rows, numbers);
    sort_by_key(user, flat, numbers, out, numbers, options);
    sort_by_key(user, numbers, out, numbers, out);
  }
  return arranged.restored(out, user);
}

Array argsort(const Array& array, int axis, SortOptions options, const Queue* queue) {
  static_cast<void>(codegen::kind_of(array.dtype()));
  const Queue user = queue_for(array, queue);
  const Arranged arranged(array.shape(), axis);
  if (arranged.rows.size() == 0 || arranged.rows.length == 1)
    return zeros(user, array.shape(), DType::of(Scalar::int64));
  std::vector<Key> keys;
  add_keys(user, arranged.flat(array, user), options, keys);
  return places_of(user, keys, arranged);
}

Array lexsort(std::span<const Array> keys, int axis, const Queue* queue) {
  if (keys.empty()) throw ArgumentError(ArgumentError::Kind::value, "lexsort: expected keys, got none");
  const Queue user = queue_for(keys.front(), queue);
  for (const Array& key : keys) {
    if (key.shape() != keys.front().shape())
      throw ArgumentError(ArgumentError::Kind::value, "lexsort: the keys have different shapes");
    const Operand operand = key;
    array::check_place({&operand, 1}, user, "lexsort");
    static_cast<void>(codegen::kind_of(key.dtype()));
  }
  const Arranged arranged(keys.front().shape(), axis);
  if (arranged.rows.size() == 0) return zeros(user, keys.front().shape(), DType::of(Scalar::int64));
  std::vector<Key> flat;
  for (const Array& key : keys) add_keys(user, arranged.flat(key, user), {}, flat);
  return places_of(user, flat, arranged);
}

Unique unique_all(const Array& array, bool equal_nan, const Queue* queue) {
  static_cast<void>(codegen::kind_of(array.dtype()));
  const Queue user = queue_for(array, queue);
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
  const Array groups = cumulative(PrefixOperation::sum, starts, {0, {}, false}, &user);
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
  const Queue user = queue_for(array, queue);
  if (array.size() == 0) return empty(user, {0}, array.dtype());
  const Array flat = reshape(as_contiguous(array, &user), {-1}, &user);
  const Array sorted = sort(flat, 0, {}, &user);
  return gather(user, sorted, nonzero(user, starts_of(user, sorted, equal_nan)));
}

}  // namespace quern
