// SPDX-License-Identifier: MIT
// Which dtypes have which scans.
#include "algorithms/scan_operator.hpp"

#include "algorithms/launch/checks.hpp"

namespace quern::algorithms {

void check_operation(std::string_view what, const DType& dtype, ScanOperation operation) {
  const bool is_order = operation == ScanOperation::maximum || operation == ScanOperation::minimum;
  if (is_order && (dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128))
    reject_dtype(what, "x", dtype, "numbers that are ordered");
}

}  // namespace quern::algorithms
