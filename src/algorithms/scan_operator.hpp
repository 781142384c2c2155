// SPDX-License-Identifier: MIT
// Which dtypes have which scans.
#pragma once

#include <string_view>

#include "quern/scan.hpp"

namespace quern::algorithms {

// Throws ArgumentError for a dtype without this operation. `what` names the function.
void check_operation(std::string_view what, const DType& dtype, ScanOperation operation);

}  // namespace quern::algorithms
