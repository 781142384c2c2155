// SPDX-License-Identifier: MIT
// Which types an operation computes in and returns, by NumPy 2's rules.
#pragma once

#include <span>

#include "array/node.hpp"
#include "codegen/ops.hpp"
#include "quern/arithmetic.hpp"

namespace quern::array {

struct OpTypes {
  const codegen::Op* op;  // which may be another than was asked for: ~ of booleans is not
  DType operands, result;
};

// Throws ArgumentError for types that the operation does not take.
OpTypes types_of(const codegen::Op& op, std::span<const Operand> operands, const DType& default_float);

// A number as an element. Throws ArgumentError where an integer does not fit.
NumberBytes bytes_of(const Number& number, const DType& dtype);
[[nodiscard]] bool fits(const Number& number, const DType& dtype);
// Whether values of one type may become another in place: NumPy's "same_kind".
[[nodiscard]] bool is_same_kind(const DType& from, const DType& to);

}  // namespace quern::array
