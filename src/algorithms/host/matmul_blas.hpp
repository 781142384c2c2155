// SPDX-License-Identifier: MIT
// Blocks of matrix products on the host by BLAS.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "algorithms/host/matmul_call.hpp"
#include "libraries/blas.hpp"

namespace quern::algorithms {

// The element types that BLAS multiplies, as it names them.
template <class T>
struct BlasType {};
template <>
struct BlasType<float> {
  using type = float;
};
template <>
struct BlasType<double> {
  using type = double;
};
template <class T>
struct BlasType<Complex<T>> {
  using type = std::complex<T>;
};

// How BLAS reads the lines of an operand: along the depth, or along the lines. Nothing if both steps are
// longer than an element.
struct BlasOperand {
  libraries::Transpose transpose;
  std::int64_t pitch;
};
inline std::optional<BlasOperand> blas_operand(std::int64_t line_step, std::int64_t depth_step,
                                               std::int64_t lines, std::int64_t depth) {
  if (depth_step == 1 && line_step >= depth) return BlasOperand{libraries::Transpose::no, line_step};
  if (line_step == 1 && depth_step >= lines) return BlasOperand{libraries::Transpose::yes, depth_step};
  return std::nullopt;
}

// The product of some rows and some columns by BLAS, which is added to what is there if `adds`.
template <class Type>
void multiply_by_blas(const libraries::Blas& blas, const Part& a, const Part& b, const Target<Type>& to,
                      bool adds = false) {
  using T = typename BlasType<Type>::type;
  using libraries::Transpose;
  constexpr std::int64_t kSize{sizeof(Type)};
  const BlasOperand left = *blas_operand(a.line_step / kSize, a.depth_step / kSize, a.lines, a.depth);
  const BlasOperand right = *blas_operand(b.line_step / kSize, b.depth_step / kSize, b.lines, b.depth);
  // The lines of the right operand are columns.
  const Transpose op_b = right.transpose == Transpose::no ? Transpose::yes : Transpose::no;
  blas.gemm<T>(left.transpose, op_b, a.lines, b.lines, a.depth, T(1), reinterpret_cast<const T*>(a.at),
               left.pitch, reinterpret_cast<const T*>(b.at), right.pitch, T(adds ? 1 : 0),
               reinterpret_cast<T*>(to.at), to.pitch);
}

}  // namespace quern::algorithms
