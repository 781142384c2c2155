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
};

struct Op {
  std::string_view name;  // NumPy's
  std::uint8_t arity;
  Kinds kinds;
  bool promotes;  // to floating point, where the operands are integers or booleans
  Result result;
  // OpenCL C of $0, $1, $2, whose type is $T. Where integers or complex numbers are computed in another way,
  // theirs are given; otherwise `text` holds for them too.
  std::string_view text, integer_text = {}, complex_text = {};
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

// The definition of a helper function that op texts call ("quern_floor_divide"), for elements of type `type`;
// it is then called quern_floor_divide_TYPE. Empty where there is none of that name.
std::string_view helper_text(std::string_view name);

}  // namespace quern::codegen
