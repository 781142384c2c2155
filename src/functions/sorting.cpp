// SPDX-License-Identifier: MIT
// Sorting with NumPy's keywords, in new arrays and in place, and unique values.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "functions/operands.hpp"
#include "functions/rows.hpp"
#include "quern/cumulative.hpp"
#include "quern/error.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/sorting.hpp"
#include "quern/views.hpp"

namespace quern {
namespace {

void check_kth(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis) {
  const std::int64_t length =
      axis ? a.shape()[checked_axis(*axis, a.shape().size())] : static_cast<std::int64_t>(a.size());
  if (a.size() == 0) return;
  for (const std::int64_t k : kth)
    if (k < -length || k >= length)
      throw ArgumentError(ArgumentError::Kind::value, "kth: " + std::to_string(k) + " is out of bounds for " +
                                                          std::to_string(length) + " elements");
}

// The slices along an axis, sorted lexicographically, and their original indices.
Unique unique_parts(const Array& x, int axis) {
  const Queue queue = array::queue_of(x, nullptr);
  const DType position = DType::of(Scalar::int64), truth = DType::of(Scalar::boolean);
  const Array parts = moveaxis(x, {axis}, {0});
  const std::int64_t count = parts.shape()[0];
  std::int64_t width = 1;
  for (std::size_t d = 1; d < parts.shape().size(); ++d) width *= parts.shape()[d];
  const Array rows = width == 0 ? zeros(queue, {count, 1}, truth) : reshape(parts, {count, width});
  std::vector<Array> keys;
  for (std::int64_t k = rows.shape()[1]; k-- > 0;) keys.push_back(view(rows, {Index::slice(), k}));
  const Array order = lexsort(keys);
  const std::array<ItemIndex, 1> in_order = {order};
  const Array ordered = get_item(rows, in_order);
  const Array starts = full(queue, {count}, true, truth);
  assign(view(starts, {Index::slice(1)}),
         any(apply("not_equal", {view(ordered, {Index::slice(1)}), view(ordered, {Index::slice({}, -1)})}),
             {.over = 1}));
  const Array first = nonzero_indices(starts).front();
  const Array ends = full(queue, first.shape(), count, position);
  assign(view(ends, {Index::slice({}, -1)}), view(first, {Index::slice(1)}));
  const Array inverse = empty(queue, {count}, position);
  set_item(inverse, in_order, cumsum(starts, {.axis = 0}) - 1);
  const Array indices = get_item(order, std::array<ItemIndex, 1>{first});
  const Array values = moveaxis(get_item(parts, std::array<ItemIndex, 1>{indices}), {0}, {axis});
  return {values, indices, inverse, ends - first};
}

}  // namespace

void sort_in_place(const Array& array, int axis, SortOptions options) {
  assign(array, sort(array, axis, options), nullptr, 1);
}

Array partition(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis) {
  check_kth(a, kth, axis);
  return sort(a, axis);
}

Array argpartition(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis) {
  check_kth(a, kth, axis);
  return argsort(a, axis);
}

Array sort_complex(const Array& a) {
  const Array sorted = sort(a);
  const Scalar scalar = a.dtype().scalar;
  if (codegen::kind_of(a.dtype()) == codegen::Kinds::complex) return sorted;
  const bool is_short = codegen::kind_of(a.dtype()) == codegen::Kinds::integer && a.dtype().itemsize <= 2;
  const DType wide = functions::held_by(a.queue(), DType::of(Scalar::complex128));
  return astype(sorted, is_short && scalar != Scalar::boolean ? DType::of(Scalar::complex64) : wide);
}

Unique unique(const Array& ar, const UniqueOptions& options) {
  if (!options.axis) return unique_all(ar, options.equal_nan);
  return unique_parts(ar, static_cast<int>(checked_axis(*options.axis, ar.shape().size())));
}

UniqueCounts unique_counts(const Array& array, bool equal_nan) {
  Unique found = unique_all(array, equal_nan);
  return {std::move(found.values), std::move(found.counts)};
}

UniqueInverse unique_inverse(const Array& array, bool equal_nan) {
  Unique found = unique_all(array, equal_nan);
  return {std::move(found.values), std::move(found.inverse)};
}

namespace registry {
namespace {

// Sorts are always stable, so all kinds are the same.
void check_kind(const Arguments& a, std::size_t kind, std::size_t order) {
  constexpr std::array<std::string_view, 5> kKinds = {"stable", "quicksort", "mergesort", "heapsort",
                                                      "introselect"};
  if (a.has(kind) && std::find(kKinds.begin(), kKinds.end(), a.text(kind)) == kKinds.end())
    throw ArgumentError(ArgumentError::Kind::value, std::string(a.function().name) +
                                                        ": kind: expected one of NumPy's sort kinds, got '" +
                                                        std::string(a.text(kind)) + "'");
  if (a.has(order))
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(a.function().name) + ": order: sorting by fields is not supported");
}

// a, axis, kind, order, descending, stable
template <Array (*function)(const Array&, std::optional<int>, SortOptions, const Queue*)>
Result call_sort(const Arguments& a) {
  check_kind(a, 2, 3);
  return function(a.array(0), a.axis(1), {a.flag(4)}, nullptr);
}

// a, kth, axis, kind, order
template <Array (*function)(const Array&, std::span<const std::int64_t>, std::optional<int>)>
Result call_partition(const Arguments& a) {
  check_kind(a, 3, 4);
  return function(a.array(0), a.integers(1), a.axis(2));
}

// ar, return_index, return_inverse, return_counts, axis, equal_nan, sorted
Result call_unique(const Arguments& a) {
  const bool is_plain = !a.flag(1) && !a.flag(2) && !a.flag(3);
  if (is_plain && !a.has(4)) return unique_values(a.array(0), a.flag(5));
  Unique found = unique(a.array(0), {.axis = a.axis(4), .equal_nan = a.flag(5)});
  if (is_plain) return std::move(found.values);
  std::vector<Array> results = {std::move(found.values)};
  if (a.flag(1)) results.push_back(std::move(found.indices));
  if (a.flag(2)) results.push_back(std::move(found.inverse));
  if (a.flag(3)) results.push_back(std::move(found.counts));
  return results;
}

constexpr std::string_view kSort =
    "a: array, axis: int | None = -1, kind: str = None, order: str = None, *, descending: bool = False, "
    "stable: bool = None";
constexpr std::string_view kSortInPlace =
    "a: array, axis: int = -1, kind: str = None, order: str = None, *, descending: bool = False, "
    "stable: bool = None";
constexpr std::string_view kPartition =
    "a: array, kth: ints, axis: int | None = -1, kind: str = 'introselect', order: str = None";
constexpr std::string_view kPartitionInPlace =
    "a: array, kth: ints, axis: int = -1, kind: str = 'introselect', order: str = None";
constexpr std::string_view kSortAbout =
    "axis: Axis to sort along; negative values count from the last axis. None: the flattened "
    "array.\n"
    "kth: Index, or indices, of the elements that move to their sorted position.\n"
    "kind: Sort algorithm, by NumPy's names. Accepted for compatibility: every sort is stable.\n"
    "order: Must be None: sorting by fields of structured dtypes is not supported.\n"
    "descending: If True, sort from largest to smallest; NaNs still come last.\n"
    "stable: Accepted for compatibility: every sort is stable.";
constexpr std::string_view kInPlaceAbout =
    "axis: Axis to sort along; negative values count from the last axis.\n"
    "kth: Index, or indices, of the elements that move to their sorted position.\n"
    "kind: Sort algorithm, by NumPy's names. Accepted for compatibility: every sort is stable.\n"
    "order: Must be None: sorting by fields of structured dtypes is not supported.\n"
    "descending: If True, sort from largest to smallest; NaNs still come last.\n"
    "stable: Accepted for compatibility: every sort is stable.";
constexpr std::string_view kUniqueAbout =
    "ar: Input array, or anything that can be converted to one.\n"
    "return_index: If True, also return the index of the first occurrence of each value.\n"
    "return_inverse: If True, also return the indices that rebuild the array from the unique "
    "values.\n"
    "return_counts: If True, also return the number of occurrences of each value.\n"
    "axis: Axis whose sub-arrays are compared as a whole. None: the flattened array.\n"
    "equal_nan: If True, all NaNs count as one value.\n"
    "sorted: Accepted for compatibility: the values are always sorted.";
constexpr std::string_view kUniqueNotes =
    "Each NaN counts as a separate value. The call waits for the number of values.";

const Function kSortingRows[] = {
    {.name = "sort",
     .parameters = kSort,
     .summary = "Sorted copy of an array along an axis.",
     .notes = "NaNs come last. Complex numbers are compared by real part, then by imaginary part.",
     .about = kSortAbout,
     .returns = "The sorted elements; one-dimensional if `axis` is None.",
     .example = ">>> print(qn.sort([[3, 1, 2], [6, 5, 4]]))\n[[1 2 3]\n [4 5 6]]\n"
                ">>> print(qn.sort([3, 1, 2], descending=True))\n[3 2 1]",
     .call = call_sort<sort>},
    {.name = "Array.sort",
     .parameters = kSortInPlace,
     .summary = "Sort the array in place along an axis.",
     .about = kInPlaceAbout,
     .returns = "None. The array is sorted in place.",
     .type = "None",
     .example = ">>> x = qn.asarray([3, 1, 2])\n>>> x.sort()\n>>> print(x)\n[1 2 3]",
     .call = [](const Arguments& a) -> Result {
       check_kind(a, 2, 3);
       sort_in_place(a.array(0), *a.axis(1), {a.flag(4)});
       return {};
     }},
    {.name = "argsort",
     .parameters = kSort,
     .summary = "Indices that sort an array along an axis.",
     .notes = "Equal elements keep their order, and NaNs come last.",
     .about = kSortAbout,
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.argsort([30, 10, 20]))\n[1 2 0]",
     .is_method = true,
     .call = call_sort<argsort>},
    {.name = "sort_complex",
     .parameters = "a: array",
     .summary = "Sorted copy as complex numbers: by real part, then by imaginary part.",
     .returns = "Complex array, sorted along the last axis; complex64 for 8-bit and 16-bit integers.",
     .example = ">>> print(qn.sort_complex([2, 1 + 2j, 1 - 2j]))\n[1.-2.j 1.+2.j 2.+0.j]",
     .call = [](const Arguments& a) -> Result { return sort_complex(a.array(0)); }},
    {.name = "lexsort",
     .parameters = "keys: arrays, axis: int = -1",
     .summary = "Indices that sort by several keys; the last key is the primary one.",
     .about = "keys: Arrays of the same shape; the last one is the primary sort key.\n"
              "axis: Axis to sort along.",
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.lexsort([[9, 4, 0, 4], [1, 5, 1, 4]]))\n[2 0 3 1]",
     .call = [](const Arguments& a) -> Result { return lexsort(a.arrays(0), *a.axis(1)); }},
    {.name = "partition",
     .parameters = kPartition,
     .summary = "Partitioned copy: element `kth` at its sorted position, smaller ones before, larger ones "
                "after it.",
     .notes = "The whole array is sorted.",
     .about = kSortAbout,
     .returns = "The partitioned elements; one-dimensional if `axis` is None.",
     .example = ">>> print(qn.partition([5, 1, 4, 2], 1)[1])\n2",
     .call = call_partition<partition>},
    {.name = "Array.partition",
     .parameters = kPartitionInPlace,
     .summary = "Partition in place: element `kth` at its sorted position, smaller ones before, larger after "
                "it.",
     .notes = "The whole array is sorted.",
     .about = kInPlaceAbout,
     .returns = "None. The array is partitioned in place.",
     .type = "None",
     .example = ">>> x = qn.asarray([5, 1, 4, 2])\n>>> x.partition(1)\n>>> print(x[1])\n2",
     .call = [](const Arguments& a) -> Result {
       check_kind(a, 3, 4);
       assign(a.array(0), partition(a.array(0), a.integers(1), a.axis(2)), nullptr, 1);
       return {};
     }},
    {.name = "argpartition",
     .parameters = kPartition,
     .summary = "Indices that partition an array: a[argpartition(a, kth)] is partition(a, kth).",
     .about = kSortAbout,
     .returns = "Array of int64 indices.",
     .example = ">>> print(qn.argpartition([5, 1, 4, 2], 1)[1])\n3",
     .is_method = true,
     .call = call_partition<argpartition>},
    {.name = "unique",
     .parameters = "ar: array, return_index: bool = False, return_inverse: bool = False, "
                   "return_counts: bool = False, axis: int = None, *, equal_nan: bool = True, "
                   "sorted: bool = True",
     .summary = "Sorted unique values of an array.",
     .notes = "The call waits for the number of values, which gives the shape of the result.",
     .about = kUniqueAbout,
     .returns = "The unique values; a tuple with the additional arrays in the order of the parameters.",
     .type = "Any",
     .example = ">>> print(qn.unique([3, 1, 3, 2]))\n[1 2 3]\n"
                ">>> values, counts = qn.unique([3, 1, 3], return_counts=True)\n>>> print(counts)\n[1 2]",
     .call = call_unique},
    {.name = "unique_all",
     .parameters = "x: array",
     .summary = "Sorted unique values of an array, with first indices, inverse indices and counts.",
     .notes = kUniqueNotes,
     .returns = "A named tuple of `values`, `indices`, `inverse_indices` and `counts`.",
     .type = "UniqueAllResult",
     .example = ">>> print(qn.unique_all([3, 1, 3]).inverse_indices)\n[1 0 1]",
     .call = [](const Arguments& a) -> Result {
       Unique found = unique_all(a.array(0));
       return std::vector<Array>{found.values, found.indices, found.inverse, found.counts};
     }},
    {.name = "unique_counts",
     .parameters = "x: array",
     .summary = "Sorted unique values of an array, and the number of occurrences of each.",
     .notes = kUniqueNotes,
     .returns = "A named tuple of `values` and `counts`.",
     .type = "UniqueCountsResult",
     .example = ">>> print(qn.unique_counts([3, 1, 3]).counts)\n[1 2]",
     .call = [](const Arguments& a) -> Result {
       const UniqueCounts found = unique_counts(a.array(0));
       return std::vector<Array>{found.values, found.counts};
     }},
    {.name = "unique_inverse",
     .parameters = "x: array",
     .summary = "Sorted unique values of an array, and the indices that rebuild it from them.",
     .notes = kUniqueNotes,
     .returns = "A named tuple of `values` and `inverse_indices`.",
     .type = "UniqueInverseResult",
     .example = ">>> print(qn.unique_inverse([3, 1, 3]).inverse_indices)\n[1 0 1]",
     .call = [](const Arguments& a) -> Result {
       const UniqueInverse found = unique_inverse(a.array(0));
       return std::vector<Array>{found.values, found.inverse};
     }},
    {.name = "unique_values",
     .parameters = "x: array",
     .summary = "Sorted unique values of an array.",
     .notes = kUniqueNotes,
     .returns = "The sorted unique values, as a one-dimensional array.",
     .example = ">>> print(qn.unique_values([3, 1, 3]))\n[1 3]",
     .call = [](const Arguments& a) -> Result { return unique_values(a.array(0)); }},
};

}  // namespace

std::span<const Function> sorting_rows() {
  return kSortingRows;
}

}  // namespace registry
}  // namespace quern
