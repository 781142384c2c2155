// SPDX-License-Identifier: MIT
// Scans along an axis into new arrays. They read the options `axis`, `dtype` and `include_initial`.
#pragma once

#include "quern/cumulative.hpp"

namespace quern::array {

Array accumulate_elements(ScanOperation operation, const Array& array, const CumulativeOptions& options = {},
                          const Queue* queue = nullptr);

}  // namespace quern::array
