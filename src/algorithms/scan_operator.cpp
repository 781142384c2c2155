// SPDX-License-Identifier: MIT
// The operators of prefix sums, products, maxima and minima, in C.
#include "algorithms/scan_operator.hpp"

#include "algorithms/launch/checks.hpp"
#include "codegen/type_text.hpp"

namespace quern::algorithms {
namespace {

using codegen::type_name;

bool is_floating(const DType& dtype) {
  return dtype.scalar == Scalar::float16 || dtype.scalar == Scalar::float32 ||
         dtype.scalar == Scalar::float64;
}
bool is_complex(const DType& dtype) {
  return dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
}

}  // namespace

ScanOperator scan_operator(std::string_view what, const DType& dtype, ScanOperation operation) {
  switch (operation) {
    case ScanOperation::sum:
      return {dtype.scalar == Scalar::boolean ? "a | b" : "a + b", "0"};
    case ScanOperation::product: {
      if (!is_complex(dtype)) return {"a * b", "1"};
      const std::string type = "(" + type_name(dtype) + ")";
      return {type + "(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x))", type + "(1, 0)"};
    }
    case ScanOperation::maximum:
    case ScanOperation::minimum:
      break;
  }
  const bool greatest = operation == ScanOperation::maximum;
  if (is_complex(dtype)) reject_dtype(what, "x", dtype, "numbers that are ordered");
  const std::string compare = greatest ? ">" : "<";
  return {is_floating(dtype) ? "a " + compare + " b || a != a ? a : b" : "a " + compare + " b ? a : b",
          codegen::limit_text(dtype, !greatest)};
}

}  // namespace quern::algorithms
