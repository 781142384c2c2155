// SPDX-License-Identifier: MIT
// Arrays of any shape in order: sorted along an axis, and what is in them once.
//
// The order is NumPy's, stable, with NaNs last, ascending and descending; complex numbers are compared by
// their real and then by their imaginary part, those with NaN last.
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
// Which element along the axis comes at each place: int64.
Array argsort(const Array& array, std::optional<int> axis = -1, SortOptions options = {},
              const Queue* queue = nullptr);
// The array itself is put in order.
void sort_in_place(const Array& array, int axis = -1, SortOptions options = {});
// Sorted along the last axis, as complex numbers.
Array sort_complex(const Array& a);
// What puts the last of these arrays of one shape in order along an axis, where it is equal the one before
// it, and so on.
Array lexsort(std::span<const Array> keys, int axis = -1, const Queue* queue = nullptr);

// The elements `kth` where a sort puts them, lesser ones before and greater ones behind; all are sorted here.
// Throws ArgumentError where an axis has no such element.
Array partition(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis = -1);
inline Array partition(const Array& a, std::int64_t kth, std::optional<int> axis = -1) {
  return partition(a, std::span<const std::int64_t>(&kth, 1), axis);
}
// The positions that partition() takes the elements from.
Array argpartition(const Array& a, std::span<const std::int64_t> kth, std::optional<int> axis = -1);
inline Array argpartition(const Array& a, std::int64_t kth, std::optional<int> axis = -1) {
  return argpartition(a, std::span<const std::int64_t>(&kth, 1), axis);
}

// Of all elements, each value once and in order; where it first is, in C order; which of the values each
// element is, in the array's shape; and how many are equal to it. The positions and counts are int64. Waits
// for the number of values.
struct Unique {
  Array values, indices, inverse, counts;
};
// NaNs are one value where `equal_nan` is set, otherwise each is one of its own.
Unique unique_all(const Array& array, bool equal_nan = false, const Queue* queue = nullptr);
Array unique_values(const Array& array, bool equal_nan = false, const Queue* queue = nullptr);
struct UniqueOptions {
  std::optional<int> axis = {};  // the parts along it are the values, compared element by element
  bool equal_nan = true;         // of all elements; parts with NaN are never equal
};
Unique unique(const Array& ar, const UniqueOptions& options = {});

}  // namespace quern
