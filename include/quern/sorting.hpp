// SPDX-License-Identifier: MIT
// NumPy's sorting functions for arrays of any shape, and unique values.
//
// Sorts are stable, with NaNs last, ascending and descending. Complex numbers are compared by their real and
// then by their imaginary part; those with NaN come last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/sort.hpp"

namespace QUERN_API quern {

// Negative axes count from the end; without an axis, all elements in C order.
Array sort(const Array& array, std::optional<int> axis = -1, SortOptions options = {},
           const Queue* queue = nullptr);
// The indices that sort the elements along the axis: int64.
Array argsort(const Array& array, std::optional<int> axis = -1, SortOptions options = {},
              const Queue* queue = nullptr);
// Sorts in place.
void sort_in_place(const Array& array, int axis = -1, SortOptions options = {});
// Sorted along the last axis, as complex numbers.
Array sort_complex(const Array& a);
// The indices that sort by the last of these arrays; ties are broken by the array before it, and so on.
Array lexsort(std::span<const Array> keys, int axis = -1, const Queue* queue = nullptr);

// Partial sort: the elements `kth` are at their sorted positions, lesser elements before and greater ones
// after them. The implementation sorts all. Throws ArgumentError if `kth` is out of bounds.
Array partition(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis = -1);
inline Array partition(const Array& a, std::int64_t kth, std::optional<int> axis = -1) {
  return partition(a, std::span<const std::int64_t>(&kth, 1), axis);
}
// The indices from which partition() takes the elements.
Array argpartition(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis = -1);
inline Array argpartition(const Array& a, std::int64_t kth, std::optional<int> axis = -1) {
  return argpartition(a, std::span<const std::int64_t>(&kth, 1), axis);
}

// The sorted unique values of all elements; the first index of each, in C order; the inverse indices, in the
// array's shape; and the counts. Indices and counts are int64. Waits for the number of values.
struct Unique {
  Array values, indices, inverse, counts;
};
// If `equal_nan` is set, all NaNs are one value; otherwise each is a separate value.
Unique unique_all(const Array& array, bool equal_nan = false, const Queue* queue = nullptr);
Array unique_values(const Array& array, bool equal_nan = false, const Queue* queue = nullptr);
struct UniqueCounts {
  Array values, counts;
};
UniqueCounts unique_counts(const Array& array, bool equal_nan = false);
struct UniqueInverse {
  Array values, inverse;
};
UniqueInverse unique_inverse(const Array& array, bool equal_nan = false);
struct UniqueOptions {
  std::optional<int> axis = {};  // slices along this axis are the values, compared element by element
  bool equal_nan = true;         // for all elements; slices with NaN are never equal
};
Unique unique(const Array& ar, const UniqueOptions& options = {});

}  // namespace quern
