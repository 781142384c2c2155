// SPDX-License-Identifier: MIT
// Order statistics, means with weights and covariances, with NumPy's rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/host_numbers.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// How a quantile that falls between two elements is taken: those of Hyndman and Fan, then NumPy's others.
enum class QuantileMethod : std::uint8_t {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
};
// By NumPy's name; throws ArgumentError naming the function for another text.
QuantileMethod quantile_method_of(std::string_view name, std::string_view function);

struct QuantileOptions {
  Over over = {};
  bool keepdims = false;
  QuantileMethod method = QuantileMethod::linear;
  // Of the array's shape, or of the lengths of the axes. Only inverted_cdf takes them. They are waited for.
  std::optional<Array> weights = {};
  std::optional<Array> out = {};
};

// What a part q of the elements, from 0 to 1, is not above; the axes of q come first in the result. It is NaN
// where there is one among the elements, or nothing.
Array quantile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});
// The same with q from 0 to 100.
Array percentile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});
// The same of what is not NaN.
Array nanquantile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});
Array nanpercentile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});

// The element in the middle of the sorted ones, or the mean of the two there. Of the options they read
// `over`, `keepdims` and `out`.
Array median(const Array& a, const ReduceOptions& options = {});
Array nanmedian(const Array& a, const ReduceOptions& options = {});

struct AverageOptions {
  Over over = {};
  bool keepdims = false;
  std::optional<Array> weights = {};  // of the array's shape, or of the lengths of the axes
};
// The mean with weights, and the sums of the weights.
struct Average {
  Array mean, weights;
};
Average average(const Array& a, const AverageOptions& options = {});

struct CovarianceOptions {
  std::optional<Array> y = {};               // more variables
  bool rowvar = true;                        // each row is a variable; otherwise each column
  bool bias = false;                         // the divisor is the number of observations, not one less
  std::optional<double> ddof = {};           // what the divisor is less, whatever `bias` says
  std::optional<HostNumbers> fweights = {};  // how often each observation was made
  std::optional<HostNumbers> aweights = {};  // how much each observation counts
  std::optional<DType> dtype = {};
};
// The covariances of variables. Throws ArgumentError for more than two axes.
Array cov(const Array& m, const CovarianceOptions& options = {});
// Their correlations, from -1 to 1: of the options it reads `y`, `rowvar` and `dtype`.
Array corrcoef(const Array& x, const CovarianceOptions& options = {});

}  // namespace quern
