// SPDX-License-Identifier: MIT
// Prefix sums, products, maxima and minima by functions of the library, on the host.
#pragma once

#include <cstddef>

#include "quern/array.hpp"
#include "quern/scan.hpp"

namespace quern::algorithms {

// Elements of shape (outer, length, inner) are accumulated along `length`.
struct ScanLayout {
  std::size_t outer = 1, length = 1, inner = 1;
};

// Arrays without gaps and not empty, of numbers; x is converted to the dtype of `out`, which it may be
// itself. The dtype has the operation. Exclusive ones are along the last axis, inner = 1; with `starts` there
// is one row, and where a byte of them is not zero all begins anew.
Event accumulate_by_loops(const Queue& queue, const Array& x, const Array& out, const ScanLayout& layout,
                          ScanOperation operation, bool exclusive = false, const Buffer& starts = {});

}  // namespace quern::algorithms
