// SPDX-License-Identifier: MIT
// The operators of prefix sums, products, maxima and minima, in C.
#pragma once

#include <string>
#include <string_view>

#include "quern/prefix.hpp"

namespace quern::algorithms {

struct PrefixOperator {
  std::string expression, neutral;  // of a and b; `a` comes before `b`
};

// Throws ArgumentError for a dtype that has no such operator.
PrefixOperator prefix_operator(std::string_view what, const DType& dtype, PrefixOperation operation);

}  // namespace quern::algorithms
