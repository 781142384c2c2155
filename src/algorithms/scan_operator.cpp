// SPDX-License-Identifier: MIT
// Which dtypes have which scans.
#include "algorithms/scan_operator.hpp"

#include "algorithms/launch/checks.hpp"
#include "base/dtype_kinds.hpp"

namespace quern::algorithms {

void check_operation(std::string_view what, const DType& dtype, ScanOperation operation) {
  const bool is_order = operation == ScanOperation::maximum || operation == ScanOperation::minimum;
  if (is_order && detail::is_complex(dtype)) reject_dtype(what, "x", dtype, "numbers that are ordered");
}

}  // namespace quern::algorithms
