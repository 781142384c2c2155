// SPDX-License-Identifier: MIT
// How a matrix product on the host is divided into blocks.
#pragma once

#include <cstdint>
#include <limits>

#include "algorithms/matmul.hpp"

namespace quern::algorithms {

// Bytes of a block in scratch memory: of sums that are wider than the elements of the result, or of a product
// that an expression reads.
inline constexpr std::size_t kSumBytes = std::size_t{512} << 10;

// Rows and columns of a block, and the steps along the summed axis for which a block has a result of its own.
struct Blocks {
  std::int64_t rows, columns, chunk;
};

// What the division of a product into blocks depends on, beside its size.
struct BlockRules {
  static constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  Scalar scalar;                 // of the operands
  bool is_symmetric = false;     // blocks are square
  bool is_by_library = false;    // BLAS multiplies the blocks
  bool has_whole_lines = false;  // the elements of a matrix line follow each other
  bool is_depth_whole = false;   // the summed axis is not divided
  bool divides_steps = false;    // a matrix has whole steps of the summed axis: these are divided first
  std::int64_t most_elements = kAny, most_rows = kAny, most_columns = kAny;  // of a block
};

// Whether a matrix of the stack is too small for panels. Such a matrix is one block.
inline constexpr std::int64_t kMostSmallColumns = 16, kMostSmallWork = 256;
[[nodiscard]] bool is_small_product(const MatmulSize& size);

// Whether one operand is a vector. Such a product reads the other one once, so it needs no panels.
[[nodiscard]] inline bool is_vector_product(std::int64_t m, std::int64_t n) {
  return m == 1 || n == 1;
}

// The elements from which on the matrix of a product with a vector comes from memory, not from the caches.
inline constexpr std::int64_t kLargeMatrix = std::int64_t{1} << 22;

// The rules for a product of this dtype, which an epilogue may read.
[[nodiscard]] BlockRules rules_of(Scalar scalar, const DType& dtype, const Epilogue& epilogue);

// Divides a product into blocks for all threads. Blocks are as large as possible, because each packs its rows
// and columns itself.
[[nodiscard]] Blocks divided(const Queue& queue, const MatmulSize& size, const BlockRules& rules);

}  // namespace quern::algorithms
