// SPDX-License-Identifier: MIT
// Histograms: of one-dimensional, contiguous arrays, and NumPy's functions for any array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/host_numbers.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

// Bins of equal width from low to high. Each bin includes its lower edge, and the last one its upper edge
// too. Elements outside the range, and NaN, are not counted.
struct UniformBins {
  std::size_t count = 10;
  double low = 0, high = 1;
};

// The edges that numpy.linspace(low, high, count + 1) gives in the dtype in which elements are compared:
// float32 for float32 elements, otherwise float64.
std::vector<double> bin_edges(const UniformBins& bins, const DType& dtype);

// The minimum and maximum element, NumPy's default range; waits for them. Throws ArgumentError if one is not
// finite.
std::pair<double, double> finite_range(const Queue& queue, const Array& x);

// Counts the elements in each bin, as int64. With weights (one number per element) it sums them, as float64,
// in an order that may vary. `edges` is an increasing array on the device, of float64, or of float32 for
// float32 elements; it has one more element than there are bins.
Array histogram(const Queue& queue, const Array& x, const UniformBins& bins, const Array* weights = nullptr);
Event histogram(const Queue& queue, const Array& x, const UniformBins& bins, const Array& out,
                const Array* weights = nullptr, WaitList wait_for = {});
Array histogram(const Queue& queue, const Array& x, const Array& edges, const Array* weights = nullptr);
Event histogram(const Queue& queue, const Array& x, const Array& edges, const Array& out,
                const Array* weights = nullptr, WaitList wait_for = {});

// Counts how often each number i occurs, in out[i]; numbers beyond `out` are not counted. Without `out` the
// call waits for the maximum, and a negative number throws ArgumentError.
Array bincount(const Queue& queue, const Array& x, std::size_t min_length = 0,
               const Array* weights = nullptr);
Event bincount(const Queue& queue, const Array& x, const Array& out, const Array* weights = nullptr,
               WaitList wait_for = {});

// NumPy's functions, for arrays of any shape.

// The number of bins of equal width, increasing bin edges, or NumPy's name of a rule for the number of bins:
// "auto", "fd", "doane", "scott", "stone", "rice", "sturges" or "sqrt".
using Bins = std::variant<std::int64_t, HostNumbers, Array, std::string>;
using BinRange = std::optional<std::pair<double, double>>;  // by default from the minimum to the maximum

struct HistogramOptions {
  BinRange range = {};
  bool density = false;               // divide by the bin width and the total
  std::optional<Array> weights = {};  // in the array's shape
};
struct Histogram {
  Array counts, edges;
};
// Counts are int64; sums of weights have the weights' dtype. Without a range the call waits for the minimum
// and maximum.
Histogram histogram(const Array& a, const Bins& bins = 10, const HistogramOptions& options = {});
Array histogram_bin_edges(const Array& a, const Bins& bins = 10, const BinRange& range = {});

struct JointOptions {
  std::vector<BinRange> ranges = {};  // none, or one for each variable
  bool density = false;
  std::optional<Array> weights = {};  // one for each observation
};
struct JointHistogram {
  Array counts;  // floating point, with an axis for each variable
  std::vector<Array> edges;
};
// Of several variables: each has its observations in a one-dimensional array, and its own bins.
JointHistogram histogramdd(std::span<const Array> sample, std::span<const Bins> bins,
                           const JointOptions& options = {});
struct Histogram2d {
  Array counts, x_edges, y_edges;
};
Histogram2d histogram2d(const Array& x, const Array& y, const Bins& x_bins = 10, const Bins& y_bins = 10,
                        const JointOptions& options = {});

// How often each number from 0 on occurs in a one-dimensional array, or the sums of its weights. Waits for
// the maximum.
Array bincount(const Array& x, const std::optional<Array>& weights = {}, std::int64_t minlength = 0);
// The index of the bin of each element: 0 below the first edge, the number of edges above the last. Edges
// increase or decrease. An edge belongs to the bin after it or, with `right`, to the bin before it.
Array digitize(const Array& x, const HostNumbers& bins, bool right = false);

}  // namespace quern
