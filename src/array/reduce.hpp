// SPDX-License-Identifier: MIT
// Reductions without `where` and `out`. They read the options `over`, `keepdims` and `dtype`.
#pragma once

#include <cstdint>
#include <string_view>

#include "quern/reduce.hpp"

namespace quern::array {

Array reduce_elements(std::string_view name, const Array& array, const ReduceOptions& options);
Array find_extreme(bool is_max, const Array& array, const ReduceOptions& options);
Array mean_of(const Array& array, const ReduceOptions& options);
Array variance_of(const Array& array, double correction, const ReduceOptions& options);

// The shape of a reduction's result, and the number of elements that are reduced to each of its elements.
struct Outcome {
  Shape shape;
  std::int64_t count = 1;
};
Outcome outcome_of(const Array& array, const ReduceOptions& options);
// Returns the dtype of a mean.
DType mean_type(const Array& array, const ReduceOptions& options, const Queue& queue);

}  // namespace quern::array
