// SPDX-License-Identifier: MIT
// Places in sorted arrays, and two sorted arrays merged into one. Arrays are one-dimensional and contiguous,
// of every integer and floating-point dtype and bool, in the order that sort() gives them.
#pragma once

#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"
#include "quern/sort.hpp"

namespace QUERN_API quern {

// Where each value belongs in the sorted `keys`: in front of those that are equal (numpy.searchsorted's left
// side), or behind them. NaNs are equal, and belong behind all numbers. The places are int64.
Array lower_bound(const Queue& queue, const Array& keys, const Array& values, SortOptions options = {});
Event lower_bound(const Queue& queue, const Array& keys, const Array& values, const Array& out,
                  SortOptions options = {}, WaitList wait_for = {});
Array upper_bound(const Queue& queue, const Array& keys, const Array& values, SortOptions options = {});
Event upper_bound(const Queue& queue, const Array& keys, const Array& values, const Array& out,
                  SortOptions options = {}, WaitList wait_for = {});

// All elements of two sorted arrays, sorted; of equal ones those of `a` come first. `out` shares nothing with
// either.
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
