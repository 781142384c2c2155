// SPDX-License-Identifier: MIT
// Binary search in sorted arrays, and merging of two sorted arrays. Arrays are one-dimensional and
// contiguous, of any integer or floating-point dtype or bool, sorted as by sort().
#pragma once

#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"
#include "quern/sort.hpp"

namespace QUERN_API quern {

// The index at which each value would be inserted into the sorted `keys`: before equal keys
// (numpy.searchsorted's left side), or after them. NaNs are equal and sort after all numbers. Indices are
// int64.
Array lower_bound(const Queue& queue, const Array& keys, const Array& values, SortOptions options = {});
Event lower_bound(const Queue& queue, const Array& keys, const Array& values, const Array& out,
                  SortOptions options = {}, WaitList wait_for = {});
Array upper_bound(const Queue& queue, const Array& keys, const Array& values, SortOptions options = {});
Event upper_bound(const Queue& queue, const Array& keys, const Array& values, const Array& out,
                  SortOptions options = {}, WaitList wait_for = {});

// All elements of two sorted arrays, sorted; of equal elements those of `a` come first. `out` shares no
// memory with either.
Array merge(const Queue& queue, const Array& a, const Array& b, SortOptions options = {});
Event merge(const Queue& queue, const Array& a, const Array& b, const Array& out, SortOptions options = {},
            WaitList wait_for = {});

// Keys with a value each, of any dtype.
struct KeysAndValues {
  Array keys, values;
};
KeysAndValues merge_by_key(const Queue& queue, const KeysAndValues& a, const KeysAndValues& b,
                           SortOptions options = {});
Event merge_by_key(const Queue& queue, const KeysAndValues& a, const KeysAndValues& b,
                   const KeysAndValues& out, SortOptions options = {}, WaitList wait_for = {});

}  // namespace quern
