// SPDX-License-Identifier: MIT
// Sorts each row of an array separately.
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

// A key of all rows: contiguous, one-dimensional and not empty.
struct RowKey {
  Array values;
  SortOptions options;
};

void sort_rows(const Queue& queue, const Array& keys, const Rows& rows, const Array& out,
               SortOptions options);
// Writes the int64 positions within each row that sort it. With several keys, the last one is the primary
// key.
void argsort_rows(const Queue& queue, std::span<const RowKey> keys, const Rows& rows, const Array& out);
// Returns positions counted from the start of the first row, as uint32, or as uint64 if these are too narrow.
Array positions_of_rows(const Queue& queue, std::span<const RowKey> keys, const Rows& rows);

}  // namespace quern::algorithms
