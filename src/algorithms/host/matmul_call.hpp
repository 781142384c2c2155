// SPDX-License-Identifier: MIT
// The arguments of the host's matrix products, their element types, and how a product is divided into blocks.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "algorithms/host/element_access.hpp"
#include "algorithms/host/matmul_tile.hpp"
#include "algorithms/matmul.hpp"
#include "base/arithmetic.hpp"
#include "base/bfloat16.hpp"
#include "base/half.hpp"

namespace quern::libraries {
class Blas;
}

namespace quern::algorithms {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
// Types whose sums are of another type, and rounded once, at the end.
template <class Type>
inline constexpr bool kIsShortFloat = std::is_same_v<Type, Half> || std::is_same_v<Type, BFloat16>;

template <class To, class From>
To converted(From value) {
  return static_cast<To>(value);
}
template <>
inline float converted<float>(Half value) {
  return from_half(value.bits);
}
template <>
inline Half converted<Half>(float value) {
  return {to_half(value)};
}

template <>
inline float converted<float>(BFloat16 value) {
  return from_bfloat16(value.bits);
}
template <>
inline BFloat16 converted<BFloat16>(float value) {
  return {to_bfloat16(value)};
}

template <class Item>
Item added(Item a, Item b) {
  return a + b;
}
template <class T>
Complex<T> added(Complex<T> a, Complex<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <>
inline Truth added(Truth a, Truth b) {
  return a == Truth::yes ? a : b;
}

template <class Item>
Item multiplied(Item a, Item b) {
  return a * b;
}
template <class T>
Complex<T> multiplied(Complex<T> a, Complex<T> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <>
inline Truth multiplied(Truth a, Truth b) {
  return a == Truth::yes ? b : a;
}

// Calls `function` with an element type in memory and the type of its sums. Small types are summed in wider
// ones, integers in unsigned ones, whose overflow is defined.
template <class Function>
void with_types(Scalar scalar, const Function& function) {
  switch (scalar) {
    case Scalar::boolean:
      return function(Truth{}, Truth{});
    case Scalar::int8:
      return function(std::int8_t{0}, std::uint32_t{0});
    case Scalar::uint8:
      return function(std::uint8_t{0}, std::uint32_t{0});
    case Scalar::int16:
      return function(std::int16_t{0}, std::uint32_t{0});
    case Scalar::uint16:
      return function(std::uint16_t{0}, std::uint32_t{0});
    case Scalar::int32:
    case Scalar::uint32:
      return function(std::uint32_t{0}, std::uint32_t{0});
    case Scalar::int64:
    case Scalar::uint64:
      return function(std::uint64_t{0}, std::uint64_t{0});
    case Scalar::float16:
      return function(Half{}, 0.0F);
    case Scalar::bfloat16:
      return function(BFloat16{}, 0.0F);
    case Scalar::float32:
      return function(0.0F, 0.0F);
    case Scalar::float64:
      return function(0.0, 0.0);
    case Scalar::complex64:
      return function(Complex<float>{}, Complex<float>{});
    default:
      return function(Complex<double>{}, Complex<double>{});
  }
}

struct ProductOperand {
  std::int64_t start, matrix_step, line_step, depth_step;  // elements
  std::array<std::int64_t, 3> steps;
  KeptPart kept;
};
// As Addend and Epilogue; the elements of addend number k are memory 3 + k.
struct Term {
  std::int64_t start, row_step, column_step;
  std::array<std::int64_t, 3> steps;
  double factor;
};
struct Ending {
  double factor, constant;
  std::int64_t terms;
  std::array<Term, Epilogue::kMostAddends> term;
  bool is_relu, is_empty;
};
struct ProductCall {
  Scalar scalar;  // of the operands
  bool is_wide;   // the result has the type of the sums
  std::int64_t m, n, depth;
  std::array<std::int64_t, 3> stack;
  ProductOperand a, b;
  std::int64_t block_rows, block_columns;
  std::int64_t chunk;           // of the summed axis; each chunk has a result of its own
  bool is_small;                // a matrix is a block, too small for panels
  const libraries::Blas* blas;  // multiplies the blocks; null if our own loops do
  bool is_symmetric;  // only blocks on and below the diagonal are computed, and mirrored; blocks are square
  Ending ending;
  std::int64_t
      expression_pointers;  // of an expression, whose words follow this structure; -1 if none follows
  bool is_in_scratch;       // the expression's product is in scratch memory
  std::int64_t pitch;       // from row to row of scratch memory
};

// Part of an operand: some of its lines, and some steps along the summed axis.
struct Part {
  const std::byte* at;
  std::int64_t line_step, depth_step;  // bytes
  std::int64_t lines, depth;
};

// A block of a result, or of its sums.
template <class Sum>
struct Target {
  Sum* at;
  std::int64_t pitch;  // from row to row
};

// The lines of an operand that a block needs.
inline Part lines_of(const std::byte* memory, std::size_t itemsize, const ProductOperand& operand,
                     const std::array<std::int64_t, 3>& place, std::int64_t line, std::int64_t lines,
                     std::int64_t k, std::int64_t depth) {
  const auto size = static_cast<std::int64_t>(itemsize);
  std::int64_t matrix = 0;
  for (std::size_t d = 0; d < place.size(); ++d) matrix += place[d] * operand.steps[d];
  const std::int64_t first =
      operand.start + matrix * operand.matrix_step + line * operand.line_step + k * operand.depth_step;
  return {memory + first * size, operand.line_step * size, operand.depth_step * size, lines, depth};
}

// A block of a product: which matrix of the stack, which rows and columns, and which steps along the depth.
struct ProductBlock {
  std::int64_t part, matrix, row, column;
  std::array<std::int64_t, 3> place;  // of the matrix in the stack

  ProductBlock(const ProductCall& call, std::int64_t number) {
    const std::int64_t matrices = call.stack[0] * call.stack[1] * call.stack[2];
    const std::int64_t blocks = count(call), inside = number % blocks;
    if (call.is_symmetric) {
      // Line r of the triangle starts with block r * (r + 1) / 2.
      auto line = static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(inside) + 1) - 1) / 2);
      while (line * (line + 1) / 2 > inside) --line;
      while ((line + 1) * (line + 2) / 2 <= inside) ++line;
      row = line * call.block_rows;
      column = (inside - line * (line + 1) / 2) * call.block_columns;
    } else {
      const std::int64_t down = divided_up(call.m, call.block_rows);
      row = inside % down * call.block_rows;
      column = inside / down * call.block_columns;
    }
    matrix = number / blocks % matrices;
    part = number / blocks / matrices;
    place = {matrix / call.stack[2] / call.stack[1], matrix / call.stack[2] % call.stack[1],
             matrix % call.stack[2]};
  }
  // The number of blocks of one matrix.
  static std::int64_t count(const ProductCall& call) {
    const std::int64_t down = divided_up(call.m, call.block_rows);
    return call.is_symmetric ? down * (down + 1) / 2 : down * divided_up(call.n, call.block_columns);
  }
  // Goes on to the next matrix, for blocks that are whole matrices.
  void next_matrix(const ProductCall& call) {
    ++matrix;
    for (std::size_t d = place.size(); d-- > 0;) {
      if (++place[d] < call.stack[d]) return;
      place[d] = 0;
    }
  }
};

}  // namespace quern::algorithms
