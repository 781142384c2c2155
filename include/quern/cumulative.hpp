// SPDX-License-Identifier: MIT
// Sums, products, maxima and minima of arrays along an axis up to each element, with NumPy's types.
#pragma once

#include <optional>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/scan.hpp"

namespace QUERN_API quern {

struct CumulativeOptions {
  std::optional<int> axis = {};     // negative ones count from the end; without one, all elements in C order
  std::optional<DType> dtype = {};  // of the result; of small integers 64 bits where it is left open
  bool include_initial = false;     // one element more, in front: the neutral one
  std::optional<Array> out = {};    // where the result goes, which is a new array otherwise
};

// An expression is computed on the way. NaNs are passed on by maxima and minima. Throws ArgumentError for an
// axis that is not there, and for maxima and minima of complex numbers.
Array cumulative(ScanOperation operation, const Array& array, const CumulativeOptions& options = {},
                 const Queue* queue = nullptr);

// NumPy's functions: along an axis, or of all elements in C order.
Array cumsum(const Array& a, const CumulativeOptions& options = {});
Array cumprod(const Array& a, const CumulativeOptions& options = {});
Array cummax(const Array& a, const CumulativeOptions& options = {});
Array cummin(const Array& a, const CumulativeOptions& options = {});
// The array API's: an array of several axes needs one of them named.
Array cumulative_sum(const Array& x, const CumulativeOptions& options = {});
Array cumulative_prod(const Array& x, const CumulativeOptions& options = {});

}  // namespace quern
