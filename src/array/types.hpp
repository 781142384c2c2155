// SPDX-License-Identifier: MIT
// The types in which an operation computes and which it returns, by NumPy 2's rules.
#pragma once

#include <span>

#include "array/node.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "quern/arithmetic.hpp"

namespace quern::array {

struct OpTypes {
  const codegen::Op* op;  // may differ from the given one: ~ of booleans is logical_not
  DType operands, result;
};

// Returns whether all operands are arrays of one type that the operation keeps. This is the usual case, in
// which nothing is promoted.
[[nodiscard]] bool are_of_one_type(const codegen::Op& op, std::span<const Operand> operands);
// Throws ArgumentError for types that the operation does not take.
OpTypes types_of(const codegen::Op& op, std::span<const Operand> operands, const DType& default_float);

using detail::is_number;
// Converts a number to an element. Throws ArgumentError if an integer does not fit.
NumberBytes bytes_of(const Number& number, const DType& dtype);
[[nodiscard]] bool fits(const Number& number, const DType& dtype);
// Returns whether values of one type may be converted to another in place: NumPy's rule "same_kind".
[[nodiscard]] bool is_same_kind(const DType& from, const DType& to);

}  // namespace quern::array
