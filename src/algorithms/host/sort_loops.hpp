// SPDX-License-Identifier: MIT
// What is done with keys by functions of the library, on the host: sorting, searching and merging. Arguments
// have been checked.
#pragma once

#include <cstddef>

#include "algorithms/radix_sort.hpp"
#include "algorithms/sort_keys.hpp"
#include "quern/array.hpp"

namespace quern::algorithms {

Event sort_by_loops(const Queue& queue, const RadixSort& sort);

// The places of values in sorted keys; neither is empty.
Event find_by_loops(const Queue& queue, const KeyOrder& order, bool upper, const Array& keys,
                    const Array& values, const Array& out);

// One side of a merge; values of any size, or none.
struct MergeSide {
  Buffer keys, values;
  std::size_t size = 0;
};
Event merge_by_loops(const Queue& queue, const KeyOrder& order, const MergeSide& a, const MergeSide& b,
                     const MergeSide& out, std::size_t value_size);

}  // namespace quern::algorithms
