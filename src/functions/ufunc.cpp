// SPDX-License-Identifier: MIT
// Methods of functions of two operands: updates at repeated indices, and reductions of slices of an axis.
// Both sort or number the elements by their result, and scan segments of elements with one result.
#include "quern/ufunc.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "array/write.hpp"
#include "base/dtype_kinds.hpp"
#include "functions/operands.hpp"
#include "functions/output.hpp"
#include "quern/casting.hpp"
#include "quern/cumulative.hpp"
#include "quern/gather.hpp"
#include "quern/manipulation.hpp"
#include "quern/scan.hpp"
#include "quern/search.hpp"
#include "quern/sorting.hpp"
#include "runtime/waiting.hpp"

namespace quern {
namespace {

using codegen::Op;

bool is_test(const Op& op) {
  return op.result == codegen::Result::boolean;
}

bool is_associative(const Op& op) {
  return op.folding.is_associative;
}

// The identity of this dtype; nothing if the operation has none.
std::optional<Array> identity_of(const Op& op, const Queue& queue, const DType& dtype) {
  using codegen::Identity;
  const Identity identity = op.folding.identity;
  if (identity == Identity::none) return {};
  const Number number = identity == Identity::minus_infinity
                            ? Number(-std::numeric_limits<double>::infinity())
                        : identity == Identity::zero ? Number(0)
                        : identity == Identity::one  ? Number(1)
                                                     : Number(-1);
  // An integer with all bits set is -1, which unsigned types cannot represent as a number.
  return astype(full(queue, {}, number, functions::default_type(number, queue)), dtype);
}

// The ready-made scan of the operation.
std::optional<ScanOperation> scan_of(const Op& op) {
  constexpr std::pair<std::string_view, ScanOperation> kScans[] = {{"cumsum", ScanOperation::sum},
                                                                   {"cumprod", ScanOperation::product},
                                                                   {"cummax", ScanOperation::maximum},
                                                                   {"cummin", ScanOperation::minimum}};
  for (const auto& [name, operation] : kScans)
    if (name == op.folding.accumulation) return operation;
  return {};
}

// The same if it supports segments of elements of this dtype.
std::optional<ScanOperation> scan_of(const Op& op, const DType& dtype) {
  const std::optional<ScanOperation> prefix = scan_of(op);
  const bool is_sum = prefix == ScanOperation::sum || prefix == ScanOperation::product;
  const bool is_plain =
      functions::is_integer(dtype) || (functions::is_floating(dtype) && !detail::is_short_float(dtype));
  return is_plain || (is_sum && functions::is_complex(dtype)) ? prefix : std::nullopt;
}

Array part_of(const Array& vector, std::optional<std::int64_t> start, std::optional<std::int64_t> stop) {
  return view(vector, {Index::slice(start, stop)});
}

// An operation of one operand ignores the second.
Array combined(const Op& op, const Array& a, const Array& b, const DType& dtype) {
  const std::array<Operand, 2> operands = {a, b};
  return astype(quern::apply(op, std::span(operands).first(op.arity)), dtype);
}

// Combines each element of a vector with the earlier ones that have the same key; equal keys are neighbours.
Array scanned(const Op& op, const Array& values, const Array& keys) {
  const DType dtype = values.dtype();
  const Queue queue = values.queue();
  if (const auto prefix = scan_of(op, dtype)) {
    const Array out = empty(queue, values.shape(), dtype), own_keys = as_contiguous(keys);
    scan(queue, as_contiguous(values), out, {.operation = *prefix, .segments = {.keys = &own_keys}});
    return out;
  }
  // In steps that double: each element then covers twice as many.
  Array result = values;
  for (std::int64_t step = 1; step < functions::size_of(values); step *= 2) {
    const Array earlier = part_of(result, {}, -step), later = part_of(result, step, {});
    const Array is_same = apply("equal", {part_of(keys, step, {}), part_of(keys, {}, -step)});
    const std::array<Array, 2> parts = {part_of(result, {}, step),
                                        where(is_same, combined(op, earlier, later, dtype), later)};
    result = concat(parts, 0);
  }
  return result;
}

// Flat indices and values, sorted by index; those of one index keep their order.
struct Updates {
  Array positions, values;
};

Updates sorted_updates(const Array& array, std::span<const ItemIndex> index, const Operand& values,
                       const DType& dtype) {
  const Queue queue = array.queue();
  const Array all =
      reshape(arange(queue, 0, 1, functions::size_of(array), functions::index_type()), array.shape());
  const Array places = get_item(all, index);
  // Device indices out of bounds are an error before anything is written.
  const bool is_checked_later = std::any_of(index.begin(), index.end(), [](const ItemIndex& part) {
    const auto* const positions = std::get_if<Array>(&part);
    return positions != nullptr && functions::is_integer(positions->dtype());
  });
  if (is_checked_later) {
    const Buffer memory = places.buffer();
    detail::wait_with_hook([&](Deadline deadline) { return memory.wait_until(deadline); });
  }
  const Array given =
      values.array() != nullptr
          ? copy(functions::flattened(broadcast_to(astype(*values.array(), dtype), places.shape())))
          : copy(full(queue, {functions::size_of(places)}, values.number(), dtype));
  const Array flat = as_contiguous(functions::flattened(places));
  const Array order = argsort(flat);
  return {gather(queue, flat, order), gather(queue, given, order)};
}

// One launch for each repetition of an index: earlier values are written first.
void update_in_rounds(const Op& op, const Array& flat, const Updates& updates) {
  const Queue queue = flat.queue();
  const Array& positions = updates.positions;
  const std::int64_t count = functions::size_of(positions);
  const Array counter = arange(queue, 0, 1, count, functions::index_type());
  const Array is_new = apply("not_equal", {part_of(positions, 1, {}), part_of(positions, {}, -1)});
  const std::array<Array, 2> starts = {full(queue, {1}, Number(0), functions::index_type()),
                                       where(is_new, part_of(counter, 1, {}), Number(0))};
  CumulativeOptions along_all;
  along_all.axis = 0;
  const Array round = counter - cumulative(ScanOperation::maximum, concat(starts, 0), along_all);
  const std::int64_t last = max(round).to_vector<std::int64_t>(queue)[0];
  for (std::int64_t k = 0; k <= last; ++k) {
    const Array target = as_contiguous(where(apply("equal", {round, k}), positions, Number(-1)));
    const Array now = combined(op, gather(queue, flat, positions), updates.values, flat.dtype());
    scatter(queue, flat, target, as_contiguous(now));
  }
}

void update_by_totals(const Op& op, const Op& total_op, const Array& flat, const Updates& updates) {
  const Queue queue = flat.queue();
  const Array& positions = updates.positions;
  const Array totals = scanned(total_op, updates.values, positions);
  const Array end = full(queue, {1}, Number(true), DType::of(Scalar::boolean));
  const std::array<Array, 2> parts = {
      apply("not_equal", {part_of(positions, 1, {}), part_of(positions, {}, -1)}), end};
  const Array target = as_contiguous(where(concat(parts, 0), positions, Number(-1)));
  const Array now = combined(op, gather(queue, flat, positions), totals, flat.dtype());
  scatter(queue, flat, target, as_contiguous(now));
}

}  // namespace

void update_at(const Op& op, const Array& array, std::span<const ItemIndex> index) {
  update_at(op, array, index, Number(false));
}

void update_at(const Op& op, const Array& array, std::span<const ItemIndex> index, const Operand& values) {
  const std::string name = std::string(op.name) + ".at";
  array.evaluate();
  array::check_writable(array, name);
  // Checks that the result can be cast to the array, before anything is written.
  const Array probe = empty(array.queue(), {0}, array.dtype());
  const Array other = values.array() != nullptr ? empty(array.queue(), {0}, values.array()->dtype()) : probe;
  const std::array<Operand, 2> operands = {probe, values.array() != nullptr ? Operand(other) : values};
  const DType result = quern::apply(op, std::span(operands).first(op.arity)).dtype();
  check_cast(name, result, array.dtype());
  const bool is_logical = op.name.starts_with("logical_");
  const DType common = is_logical                  ? DType::of(Scalar::boolean)
                       : op.integer_operand == 1   ? DType::of(Scalar::int64)
                       : values.array() != nullptr ? result_type(array.dtype(), values.array()->dtype())
                                                   : result_type(array.dtype(), values.number());
  if (array.size() == 0 && index.empty()) return;
  const Updates updates = sorted_updates(array, index, values, common);
  if (updates.positions.size() == 0) return;
  const bool is_flat = array.contiguous();
  const Array flat = is_flat ? functions::flattened(array) : functions::flattened(copy(array));
  // Subtracting several values one after the other equals subtracting their sum.
  const Op& total_op = op.name == "subtract" ? operation("add") : op;
  if (op.arity == 2 && is_associative(total_op))
    update_by_totals(op, total_op, flat, updates);
  else
    update_in_rounds(op, flat, updates);
  if (!is_flat) assign(array, reshape(flat, array.shape()));
}

namespace {

// The dtype in which a fold computes.
DType fold_type(const Op& op, const Array& array, const FoldOptions& options, std::string_view method) {
  const std::string name = std::string(op.name) + "." + std::string(method);
  DType dtype = array.dtype();
  if (options.dtype) {
    dtype = *options.dtype;
  } else if (op.name.starts_with("logical_")) {
    dtype = DType::of(Scalar::boolean);
  } else if (op.name == "add" || op.name == "multiply") {
    if (functions::is_integer(dtype) || functions::is_boolean(dtype))
      dtype = scan_dtype(dtype, ScanOperation::sum);
  } else {
    const Array probe = empty(array.queue(), {0}, dtype);
    const DType result = quern::apply(op, std::array<Operand, 2>{probe, probe}).dtype();
    if (is_test(op) && !(result == dtype))
      functions::type_error(name + ": a boolean cannot be an operand of elements of " + dtype.name());
    dtype = result;
  }
  if (!(codegen::computed_type(op, dtype, dtype) == dtype))
    functions::type_error(name + ": the result has dtype " + codegen::computed_type(op, dtype, dtype).name() +
                          ", not dtype=" + dtype.name());
  if (options.dtype && !op.name.starts_with("logical_"))
    check_cast(name, array.dtype(), dtype, Casting::unsafe);
  return dtype;
}

// The elements in the dtype of the fold, with the axis last.
Array prepared(const Op& op, const Array& array, const FoldOptions& options, std::string_view method) {
  const std::size_t axis = checked_axis(options.axis, array.shape().size());
  if (op.integer_operand >= 0)
    functions::type_error(std::string(op.name) + "." + std::string(method) +
                          ": the results are in floating point, the elements must be integers; use reduce");
  return moveaxis(astype(array, fold_type(op, array, options, method)), {static_cast<int>(axis)}, {-1});
}

// The starts of segments of an axis, and their lengths.
struct ReducedParts {
  std::vector<std::int64_t> starts, lengths;
  [[nodiscard]] std::int64_t total() const {
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  }
};

ReducedParts parts_of(const Op& op, std::span<const std::int64_t> starts, std::int64_t length) {
  ReducedParts parts;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    if (starts[k] < 0 || starts[k] >= length)
      functions::index_error(std::string(op.name) + ".reduceat: index " + std::to_string(starts[k]) +
                             " is out of bounds for an axis of " + std::to_string(length) + " elements");
    const std::int64_t next = k + 1 < starts.size() ? starts[k + 1] : length;
    parts.starts.push_back(starts[k]);
    parts.lengths.push_back(next > starts[k] ? next - starts[k] : 1);
  }
  return parts;
}

Array stored(const Op& op, std::string_view method, Array result, const std::optional<Array>& out) {
  if (!out) return result;
  return functions::written(std::string(op.name) + "." + std::string(method), std::move(result),
                            {.array = functions::address(out), .broadcasts = false});
}

// For all vectors along the last axis.
Array element(const Array& array, std::int64_t k) {
  return view(array, {Index::ellipsis(), k});
}

Array at_last_axis(const Array& array, const ItemIndex& index) {
  const std::array<ItemIndex, 2> parts = {Index::ellipsis(), index};
  return get_item(array, parts);
}

HostPositions host_positions(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {{count}, std::move(values)};
}

// For elements of rows of this length, the row's number times `count` plus the row's entry.
Array numbered_rows(const Array& in_row, std::int64_t rows, std::int64_t count) {
  const Array row = arange(in_row.queue(), 0, count, rows, functions::index_type());
  return copy(functions::flattened(reshape(row, {rows, 1}) + in_row));
}

Array reduced_by_scan(const Op& op, const Array& x, const ReducedParts& parts) {
  const Queue queue = x.queue();
  const auto count = static_cast<std::int64_t>(parts.starts.size());
  const std::int64_t total = parts.total();
  std::vector<std::int64_t> first(parts.starts.size(), 0), last;
  std::partial_sum(parts.lengths.begin(), parts.lengths.end() - 1, first.begin() + 1);
  for (std::size_t k = 0; k < first.size(); ++k) last.push_back(first[k] + parts.lengths[k] - 1);
  const Array offsets = asarray(queue, first);
  const Array counter = copy(arange(queue, 0, 1, total, functions::index_type()));
  const Array part = upper_bound(queue, offsets, counter) - 1;
  const bool is_slice = std::adjacent_find(parts.starts.begin(), parts.starts.end(),
                                           std::greater_equal<>()) == parts.starts.end();
  const Array elements = is_slice ? view(x, {Index::ellipsis(), Index::slice(parts.starts[0])}) : [&] {
    const Array own = as_contiguous(part);
    const Array shift = asarray(queue, parts.starts) - offsets;
    return at_last_axis(x, as_contiguous(counter + gather(queue, as_contiguous(shift), own)));
  }();
  const std::int64_t rows = total == 0 ? 0 : functions::size_of(elements) / total;
  const Array totals = scanned(op, functions::flattened(elements), numbered_rows(part, rows, count));
  return at_last_axis(reshape(totals, elements.shape()), host_positions(last));
}

Array reduced_in_rounds(const Op& op, const Array& x, const ReducedParts& parts) {
  const Queue queue = x.queue();
  const std::int64_t length = x.shape().back();
  const Array lengths = asarray(queue, parts.lengths);
  const std::int64_t most = *std::max_element(parts.lengths.begin(), parts.lengths.end());
  Array result = at_last_axis(x, host_positions(parts.starts));
  for (std::int64_t k = 1; k < most; ++k) {
    std::vector<std::int64_t> places = parts.starts;
    for (std::int64_t& place : places) place = std::min(place + k, length - 1);
    const Array next = combined(op, result, at_last_axis(x, host_positions(std::move(places))), x.dtype());
    result = where(lengths > Number(k), next, result);
  }
  return result;
}

}  // namespace

Array reduce_at(const Op& op, const Array& array, std::span<const std::int64_t> starts,
                const FoldOptions& options) {
  const Array x = prepared(op, array, options, "reduceat");
  const ReducedParts parts = parts_of(op, starts, x.shape().back());
  Array result = x;
  if (starts.empty())
    result = at_last_axis(x, host_positions({}));
  else if (x.size() == 0)
    result = at_last_axis(x, host_positions(parts.starts));
  else
    result = is_associative(op) ? reduced_by_scan(op, x, parts) : reduced_in_rounds(op, x, parts);
  return stored(op, "reduceat", moveaxis(result, {-1}, {options.axis}), options.out);
}

namespace {

Array accumulated(const Op& op, const Array& x) {
  const std::int64_t length = x.shape().back();
  if (x.size() == 0) return copy(x);
  if (is_associative(op)) {
    const std::int64_t rows = functions::size_of(x) / length;
    const Array in_row = full(x.queue(), {length}, Number(0), functions::index_type());
    const Array totals = scanned(op, functions::flattened(x), numbered_rows(in_row, rows, 1));
    return reshape(totals, x.shape());
  }
  const Array result = copy(x);
  for (std::int64_t k = 1; k < length; ++k)
    assign(element(result, k), combined(op, element(result, k - 1), element(x, k), x.dtype()));
  return result;
}

}  // namespace

Array accumulate(const Op& op, const Array& array, const FoldOptions& options) {
  const std::optional<ScanOperation> prefix = scan_of(op);
  const bool is_sum = prefix == ScanOperation::sum || prefix == ScanOperation::product;
  if (prefix && (is_sum || !functions::is_complex(array.dtype()))) {
    const Array x = !is_sum && options.dtype ? astype(array, *options.dtype) : array;
    CumulativeOptions own{.axis = options.axis};
    if (is_sum) own.dtype = options.dtype;
    return stored(op, "accumulate", cumulative(*prefix, x, own), options.out);
  }
  const Array x = prepared(op, array, options, "accumulate");
  return stored(op, "accumulate", moveaxis(accumulated(op, x), {-1}, {options.axis}), options.out);
}

namespace {

// With an axis of length 1 for each axis of the second array.
Array outer_operand(const Array& a, const Array& b) {
  Shape shape = a.shape();
  shape.insert(shape.end(), b.shape().size(), 1);
  return reshape(a, std::move(shape));
}

}  // namespace

Array outer(const Op& op, const Array& a, const Array& b, const ElementwiseOptions& options) {
  return elementwise(op, std::array<Operand, 2>{outer_operand(a, b), b}, options);
}

Pair divmod_outer(const Array& a, const Array& b, const PairOptions& options) {
  return divmod(outer_operand(a, b), b, options);
}

namespace {

// The reduced axes at the end, as one axis.
struct Gathered {
  std::vector<int> axes;
  Shape result;        // the shape of the remaining axes
  std::int64_t count;  // the number of elements of one result

  Gathered(const Op& op, const Shape& shape, const ReduceOptions& options) : count(1) {
    const std::size_t rank = shape.size();
    const std::optional<std::vector<int>>& named = options.over.axes();
    // As in NumPy, a 0-d array has an axis 0.
    const bool is_number =
        rank == 0 && options.over.is_single() && (named->front() == 0 || named->front() == -1);
    if (options.over.all() || is_number) {
      axes.resize(rank);
      std::iota(axes.begin(), axes.end(), 0);
    } else {
      for (const int axis : *named) axes.push_back(static_cast<int>(checked_axis(axis, rank)));
      std::sort(axes.begin(), axes.end());
      if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
        functions::value_error(std::string(op.name) + ".reduce: an axis is repeated");
    }
    for (std::size_t d = 0; d < rank; ++d) {
      const bool is_gone = std::binary_search(axes.begin(), axes.end(), static_cast<int>(d));
      if (is_gone) count *= shape[d];
      if (!is_gone) kept_.push_back(shape[d]);
      if (!is_gone || options.keepdims) result.push_back(is_gone ? 1 : shape[d]);
    }
  }
  [[nodiscard]] Array vectors(const Array& array) const {
    std::vector<int> last(axes.size());
    std::iota(last.begin(), last.end(), -static_cast<int>(axes.size()));
    Shape flat = kept_;
    flat.push_back(count);
    return reshape(axes.empty() ? array : moveaxis(array, axes, last), std::move(flat));
  }
  // One element for each result.
  [[nodiscard]] Array filled(const Array& element) const { return copy(broadcast_to(element, kept_)); }

 private:
  Shape kept_;
};

// One element after the other, from the first or from `initial`.
Array folded_in_rounds(const Op& op, const Array& x, const DType& dtype, std::optional<Array> result,
                       const std::optional<Array>& mask) {
  std::int64_t k = 0;
  if (!result) result = astype(element(x, k++), dtype);
  for (; k < x.shape().back(); ++k) {
    const Array next = combined(op, *result, element(x, k), dtype);
    result = mask ? where(element(*mask, k), next, *result) : next;
  }
  return *result;
}

Array folded(const Op& op, const Array& array, const ReduceOptions& options) {
  const Gathered gathered(op, array.shape(), options);
  const Array vectors = gathered.vectors(array);
  const DType dtype = fold_type(op, vectors, {.axis = -1, .dtype = options.dtype}, "reduce");
  // An integer operand keeps its type beside results in floating point.
  const Array x = op.integer_operand >= 0 ? vectors : astype(vectors, dtype);
  const Queue queue = x.queue();
  std::optional<Array> first, mask;
  if (options.initial)
    first =
        astype(full(queue, {}, *options.initial, functions::default_type(*options.initial, queue)), dtype);
  const std::optional<Array> neutral = first ? first : identity_of(op, queue, dtype);
  if (options.where) {
    if (!neutral)
      functions::value_error(std::string(op.name) +
                             ".reduce: where= needs initial=, because the mask may exclude all elements");
    mask = gathered.vectors(broadcast_to(*options.where, array.shape()));
  }
  if (gathered.count == 0) {
    if (!neutral)
      functions::value_error(std::string(op.name) +
                             ".reduce: the array is empty, and the operation has no identity; pass initial=");
    return reshape(gathered.filled(*neutral), gathered.result);
  }
  if (!is_associative(op)) {
    if (first) first = gathered.filled(*first);
    return reshape(folded_in_rounds(op, x, dtype, first, mask), gathered.result);
  }
  const Array counted = mask ? where(*mask, x, *neutral) : x;
  const std::array<std::int64_t, 1> start = {0};
  Array result = reshape(reduce_at(op, counted, start, {.axis = -1, .dtype = dtype}), gathered.result);
  if (first) result = combined(op, *first, result, dtype);
  // NumPy starts with the identity, which makes single numbers positive here.
  return op.name == "gcd" || op.name == "hypot" ? quern::apply("absolute", {result}) : result;
}

}  // namespace

Array fold(const Op& op, const Array& array, const ReduceOptions& options) {
  const std::string_view reduction = op.folding.reduction;
  if (reduction.empty()) return stored(op, "reduce", folded(op, array, options), options.out);
  ReduceOptions own = options;
  own.out.reset();
  const bool takes_type = reduction == "sum" || reduction == "prod";
  if (!takes_type) own.dtype.reset();
  const bool is_test = reduction == "any" || reduction == "all";
  if (is_test && options.dtype && !functions::is_boolean(*options.dtype))
    functions::type_error(std::string(op.name) +
                          ".reduce: the result has dtype bool, not dtype=" + options.dtype->name());
  const Array x = !takes_type && !is_test && options.dtype ? astype(array, *options.dtype) : array;
  return stored(op, "reduce", reduce(reduction, x, own), options.out);
}

}  // namespace quern
