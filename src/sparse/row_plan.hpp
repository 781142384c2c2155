// SPDX-License-Identifier: MIT
// How products divide the rows of a matrix among work-items: patterns of rows, tiles and shares. Computed
// from the structure at the first product and kept with it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "algorithms/launch/kernel_table.hpp"
#include "quern/array.hpp"
#include "quern/dtype.hpp"
#include "quern/queue.hpp"

namespace quern::sparse {

class Csr;

// Whether the device runs work-groups of many work-items rather than a chunk of rows on each.
[[nodiscard]] bool is_in_groups(const Queue& queue);

// How many chunks the threads of a CPU share: several for each, so that all end at the same time.
struct Chunks {
  std::int64_t count, weight;  // weight: entries and rows of a chunk
};
[[nodiscard]] Chunks chunks_for(const Queue& queue, std::int64_t rows, std::int64_t entries);

// A kernel of sparse_structure.cl.
algorithms::LibraryKernel structure_kernel(const char* name, const DType& index);

// Work-items of a group.
inline constexpr std::int64_t kRowThreads = 256;

// Rows whose columns, counted from the diagonal, are the same in the same order have one pattern.
struct RowPatterns {
  std::int64_t longest;  // entries of the longest pattern
  Array codes;           // uint8: pattern of each row
  Array blocks;          // int32: pattern of all rows of each block, or -1
  Array lengths;         // int32: entries of each pattern
  Array offsets;         // columns of each pattern
  Array table;           // int32: 1 + a row of each pattern, or 0
};
inline constexpr std::int64_t kPatternBlock = 256;   // rows of a block; as in sparse_patterns.cl
inline constexpr std::int64_t kPatternSlots = 256;   // the most patterns; as in sparse_structure.cl
inline constexpr std::int64_t kPatternEntries = 64;  // the most entries of a pattern

// Parts of the rows, of about `span` entries and rows together.
struct RowSplit {
  std::int64_t span, count;
  Array starts;  // row in which each part begins, and the number of rows
};

// What is known of the rows of a structure.
struct RowPlan {
  std::optional<std::int64_t> longest = {};                  // entries of the longest row
  std::optional<std::optional<RowPatterns>> patterns = {};   // of the matrix, if it has few
  std::map<std::int64_t, RowSplit> tiles = {}, shares = {};  // by span
};

// Returns the patterns of the rows, or null if there are many, or the matrix is small. Waits on the first
// call.
const RowPatterns* patterns_of(const Csr& matrix);
// Returns the number of entries of the longest row. Waits on the first call.
std::int64_t longest_row(const Csr& matrix);
// Tiles have whole rows. Shares have as many entries and ends of rows as each other.
const RowSplit& tiles_of(const Csr& matrix, std::int64_t span);
const RowSplit& shares_of(const Csr& matrix, std::int64_t span);

}  // namespace quern::sparse
