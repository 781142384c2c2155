// SPDX-License-Identifier: MIT
// Order statistics, weighted means and covariances, with NumPy's rules.
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

// Methods of interpolation between two elements: those of Hyndman and Fan, then NumPy's others.
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
// Parses NumPy's name; throws an ArgumentError that names the function for any other text.
QuantileMethod quantile_method_of(std::string_view name, std::string_view function);

struct QuantileOptions {
  Over over = {};
  bool keepdims = false;
  QuantileMethod method = QuantileMethod::linear;
  // In the array's shape, or with the lengths of the axes. Only inverted_cdf takes weights. The call waits
  // for them.
  std::optional<Array> weights = {};
  std::optional<Array> out = {};
};

// Quantiles for q from 0 to 1; the axes of q come first in the result. The result is NaN if the elements
// contain NaN or are empty.
Array quantile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});
// The same with q from 0 to 100.
Array percentile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});
// The same ignoring NaN.
Array nanquantile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});
Array nanpercentile(const Array& a, const HostNumbers& q, const QuantileOptions& options = {});

// The median. Of the options it reads `over`, `keepdims` and `out`.
Array median(const Array& a, const ReduceOptions& options = {});
Array nanmedian(const Array& a, const ReduceOptions& options = {});

struct AverageOptions {
  Over over = {};
  bool keepdims = false;
  std::optional<Array> weights = {};  // in the array's shape, or with the lengths of the axes
};
// The weighted mean, and the sums of the weights.
struct Average {
  Array mean, weights;
};
Average average(const Array& a, const AverageOptions& options = {});

struct CovarianceOptions {
  std::optional<Array> y = {};               // additional variables
  bool rowvar = true;                        // each row is a variable; otherwise each column
  bool bias = false;                         // divide by the number of observations N instead of N - 1
  std::optional<double> ddof = {};           // divide by N - ddof, overriding `bias`
  std::optional<HostNumbers> fweights = {};  // integer frequency of each observation
  std::optional<HostNumbers> aweights = {};  // weight of each observation
  std::optional<DType> dtype = {};
};
// The covariance matrix of variables. Throws ArgumentError for more than two axes.
Array cov(const Array& m, const CovarianceOptions& options = {});
// The correlation coefficients, from -1 to 1. Of the options it reads `y`, `rowvar` and `dtype`.
Array corrcoef(const Array& x, const CovarianceOptions& options = {});

}  // namespace quern
