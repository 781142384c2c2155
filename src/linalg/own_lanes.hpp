// SPDX-License-Identifier: MIT
// Stacks of small real matrices on the host, without a library: each lane of a SIMD register computes another
// matrix of the stack.
#pragma once

#include <cstdint>

namespace quern::linalg::own {

inline constexpr std::int64_t kMostLaneRows = 16;

// Where the elements of a stack are. Steps are elements: from row to row, from column to column, and from
// matrix to matrix.
template <class T>
struct LaneStack {
  T* data = nullptr;
  std::int64_t row_step = 0, column_step = 0, step = 0;
};

// For float and double, and up to kMostLaneRows rows and columns of the right side. Each function computes
// `count` matrices, and returns the number of the first without a result, or -1.

// x = the solutions of a x = b with partial pivoting; without b the inverses of a.
template <class T>
std::int64_t solve_lanes(std::int64_t n, std::int64_t columns, std::int64_t count,
                         const LaneStack<const T>& a, const LaneStack<const T>* b, const LaneStack<T>& x);
// The factors L of L L^T. Reads the lower triangle of a, and writes zeros above the diagonal.
template <class T>
std::int64_t factor_lanes(std::int64_t n, std::int64_t count, const LaneStack<const T>& a,
                          const LaneStack<T>& factor);

}  // namespace quern::linalg::own
