// SPDX-License-Identifier: MIT
// The operations on elements: one row each, which expressions, dispatch and tests read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "quern/dtype.hpp"

namespace quern::codegen {

// The kinds of elements an operation takes, as a set.
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

// What comes out, given the type that the operands have together.
enum class Result : std::uint8_t {
  same,
  boolean,
  part,  // of a complex number its real type, of others the same
  int32,
  uint8,
};

// What an operation makes of integers and booleans that it computes in floating point.
enum class Promotes : std::uint8_t {
  keeps,   // nothing: it takes them as they are
  narrow,  // the narrowest type that holds each operand, which is float16 for bytes
  default_float,
};

// The element that changes no other.
enum class Identity : std::uint8_t { none, zero, one, all_bits, minus_infinity };

// How an operation of two operands combines many elements.
struct Folding {
  bool is_associative = false;
  Identity identity = Identity::none;  // what a fold of no elements is
  // The functions that fold it over axes and along one, where they have names of their own.
  std::string_view reduction = {}, accumulation = {};
};

struct Op {
  std::string_view name;  // NumPy's
  std::uint8_t arity;
  Kinds kinds;
  Promotes promotes;
  Result result;
  // OpenCL C of $0, $1, $2, whose type is $T. Where integers, complex numbers or float16 (whose elements are
  // floats here) are computed in another way, theirs are given; otherwise `text` holds for them too.
  std::string_view text, integer_text = {}, complex_text = {}, half_text = {};
  std::int8_t integer_operand = -1;  // which operand is an int64, whatever the type of the others
  // What users read: a sentence, an example by its arguments and what is printed then, and other names. None
  // where the operation is only a part of a function.
  std::string_view summary = {}, example_arguments = {}, example_printed = {}, aliases = {};
  Folding folding = {};
};

std::span<const Op> ops();
// Null where no operation has this name.
const Op* find_op(std::string_view name);

// Which of the four kinds an element is of; throws ArgumentError for vectors and structures.
Kinds kind_of(const DType& dtype);
[[nodiscard]] constexpr bool includes(Kinds set, Kinds kind) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(kind)) != 0;
}

// What an operation on operands of this type, which it takes, returns.
DType result_of(const Op& op, const DType& operands);

// NumPy 2's type of two arrays together.
DType promoted(const DType& a, const DType& b);

// The real type of a complex one; others are their own.
DType part_of(const DType& dtype);

}  // namespace quern::codegen
