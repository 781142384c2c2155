// SPDX-License-Identifier: MIT
// Inverses for functions that treat singular matrices themselves.
#pragma once

#include "quern/array.hpp"

namespace quern::linalg {

// The inverse, and NaN for a singular matrix.
Array inverse_or_nan(const Array& a);

}  // namespace quern::linalg
