// SPDX-License-Identifier: MIT
// Histograms of one-dimensional, contiguous arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace quern {

// Bins of equal width from low to high. Each holds its lower edge, the last one its upper edge too; what is
// outside of the range, and NaN, is not counted.
struct UniformBins {
  std::size_t count = 10;
  double low = 0, high = 1;
};

// The edges that numpy.linspace(low, high, count + 1) gives in the dtype that elements are compared in:
// float32 for elements of float32, otherwise float64.
std::vector<double> bin_edges(const UniformBins& bins, const DType& dtype);

// The least and the greatest element, which are the range that NumPy takes when it is given none; waits for
// them. Throws ArgumentError where one is not finite.
std::pair<double, double> finite_range(const Queue& queue, const Array& x);

// How many elements fall into each bin, as int64. With weights (a number for each element) their sums, as
// float64, in an order that is not always the same. `edges` is an increasing array on the device, of float64,
// or of float32 for elements of float32; it has one element more than there are bins.
Array histogram(const Queue& queue, const Array& x, const UniformBins& bins, const Array* weights = nullptr);
Event histogram(const Queue& queue, const Array& x, const UniformBins& bins, const Array& out,
                const Array* weights = nullptr, WaitList wait_for = {});
Array histogram(const Queue& queue, const Array& x, const Array& edges, const Array* weights = nullptr);
Event histogram(const Queue& queue, const Array& x, const Array& edges, const Array& out,
                const Array* weights = nullptr, WaitList wait_for = {});

// How often each number occurs, out[i] for i; what out has no element for is not counted. Without `out` the
// call waits for the greatest number, and a negative one is an ArgumentError.
Array bincount(const Queue& queue, const Array& x, std::size_t min_length = 0,
               const Array* weights = nullptr);
Event bincount(const Queue& queue, const Array& x, const Array& out, const Array* weights = nullptr,
               WaitList wait_for = {});

}  // namespace quern
