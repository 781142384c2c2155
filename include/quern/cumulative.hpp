// SPDX-License-Identifier: MIT
// Cumulative sums, products, maxima and minima of arrays along an axis, with NumPy's types.
#pragma once

#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/scan.hpp"

namespace QUERN_API quern {

struct CumulativeOptions {
  std::optional<int> axis = {};  // negative axes count from the end; without an axis, all elements in C order
  std::optional<DType> dtype = {};  // of the result; by default 64 bits for small integers
  bool include_initial = false;     // prepends the identity element
  std::optional<Array> out = {};    // array for the result; a new array by default
};

// An expression is fused into the kernel. Maxima and minima propagate NaN. Throws ArgumentError for an axis
// out of range, and for maxima and minima of complex numbers.
Array cumulative(ScanOperation operation, const Array& array, const CumulativeOptions& options = {},
                 const Queue* queue = nullptr);

// NumPy's functions: along an axis, or over all elements in C order.
Array cumsum(const Array& a, const CumulativeOptions& options = {});
Array cumprod(const Array& a, const CumulativeOptions& options = {});
Array cummax(const Array& a, const CumulativeOptions& options = {});
Array cummin(const Array& a, const CumulativeOptions& options = {});
// The array API's functions: an array of several axes needs an explicit axis.
Array cumulative_sum(const Array& x, const CumulativeOptions& options = {});
Array cumulative_prod(const Array& x, const CumulativeOptions& options = {});

}  // namespace quern
