// SPDX-License-Identifier: MIT
// The line as a matrix: transforms of its columns, factors, transforms of its rows (the four-step algorithm).
// Lengths that have no divisors of a suitable size are convolved with a chirp (Bluestein's algorithm).
#include "distributed/long_line.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include "distributed/parts.hpp"
#include "quern/arithmetic.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/manipulation.hpp"
#include "quern/views.hpp"

namespace quern::distributed {
namespace {

using quern::fft::Norm;
using Complex = std::complex<double>;

// exp(sign * 2 pi i t / n) for 0 <= t < n, as products of the entries of two short tables.
class Roots {
 public:
  Roots(std::int64_t n, double sign)
      : step_(static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))))) {
    const double angle = sign * 2 * std::numbers::pi / static_cast<double>(n);
    for (std::int64_t i = 0; i < step_; ++i) {
      fine_.push_back(std::polar(1.0, angle * static_cast<double>(i)));
      coarse_.push_back(std::polar(1.0, angle * static_cast<double>(std::min(i * step_, n))));
    }
  }
  [[nodiscard]] Complex operator()(std::int64_t t) const {
    return coarse_[static_cast<std::size_t>(t / step_)] * fine_[static_cast<std::size_t>(t % step_)];
  }

 private:
  std::int64_t step_;
  std::vector<Complex> fine_, coarse_;
};

// A block of these numbers.
Array array_of_numbers(const Queue& queue, const std::vector<Complex>& numbers, const Shape& shape,
                       const DType& dtype) {
  if (dtype.scalar == Scalar::complex128)
    return array_of(queue, std::as_bytes(std::span(numbers)), shape, dtype);
  const std::vector<std::complex<float>> single(numbers.begin(), numbers.end());
  return array_of(queue, std::as_bytes(std::span(single)), shape, dtype);
}

Layout vector_layout(int ranks, std::int64_t length) {
  return Layout::block(ProcessGrid({ranks}), {length});
}

DistributedArray with_local(const DistributedArray& array, Array local) {
  return {array.communicator(), array.layout(), std::move(local)};
}

// The first n elements, followed by zeros if there are fewer, in blocks.
DistributedArray line_of_length(const DistributedArray& x, std::int64_t n) {
  const Layout layout = vector_layout(x.communicator().size(), n);
  if (x.shape()[0] == n) return redistribute(x, layout);
  const Array block = zeros(x.local().queue(), layout.local_shape(x.communicator().rank()), x.dtype());
  const Section kept = {{0, 1, std::min(n, x.shape()[0])}};
  const SectionCopy copy{x.local(), x.layout(), kept, block, layout, kept};
  move(x.communicator(), call_of("fft of a line", agreed(x) + agreed(layout)), {copy});
  return {x.communicator(), layout, block};
}

// The largest divisor that is not above the square root.
std::int64_t divisor_of(std::int64_t n) {
  for (auto one = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)) + 0.5); one > 1; --one) {
    if (n % one == 0 && one <= n / one) return one;
  }
  return 1;
}

Array transformed_lines(const DistributedArray& matrix, int axis, bool is_inverse, Norm norm) {
  if (matrix.local().size() == 0) return matrix.local();
  const quern::fft::Options options{.axis = axis, .norm = norm};
  return is_inverse ? quern::fft::ifft(matrix.local(), options) : quern::fft::fft(matrix.local(), options);
}

// n = rows * columns elements in blocks. Element j2 + columns * j1 of the line is element (j1, j2) of the
// matrix, and element (k1, k2) of its transform is element k1 + rows * k2 of the result.
DistributedArray four_steps(const DistributedArray& x, std::int64_t rows, bool is_inverse, Norm norm) {
  const std::int64_t n = x.shape()[0], columns = n / rows;
  const int ranks = x.communicator().size(), rank = x.communicator().rank();
  const ProcessGrid grid({ranks});
  const DistributedArray by_columns =
      redistribute(reshape(x, {rows, columns}),
                   Layout(grid, {AxisLayout::whole(rows), AxisLayout::block(columns, 0, ranks)}));
  Array local = transformed_lines(by_columns, 0, is_inverse, norm);
  if (local.size() != 0) {
    const Interval own = by_columns.layout().intervals(rank)[1].front();
    const Roots roots(n, is_inverse ? 1 : -1);
    std::vector<Complex> factors;
    factors.reserve(local.size());
    for (std::int64_t k = 0; k < rows; ++k)
      for (std::int64_t j = own.start; j < own.stop; ++j) factors.push_back(roots(k * j));
    local = local * array_of_numbers(local.queue(), factors, local.shape(), local.dtype());
  }
  const DistributedArray by_rows =
      redistribute(with_local(by_columns, local),
                   Layout(grid, {AxisLayout::block(rows, 0, ranks), AxisLayout::whole(columns)}));
  const int order[] = {1, 0};
  const DistributedArray result =
      permute_dims(with_local(by_rows, transformed_lines(by_rows, 1, is_inverse, norm)), order);
  return redistribute(reshape(result, {n}), vector_layout(ranks, n));
}

DistributedArray transform_points(const DistributedArray& x, bool is_inverse, Norm norm);

// A convolution with a chirp: j * k = (j^2 + k^2 - (k - j)^2) / 2.
DistributedArray convolved(const DistributedArray& x, bool is_inverse, Norm norm) {
  const std::int64_t n = x.shape()[0];
  const Communicator& communicator = x.communicator();
  const Queue queue = x.local().queue();
  const auto side = quern::fft::next_fast_len(
      static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(2 * n - 1)))));
  const std::int64_t points = side * side;
  const Roots roots(2 * n, is_inverse ? 1 : -1);
  const auto chirp = [&](std::int64_t j) { return roots((j * j) % (2 * n)); };
  const auto numbers = [&](const Layout& layout, const auto& at) {
    std::vector<Complex> values;
    const std::vector<Interval> intervals = layout.intervals(communicator.rank())[0];
    for (const Interval& own : intervals)
      for (std::int64_t j = own.start; j < own.stop; ++j) values.push_back(at(j));
    return array_of_numbers(queue, values, layout.local_shape(communicator.rank()), x.dtype());
  };
  const DistributedArray first =
      line_of_length(with_local(x, x.local() * numbers(x.layout(), chirp)), points);
  const Layout long_layout = vector_layout(communicator.size(), points);
  const DistributedArray second(communicator, long_layout, numbers(long_layout, [&](std::int64_t j) {
                                  const std::int64_t from = std::min(j, points - j);
                                  return from < n ? std::conj(chirp(from)) : Complex(0);
                                }));
  const Array product = transform_points(first, false, Norm::backward).local() *
                        transform_points(second, false, Norm::backward).local();
  const DistributedArray sums =
      line_of_length(transform_points({communicator, long_layout, product}, true, Norm::backward), n);
  double factor = norm == Norm::ortho ? 1 / std::sqrt(static_cast<double>(n)) : 1;
  if ((norm == Norm::forward) != is_inverse && norm != Norm::ortho) factor = 1 / static_cast<double>(n);
  return with_local(sums,
                    sums.local() * numbers(sums.layout(), [&](std::int64_t j) { return factor * chirp(j); }));
}

// Of a complex vector in blocks.
DistributedArray transform_points(const DistributedArray& x, bool is_inverse, Norm norm) {
  const std::int64_t n = x.shape()[0], divisor = divisor_of(n);
  const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  // With fewer rows than ranks some ranks would have more than their share of the elements.
  if (divisor < std::min<std::int64_t>(x.communicator().size(), root)) return convolved(x, is_inverse, norm);
  return four_steps(x, divisor, is_inverse, norm);
}

// The whole transform of n points of a real line from its first half.
DistributedArray whole_spectrum(const DistributedArray& half, std::int64_t n) {
  if (n < 3) return half;
  // Numbers 1 to (n - 1) / 2, backward and conjugated.
  const Index backward[] = {Index::slice((n - 1) / 2, 0, -1)};
  const DistributedArray rest = get_item(half, backward);
  const DistributedArray parts[] = {half, with_local(rest, quern::apply("conj", {rest.local()}))};
  return redistribute(concat(parts), vector_layout(half.communicator().size(), n));
}

}  // namespace

bool is_complex(const DType& dtype) {
  return dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
}

bool is_single(const DType& dtype) {
  switch (dtype.scalar) {
    case Scalar::float16:
    case Scalar::bfloat16:
    case Scalar::float32:
    case Scalar::complex64:
      return true;
    default:
      return false;
  }
}

DistributedArray transform_line(LineKind kind, const DistributedArray& x, std::int64_t n, bool is_inverse,
                                Norm norm) {
  const std::int64_t half = n / 2 + 1;
  const DType dtype = DType::of(is_single(x.dtype()) ? Scalar::complex64 : Scalar::complex128);
  DistributedArray points = line_of_length(x, kind == LineKind::from_spectrum ? half : n);
  if (!is_complex(points.dtype())) points = with_local(points, quern::astype(points.local(), dtype));
  if (kind != LineKind::from_spectrum) {
    const DistributedArray all = transform_points(points, is_inverse, norm);
    return kind == LineKind::complex ? all : line_of_length(all, half);
  }
  const DistributedArray line = transform_points(whole_spectrum(points, n), is_inverse, norm);
  return with_local(line, quern::apply("real", {line.local()}));
}

}  // namespace quern::distributed
