// SPDX-License-Identifier: MIT
// The op table: one row for each elementwise operation, which expressions, dispatch and tests read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "quern/dtype.hpp"

namespace quern::codegen {

// The kinds of elements that an operation takes, as a set.
enum class Kinds : std::uint8_t {
  boolean = 1,
  integer = 2,
  floating = 4,
  complex = 8,
  numeric = 2 | 4 | 8,
  real = 2 | 4,
  bits = 1 | 2,
  inexact = 4 | 8,
  ordered = 1 | 2 | 4,
  all = 1 | 2 | 4 | 8,
};

// The result type, given the common type of the operands.
enum class Result : std::uint8_t {
  same,
  boolean,
  part,  // the real type of a complex number, otherwise the same
  int32,
  uint8,
};

// The conversion of integers and booleans for operations in floating point.
enum class Promotes : std::uint8_t {
  keeps,   // none: it takes them as they are
  narrow,  // the narrowest type that holds each operand, which is float16 for bytes
  default_float,
  wide,  // float64 or complex128, to which it also converts narrower floats
};

// The identity element.
enum class Identity : std::uint8_t { none, zero, one, all_bits, minus_infinity };

// How an operation of two operands folds many elements.
struct Folding {
  bool is_associative = false;
  Identity identity = Identity::none;  // the result of an empty fold
  // The functions that fold over axes and along one, if they have names of their own.
  std::string_view reduction = {}, accumulation = {};
};

struct Op {
  std::string_view name;  // NumPy's
  std::uint8_t arity;
  Kinds kinds;
  Promotes promotes;
  Result result;
  // OpenCL C of $0, $1, $2, whose type is $T. Integers, complex numbers and float16 (whose elements are
  // floats here) may have their own text; otherwise `text` holds for them too.
  std::string_view text, integer_text = {}, complex_text = {}, half_text = {};
  std::int8_t integer_operand = -1;  // the operand that is an int64, independent of the type of the others
  // Documentation: a sentence, an example by its arguments and its output, and aliases. Empty if the
  // operation is only a part of a function.
  std::string_view summary = {}, example_arguments = {}, example_printed = {}, aliases = {};
  Folding folding = {};
};

std::span<const Op> ops();
// Null if there is no operation of this name.
const Op* find_op(std::string_view name);

// The kind of an element; throws ArgumentError for vectors and structures.
Kinds kind_of(const DType& dtype);
[[nodiscard]] constexpr bool includes(Kinds set, Kinds kind) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(kind)) != 0;
}

// The type in which an operation computes operands of this common type.
DType computed_type(const Op& op, const DType& common, const DType& default_float);

// The result type of an operation on operands of this type, which it must take.
DType result_of(const Op& op, const DType& operands);

// NumPy 2's promotion of two types.
DType promoted(const DType& a, const DType& b);

// The real type of a complex one; other types are unchanged.
DType part_of(const DType& dtype);

}  // namespace quern::codegen
