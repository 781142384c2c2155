// SPDX-License-Identifier: MIT
// Histograms of one-dimensional, contiguous arrays, and of any with NumPy's rules.
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

// NumPy's functions, of arrays of any shape.

// How many bins of equal width, or their edges, which increase, or NumPy's name of a rule for their number:
// "auto", "fd", "doane", "scott", "stone", "rice", "sturges" or "sqrt".
using Bins = std::variant<std::int64_t, HostNumbers, Array, std::string>;
using BinRange = std::optional<std::pair<double, double>>;  // nothing: from the least element to the greatest

struct HistogramOptions {
  BinRange range = {};
  bool density = false;               // divided by the width of the bin and by the whole
  std::optional<Array> weights = {};  // of the array's shape
};
struct Histogram {
  Array counts, edges;
};
// Counts are int64; sums of weights are of their type. Without a range the call waits for the extremes.
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
// Of several variables, with the observations of each in an array of one axis, and one kind of bins for each.
JointHistogram histogramdd(std::span<const Array> sample, std::span<const Bins> bins,
                           const JointOptions& options = {});

// How often each number from 0 on occurs in an array of one axis, or the sums of its weights. Waits for the
// greatest.
Array bincount(const Array& x, const std::optional<Array>& weights = {}, std::int64_t minlength = 0);
// Which bin each element belongs to: 0 in front of the first edge, as many as there are edges behind the
// last. The edges increase or decrease; each belongs to the bin behind it, or with `right` to that before it.
Array digitize(const Array& x, const HostNumbers& bins, bool right = false);

}  // namespace quern
