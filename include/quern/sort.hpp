// SPDX-License-Identifier: MIT
// Sorting: a stable radix sort of every integer and floating-point dtype and bool.
//
// Arrays are one-dimensional and contiguous. The order is NumPy's: NaNs come last, ascending and descending.
// In argsort and sort_by_key, keys that compare equal (0.0 and -0.0 too, and all NaNs) keep their order,
// descending as well. sort itself puts -0.0 before 0.0, or after it when descending.
#pragma once

#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

struct SortOptions {
  bool descending = false;
};

// The sorted keys, in a new array or in `out`, which may be `keys` itself.
Array sort(const Queue& queue, const Array& keys, SortOptions options = {});
Event sort(const Queue& queue, const Array& keys, const Array& out, SortOptions options = {},
           WaitList wait_for = {});

// The indices that sort the keys: int64, or in `out` any integer of 32 or 64 bits that can count the keys.
Array argsort(const Queue& queue, const Array& keys, SortOptions options = {});
Event argsort(const Queue& queue, const Array& keys, const Array& out, SortOptions options = {},
              WaitList wait_for = {});

// Keys with a value each, of any dtype. The outputs may be the inputs themselves.
std::pair<Array, Array> sort_by_key(const Queue& queue, const Array& keys, const Array& values,
                                    SortOptions options = {});
Event sort_by_key(const Queue& queue, const Array& keys, const Array& values, const Array& keys_out,
                  const Array& values_out, SortOptions options = {}, WaitList wait_for = {});

}  // namespace quern
