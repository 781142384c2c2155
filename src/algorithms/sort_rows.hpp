// SPDX-License-Identifier: MIT
// Rows of keys, sorted each for itself.
#pragma once

#include <cstddef>
#include <span>

#include "quern/array.hpp"
#include "quern/queue.hpp"
#include "quern/sort.hpp"

namespace quern::algorithms {

struct Rows {
  std::size_t count = 1, length = 0;
  [[nodiscard]] std::size_t size() const { return count * length; }
};

// All rows behind each other: contiguous, of one axis, and not empty.
struct RowKey {
  Array values;
  SortOptions options;
};

void sort_rows(const Queue& queue, const Array& keys, const Rows& rows, const Array& out,
               SortOptions options);
// Which element of its row comes at each place, as int64. Among several keys the first counts least.
void argsort_rows(const Queue& queue, std::span<const RowKey> keys, const Rows& rows, const Array& out);
// The same, counted from the start of the first row: uint32, or uint64 where these are too many.
Array positions_of_rows(const Queue& queue, std::span<const RowKey> keys, const Rows& rows);

}  // namespace quern::algorithms
