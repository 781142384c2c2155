// SPDX-License-Identifier: MIT
// The operators of prefix sums, products, maxima and minima, in C.
#pragma once

#include <string>
#include <string_view>

#include "quern/scan.hpp"

namespace quern::algorithms {

struct ScanOperator {
  std::string expression, neutral;  // of a and b; `a` comes before `b`
};

// Throws ArgumentError for a dtype that has no such operator.
ScanOperator scan_operator(std::string_view what, const DType& dtype, ScanOperation operation);

}  // namespace quern::algorithms
