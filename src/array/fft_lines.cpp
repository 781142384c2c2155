// SPDX-License-Identifier: MIT
// The lines of memory that a Fourier transform reads and writes.
#include "array/fft_lines.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "codegen/index_space.hpp"
#include "codegen/ops.hpp"

namespace quern::array {
namespace {

using algorithms::FftFused;
using algorithms::FftLines;
using algorithms::FftLoad;
using algorithms::FftSide;
using algorithms::FftStore;

// The number of elements of a line that a transform reads.
std::int64_t elements_for(const FftPoints& points) {
  switch (points.load) {
    case FftLoad::pairs:
      return 2 * points.n;
    case FftLoad::half_spectrum:
      return points.n + 1;
    case FftLoad::odd_spectrum:
      return points.n / 2 + 1;
    default:
      return points.n;
  }
}

// An array broadcast to a shape: loops over its lines, and where they begin.
struct Lines {
  codegen::View loops;
  std::int64_t start, step;  // elements

  Lines(const Array& x, const Shape& shape, std::size_t axis) {
    const Layout layout = broadcast_layout(layout_of(x.value()->memory(), x.shape()), shape);
    const auto item = static_cast<std::int64_t>(x.dtype().itemsize);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      loops.shape.push_back(d == axis ? 1 : shape[d]);
      loops.strides.push_back(d == axis ? 0 : layout.strides[d] / item);
    }
    start = layout.offset / item;
    step = layout.strides[axis] / item;
  }
  // An array without gaps that is not in memory yet.
  Lines(const Shape& shape, std::size_t axis) : start(0) {
    const Strides strides = contiguous_strides(shape, 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      loops.shape.push_back(d == axis ? 1 : shape[d]);
      loops.strides.push_back(d == axis ? 0 : strides[d]);
    }
    step = strides[axis];
  }
};

// All arrays of a transform: the output, the arrays before the transform, those after it.
struct Operands {
  std::vector<Lines> lines;
  std::size_t before = 0;  // how many are before the transform
  codegen::IndexSpace space;
};

std::optional<Operands> operands_of(const FftWork& work, const FftInput& input, const FftOutput& output) {
  Operands result;
  bool is_aligned = true;
  const auto add = [&](const Array& x, const Shape& shape) {
    is_aligned = is_aligned && is_even(x);
    if (is_aligned) result.lines.emplace_back(x, shape, work.axis);
  };
  if (output.array != nullptr) {
    add(*output.array, output.shape);
  } else {
    result.lines.emplace_back(output.shape, work.axis);
  }
  if (input.array != nullptr) add(*input.array, input.shape);
  if (input.expression != nullptr)
    for (const Array& leaf : input.expression->leaves()) add(leaf, input.shape);
  result.before = result.lines.size() - 1;
  if (output.expression != nullptr)
    for (const Array& leaf : output.expression->leaves()) add(leaf, output.shape);
  if (!is_aligned) return std::nullopt;
  std::vector<codegen::View> views;
  for (const Lines& one : result.lines) views.push_back(one.loops);
  const Shape batch = with_length(output.shape, work.axis, 1);
  result.space = codegen::index_space(codegen::Lengths(batch.begin(), batch.end()), views);
  if (result.space.rank() > algorithms::kFftBatchLoops) return std::nullopt;
  return result;
}

// An expression with the places of its operands; the arrays are those from number `first` on.
std::shared_ptr<const FftFused> fused(const FusedExpression& from, const Operands& all, std::size_t first) {
  auto result = std::make_shared<FftFused>();
  result->text.expression = std::make_shared<const codegen::Expression>(from.expression());
  if (from.has_given()) result->text.point = from.given_argument();
  from.visit_arguments(
      [&](const Array& leaf) {
        FftFused::Operand& operand = result->operands.emplace_back();
        operand.buffer = leaf.buffer();
        operand.start = all.lines[first].start;
        operand.step = all.lines[first].step;
        for (std::size_t d = 0; d < all.space.rank(); ++d) operand.batch[d] = all.space.strides[first][d];
        ++first;
      },
      [&](const NumberBytes& number, const DType& dtype) {
        FftFused::Operand& operand = result->operands.emplace_back();
        operand.number = number;
        operand.nbytes = dtype.itemsize;
      },
      [] {});
  return result;
}

// The transform without its arrays.
FftLines lines_of(const FftPoints& points, const DType& dtype) {
  FftLines result;
  result.real = real_of(dtype);
  result.load = points.load;
  result.store = points.store;
  result.n = points.n;
  result.is_inverse = points.is_inverse;
  result.scale = points.scale;
  return result;
}

// Whether lines follow each other in both arrays, which is the usual case.
bool is_one_loop(const FftWork& work, const FftInput& input, const FftOutput& output) {
  if (input.array == nullptr || output.array == nullptr || input.expression != nullptr ||
      output.expression != nullptr)
    return false;
  const auto has_lines = [&](const Array& array, const Shape& shape) {
    return work.axis + 1 == shape.size() && array.contiguous() && array.shape() == shape &&
           array.offset() % array.dtype().itemsize == 0;
  };
  return has_lines(*input.array, input.shape) && has_lines(*output.array, output.shape);
}

FftLines one_loop(const FftWork& work, const FftInput& input, const FftOutput& output) {
  const FftPoints& points = work.points;
  FftLines result = lines_of(points, input.dtype);
  const auto start = [](const Array& array) {
    return static_cast<std::int64_t>(array.offset() / array.dtype().itemsize);
  };
  const std::int64_t in = input.shape[work.axis], out = output.shape[work.axis];
  result.in = {start(*input.array), 1, std::min(in, elements_for(points)), 1};
  result.out = {start(*output.array), 1, points.out_length, 1};
  const auto lines = static_cast<std::int64_t>(output.array->size()) / out;
  if (lines > 1) result.batch[0] = {lines, in, out, 0, 0};
  result.from = input.array->buffer();
  result.to = output.array->buffer();
  return result;
}

}  // namespace

bool is_complex(const DType& dtype) {
  return codegen::kind_of(dtype) == codegen::Kinds::complex;
}

Scalar real_of(const DType& dtype) {
  return dtype.scalar == Scalar::float64 || dtype.scalar == Scalar::complex128 ? Scalar::float64
                                                                               : Scalar::float32;
}

DType complex_type(Scalar real) {
  return DType::of(real == Scalar::float64 ? Scalar::complex128 : Scalar::complex64);
}

DType result_of(const FftPoints& points, Scalar real) {
  const bool is_real = points.store == FftStore::real || points.store == FftStore::pairs;
  return is_real ? DType::of(real) : complex_type(real);
}

Shape with_length(Shape shape, std::size_t axis, std::int64_t length) {
  shape[axis] = length;
  return shape;
}

bool is_even(const Array& x) {
  const auto item = static_cast<std::int64_t>(x.dtype().itemsize);
  return x.offset() % x.dtype().itemsize == 0 &&
         std::all_of(x.strides().begin(), x.strides().end(),
                     [&](std::int64_t stride) { return stride % item == 0; });
}

bool has_lines(const FftWork& work, const FftInput& input, const FftOutput& output) {
  return operands_of(work, input, output).has_value();
}

std::optional<FftLines> fft_lines(const FftWork& work, const FftInput& input, const FftOutput& output) {
  if (is_one_loop(work, input, output)) return one_loop(work, input, output);
  const std::optional<Operands> all = operands_of(work, input, output);
  if (!all) return std::nullopt;
  const auto& lines = all->lines;
  const auto& space = all->space;
  const std::size_t before = all->before;
  const FftPoints& points = work.points;
  FftLines result = lines_of(points, input.dtype);
  // Kernels choose the order of their accesses by the input, or by the operand with the most elements.
  const auto spread = [&](std::size_t k) {
    return (lines[k].step != 0 ? 1 : 0) + std::count_if(space.strides[k].begin(), space.strides[k].end(),
                                                        [](std::int64_t stride) { return stride != 0; });
  };
  std::size_t main = before == 0 ? 0 : 1;
  for (std::size_t k = 2; k <= before; ++k)
    if (spread(k) > spread(main)) main = k;
  result.in = {lines[main].start, lines[main].step, std::min(input.shape[work.axis], elements_for(points)),
               1};
  result.out = {lines[0].start, lines[0].step, points.out_length, 1};
  for (std::size_t d = 0; d < space.rank(); ++d)
    result.batch[d] = {space.lengths[d], space.strides[main][d], space.strides[0][d], 0, 0};
  if (input.array != nullptr) result.from = input.array->buffer();
  result.to = output.array->buffer();
  if (input.expression != nullptr) result.before = fused(*input.expression, *all, 1);
  if (output.expression != nullptr) result.after = fused(*output.expression, *all, 1 + before);
  return result;
}

}  // namespace quern::array
