// SPDX-License-Identifier: MIT
// The lines of memory that a Fourier transform reads and writes, with the expressions before and after it.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/fft.hpp"
#include "array/fused_expression.hpp"

namespace quern::array {

// A transform of points, whose length has small factors, unless a library runs it.
struct FftPoints {
  algorithms::FftLoad load;
  algorithms::FftStore store;
  std::int64_t n;  // points of the complex transform
  std::int64_t out_length;
  bool is_inverse;
  double scale;
};

// A transform of an array along an axis. Nodes hold it.
struct FftWork {
  std::size_t axis;
  FftPoints points;
};

[[nodiscard]] bool is_complex(const DType& dtype);
// float32 or float64: the precision in which elements of this type are transformed.
[[nodiscard]] Scalar real_of(const DType& dtype);
[[nodiscard]] DType complex_type(Scalar real);
// The type of the elements of a transform's result.
[[nodiscard]] DType result_of(const FftPoints& points, Scalar real);
[[nodiscard]] Shape with_length(Shape shape, std::size_t axis, std::int64_t length);
// Whether the elements lie at whole multiples of their size.
[[nodiscard]] bool is_even(const Array& x);

// What a transform reads: an array in memory, or an expression of arrays with the shape of all of them.
struct FftInput {
  Shape shape;
  DType dtype;
  const Array* array = nullptr;
  const FusedExpression* expression = nullptr;
};

// Where the result goes. The expression computes each element from an element of the transform, which is its
// given value.
struct FftOutput {
  Shape shape;
  const Array* array = nullptr;  // null if it is to be allocated
  const FusedExpression* expression = nullptr;
};

// Whether passes can run over the lines: all elements are aligned, and the batch has few enough loops.
[[nodiscard]] bool has_lines(const FftWork& work, const FftInput& input, const FftOutput& output);
// Describes the transform, whose output is allocated. Returns nothing if it has no lines.
[[nodiscard]] std::optional<algorithms::FftLines> fft_lines(const FftWork& work, const FftInput& input,
                                                            const FftOutput& output);

}  // namespace quern::array
