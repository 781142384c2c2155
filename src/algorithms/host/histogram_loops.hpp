// SPDX-License-Identifier: MIT
// Histograms by functions of the library, on the host.
#pragma once

#include <cstddef>
#include <utility>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Contiguous, not empty, of real numbers; `out` is of int64, or of float64 where there are weights. With
// edges, one more than bins, these are looked up, first where bins of equal width would be; without,
// elements are the numbers of their bins.
struct HistogramWork {
  const Array *x, *weights, *out;
  Buffer edges;
  DType compared;  // what edges are
  double low = 0, scale = 0;
};
Event count_by_loops(const Queue& queue, const HistogramWork& work);

// The least and the greatest element, converted to float32, float64 or uint64; NaNs where there are any.
// Waits.
template <class T>
std::pair<T, T> extremes_by_loops(const Queue& queue, const Array& x);

}  // namespace quern::algorithms
