// SPDX-License-Identifier: MIT
// Multivariate distributions: rows along a last axis.
#include <algorithm>
#include <numeric>

#include "base/arithmetic.hpp"
#include "quern/arithmetic.hpp"
#include "quern/matmul.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "random/families.hpp"

namespace quern::random {
namespace {

const DType kRowType = DType::of(Scalar::int64);

Shape with_last(Shape shape, std::int64_t length) {
  shape.push_back(length);
  return shape;
}

void check_here(const Queue& queue, const Array& array, const char* what) {
  if (!(array.device() == queue.device()))
    refuse_value(std::string(what) + ": expected an array on '" + queue.device().spec() + "', got one on '" +
                 array.device().spec() + "'");
}

void check_real(const Array& array, const char* what) {
  const Scalar scalar = array.dtype().scalar;
  if (array.dtype().lanes != 1 || (scalar != Scalar::float32 && scalar != Scalar::float64))
    refuse_type(std::string(what) + ": expected dtype float32 or float64, got " + array.dtype().name());
}

void check_has_double(const Queue& queue, const char* what) {
  if (!queue.device().properties().has_fp64)
    refuse_type(std::string(what) + ": needs float64, which '" + queue.device().spec() + "' does not have");
}

// Contiguous values of this dtype for each row, and the distance between rows: 0 if all rows share them.
std::pair<Array, std::size_t> values_of_rows(const Queue& queue, const Array& values, const Shape& shape,
                                             std::size_t own_axes, const DType& dtype) {
  const Array converted = astype(values, dtype, &queue);
  const std::size_t length = own_axes == 0 ? 1 : static_cast<std::size_t>(values.shape().back());
  if (converted.size() == length) return {as_contiguous(converted, &queue), 0};
  return {as_contiguous(broadcast_to(converted, shape), &queue), length};
}

Kernel rows_kernel(const char* name, Engine engine) {
  algorithms::Defines defines = {{"GAMMA", "1"},     {"COUNTS", "1"},   {"REAL", "double"},
                                 {"IN_DOUBLE", "1"}, {"WHOLE", "long"}, {"MOST", "9223372036854774784.0"}};
  if (engine == Engine::threefry) defines.emplace_back("THREEFRY", "1");
  return algorithms::kernel_of(
      {"random", "random_samplers", "random_each", "random_families", "random_counts", "random_rows"}, name,
      defines);
}

Range range_of_rows(const Queue& queue, std::size_t rows) {
  const std::size_t local = std::min<std::size_t>(64, queue.device().properties().max_work_group_size);
  return range(rounded_up(rows, local)).with_local(local);
}

}  // namespace

Array Generator::dirichlet(const Queue& queue, Shape shape, const Array& alpha) {
  check_here(queue, alpha, "dirichlet");
  check_real(alpha, "dirichlet");
  if (alpha.shape().size() != 1)
    refuse_value("dirichlet: expected a one-dimensional alpha, got " + std::to_string(alpha.shape().size()));
  const QueueScope scope(queue);
  Array logarithms = empty(queue, with_last(std::move(shape), alpha.shape()[0]), alpha.dtype());
  if (logarithms.size() == 0) return logarithms;
  // Gamma numbers of tiny shapes underflow their type, but their shares do not. An alpha of 0 has the share
  // 0; if all are 0, there are no shares.
  draw_each(queue, logarithms, Family::log_gamma, {alpha});
  const double least = alpha.dtype().itemsize == 8 ? -1.7e308 : -3.4e38;
  const Array most = reduce("max", logarithms, {.over = -1, .keepdims = true});
  const Array shares = apply("exp", {logarithms - apply("maximum", {most, least})});
  const Array total = reduce("sum", shares, {.over = -1, .keepdims = true});
  return where(total > 0.0, shares / total, shares);
}

Array Generator::multivariate_normal(const Queue& queue, Shape shape, const Array& mean,
                                     const Array& factor) {
  check_here(queue, mean, "multivariate_normal");
  check_here(queue, factor, "multivariate_normal");
  check_real(mean, "multivariate_normal");
  if (!(mean.dtype() == factor.dtype()))
    refuse_type("multivariate_normal: expected mean and factor of one dtype, got " + mean.dtype().name() +
                " and " + factor.dtype().name());
  if (mean.shape().size() != 1 || factor.shape().size() != 2 || factor.shape()[0] != mean.shape()[0])
    refuse_value("multivariate_normal: expected a mean of n numbers and a factor of n rows");
  const QueueScope scope(queue);
  const std::int64_t columns = factor.shape()[1];
  const Array normals = draw(queue, with_last(std::move(shape), columns), mean.dtype(), Normal{});
  return matmul(normals, permute_dims(factor)) + mean;
}

Array Generator::multinomial(const Queue& queue, Shape shape, const Array& trials, const Array& p) {
  check_here(queue, trials, "multinomial");
  check_here(queue, p, "multinomial");
  check_has_double(queue, "multinomial");
  if (p.shape().empty() || p.shape().back() == 0)
    refuse_value("multinomial: expected pvals with at least one dimension and a non-empty last axis");
  const QueueScope scope(queue);
  const std::int64_t length = p.shape().back();
  const auto [trial_values, trials_step] = values_of_rows(queue, trials, shape, 0, kRowType);
  const auto [p_values, p_step] =
      values_of_rows(queue, p, with_last(shape, length), 1, DType::of(Scalar::float64));
  Array result = empty(queue, with_last(std::move(shape), length), kRowType);
  if (result.size() == 0) return result;
  const std::size_t rows = result.size() / static_cast<std::size_t>(length);
  const State state = reserve(result.size(), 1);
  rows_kernel("multinomial_rows", state.engine)(queue, range_of_rows(queue, rows), result, rows, length,
                                                state.position, stream_word(state), state.key, trial_values,
                                                trials_step, p_values, p_step);
  return result;
}

Array Generator::multivariate_hypergeometric(const Queue& queue, Shape shape,
                                             std::span<const std::int64_t> colors, std::int64_t sample) {
  check_has_double(queue, "multivariate_hypergeometric");
  constexpr std::int64_t kMost = 1'000'000'000;
  std::int64_t all = 0;
  for (const std::int64_t color : colors) {
    if (color < 0 || color >= kMost || (all += color) >= kMost)
      refuse_value("multivariate_hypergeometric: expected colors >= 0 whose sum is below 10**9");
  }
  if (sample < 0 || sample > all)
    refuse_value("multivariate_hypergeometric: expected nsample from 0 to sum(colors), " +
                 std::to_string(all) + ", got " + std::to_string(sample));
  const auto length = static_cast<std::int64_t>(colors.size());
  Array result = empty(queue, with_last(std::move(shape), length), kRowType);
  if (result.size() == 0) return result;
  const Array values = asarray(queue, colors);
  const std::size_t rows = result.size() / colors.size();
  const State state = reserve(result.size(), 1);
  rows_kernel("multivariate_hypergeometric_rows", state.engine)(
      queue, range_of_rows(queue, rows), result, rows, length, state.position, stream_word(state), state.key,
      values, all, sample);
  return result;
}

}  // namespace quern::random
