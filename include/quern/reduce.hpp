// SPDX-License-Identifier: MIT
// Reductions of arrays over all or some of their axes, with NumPy's types and rules. An expression that is
// reduced is computed on the way, in the same kernel.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "quern/array.hpp"

namespace quern {

struct ReduceOptions {
  std::optional<std::vector<int>> axes;  // all of them when there are none; negative ones count from the end
  bool keepdims = false;
  std::optional<DType> dtype;  // of the result, and of the sum where that is wider than the elements'
};

// "sum", "prod", "min", "max", "any", "all" or "count_nonzero". Sums and products of small integers are of 64
// bits. NaN is passed on. Throws ArgumentError for a name or type that is none of these, and for the least
// of no elements.
Array reduce(std::string_view name, const Array& array, const ReduceOptions& options = {},
             const Queue* queue = nullptr);
// Where the least or the greatest element is, the first of equal ones and the first NaN where there is one:
// in C order, or along one axis.
Array argmin(const Array& array, const ReduceOptions& options = {}, const Queue* queue = nullptr);
Array argmax(const Array& array, const ReduceOptions& options = {}, const Queue* queue = nullptr);
// In floating point; integers are of the default precision.
Array mean(const Array& array, const ReduceOptions& options = {}, const Queue* queue = nullptr);
// The mean of the squared distances to the mean, over the count less `correction`.
Array variance(const Array& array, double correction = 0, const ReduceOptions& options = {},
               const Queue* queue = nullptr);

}  // namespace quern
