// SPDX-License-Identifier: MIT
// Functions of the C++ interface against sequential loops over the same numbers.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;
using Longs = std::vector<std::int64_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Loops : public EachDevice {
 protected:
  // Numbers from 0 to 1 that follow no pattern, the same in each run.
  static Floats numbers(std::size_t count, std::uint32_t seed = 1) {
    Floats result;
    for (std::size_t k = 0; k < count; ++k) {
      seed = seed * 1664525U + 1013904223U;
      result.push_back(static_cast<float>(seed >> 8) / 16777216.0F);
    }
    return result;
  }
  Array floats(const Floats& values, const Shape& shape) { return reshape(asarray(queue_, values), shape); }
  Array floats(const Floats& values) { return asarray(queue_, values); }
  Array longs(const Longs& values) { return asarray(queue_, values); }
  Floats values(const Array& x) {
    return as_contiguous(astype(x, dtype_of<float>())).to_vector<float>(queue_);
  }
  Longs places(const Array& x) { return as_contiguous(x).to_vector<std::int64_t>(queue_); }
};

TEST_P(Loops, arrays_like_others_have_their_shape_and_dtype) {
  const Array like = floats(numbers(6), {2, 3});
  const auto int32 = DType::of(Scalar::int32);
  EXPECT_EQ(empty_like(like).shape(), (Shape{2, 3}));
  EXPECT_EQ(empty_like(like).dtype(), like.dtype());
  EXPECT_EQ(values(zeros_like(like)), Floats(6, 0));
  EXPECT_EQ(values(ones_like(like, {.shape = Shape{4}})), Floats(4, 1));
  EXPECT_EQ(ones_like(like, {.dtype = int32}).dtype(), int32);
  EXPECT_EQ(full_like(like, 7, {.order = MemoryOrder::fortran}).evaluate().strides, (Strides{4, 8}));
  EXPECT_EQ(values(full_like(like, floats({1, 2, 3}))), (Floats{1, 2, 3, 1, 2, 3}));
  const Queue other(device_);
  EXPECT_EQ(values(zeros_like(like, {.shape = Shape{3}, .queue = &other})), Floats(3, 0));
}

TEST_P(Loops, indices_of_triangles_and_diagonals) {
  for (const std::int64_t rows : {0, 1, 4}) {
    for (const std::int64_t columns : {0, 3, 4}) {
      for (std::int64_t offset = -3; offset <= 3; ++offset) {
        Longs lower[2], upper[2];
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) {
            if (j - i <= offset) lower[0].push_back(i), lower[1].push_back(j);
            if (j - i >= offset) upper[0].push_back(i), upper[1].push_back(j);
          }
        }
        const auto found_lower = tril_indices(queue_, rows, offset, columns);
        const auto found_upper = triu_indices(queue_, rows, offset, columns);
        const Array matrix = zeros(queue_, {rows, columns}, dtype_of<float>());
        const auto from_lower = tril_indices_from(matrix, offset),
                   from_upper = triu_indices_from(matrix, offset);
        for (std::size_t axis = 0; axis < 2; ++axis) {
          EXPECT_EQ(places(found_lower[axis]), lower[axis]);
          EXPECT_EQ(places(found_upper[axis]), upper[axis]);
          EXPECT_EQ(places(from_lower[axis]), lower[axis]);
          EXPECT_EQ(places(from_upper[axis]), upper[axis]);
        }
      }
    }
  }
  const auto diagonal = diag_indices(queue_, 3, 4);
  ASSERT_EQ(diagonal.size(), 4U);
  for (const Array& axis : diagonal) EXPECT_EQ(places(axis), (Longs{0, 1, 2}));
  EXPECT_EQ(diag_indices_from(zeros(queue_, {2, 2, 2}, dtype_of<float>())).size(), 3U);
  EXPECT_EQ(tril_indices(queue_, 3).front().size(), 6U) << "as many columns as rows";
  EXPECT_THROW(diag_indices_from(zeros(queue_, {2, 3}, dtype_of<float>())), ArgumentError);
  EXPECT_THROW(tril_indices_from(zeros(queue_, {2}, dtype_of<float>())), ArgumentError);
}

TEST_P(Loops, flat_indices_and_indices_of_axes) {
  const std::vector<std::int64_t> lengths = {2, 3, 4};
  Longs flat(24);
  std::iota(flat.begin(), flat.end(), 0);
  for (const bool is_fortran : {false, true}) {
    const std::vector<Array> axes = unravel_index(longs(flat), lengths, is_fortran);
    ASSERT_EQ(axes.size(), 3U);
    const Longs i = places(axes[0]), j = places(axes[1]), k = places(axes[2]);
    for (std::size_t n = 0; n < flat.size(); ++n)
      EXPECT_EQ(is_fortran ? i[n] + 2 * (j[n] + 3 * k[n]) : (i[n] * 3 + j[n]) * 4 + k[n], flat[n]);
    const std::vector<IndexMode> modes(3, IndexMode::raise);
    EXPECT_EQ(places(ravel_multi_index(axes, lengths, modes, is_fortran)), flat);
  }
  const std::vector<Array> beyond = {longs({-1, 5}), longs({4, -7})};
  const std::vector<std::int64_t> plane = {3, 4};
  const std::vector<IndexMode> wrap_and_clip = {IndexMode::wrap, IndexMode::clip};
  EXPECT_EQ(places(ravel_multi_index(beyond, plane, wrap_and_clip)), (Longs{2 * 4 + 3, 2 * 4 + 0}));
  const std::vector<IndexMode> raise(2, IndexMode::raise);
  EXPECT_THROW(ravel_multi_index(beyond, plane, raise), ArgumentError);
  EXPECT_THROW(unravel_index(longs({12}), plane), ArgumentError);
}

TEST_P(Loops, elements_are_put_along_an_axis) {
  Floats wanted = numbers(24);
  const Array x = floats(wanted, {4, 6});
  const Longs rows = {3, 0, 1, 2, 3, 0};  // one for each column
  const Floats given = numbers(6, 9);
  for (std::size_t j = 0; j < 6; ++j) wanted[static_cast<std::size_t>(rows[j]) * 6 + j] = given[j];
  put_along_axis(x, reshape(longs(rows), {1, 6}), floats(given, {1, 6}), 0);
  EXPECT_EQ(values(x), wanted);
  const Longs columns = {5, -6, 2, 1};
  for (std::size_t i = 0; i < 4; ++i) wanted[i * 6 + static_cast<std::size_t>((columns[i] + 6) % 6)] = 8;
  put_along_axis(x, reshape(longs(columns), {4, 1}), 8, 1);
  EXPECT_EQ(values(x), wanted);
}

TEST_P(Loops, keys_are_sorted_by_the_last_one_first) {
  Floats first, second;
  for (const float number : numbers(200)) first.push_back(std::floor(number * 5));
  for (const float number : numbers(200, 7)) second.push_back(std::floor(number * 4));
  Longs wanted(200);
  std::iota(wanted.begin(), wanted.end(), 0);
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::int64_t a, std::int64_t b) {
    const auto m = static_cast<std::size_t>(a), n = static_cast<std::size_t>(b);
    return std::pair(second[m], first[m]) < std::pair(second[n], first[n]);
  });
  const std::vector<Array> keys = {floats(first), floats(second)};
  EXPECT_EQ(places(lexsort(keys)), wanted);
}

TEST_P(Loops, unique_values_are_counted_and_rebuild_the_array) {
  Longs given;
  for (const float number : numbers(300)) given.push_back(static_cast<std::int64_t>(number * 20) - 10);
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t number : given) ++counts[number];
  Longs keys, numbers_of;
  for (const auto& [key, count] : counts) keys.push_back(key), numbers_of.push_back(count);
  const Array x = reshape(longs(given), {20, 15});
  const UniqueCounts counted = unique_counts(x);
  EXPECT_EQ(places(counted.values), keys);
  EXPECT_EQ(places(counted.counts), numbers_of);
  const UniqueInverse found = unique_inverse(x);
  EXPECT_EQ(places(found.values), keys);
  EXPECT_EQ(found.inverse.shape(), x.shape());
  const Longs inverse = places(found.inverse);
  for (std::size_t k = 0; k < given.size(); ++k)
    EXPECT_EQ(keys[static_cast<std::size_t>(inverse[k])], given[k]);
  EXPECT_EQ(unique_counts(floats({kNan, 1, kNan})).values.size(), 3U);
  EXPECT_EQ(unique_counts(floats({kNan, 1, kNan}), true).values.size(), 2U);
}

TEST_P(Loops, pairs_are_counted_in_two_dimensions) {
  const Floats x = numbers(500, 3), y = numbers(500, 4), weights = numbers(500, 5);
  std::vector<double> counts(4 * 3), sums(4 * 3);
  const double edges[] = {0.1, 0.2, 0.6, 1.0};
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (y[k] < 0.1F) continue;
    const auto i = std::min<std::size_t>(static_cast<std::size_t>(x[k] * 4), 3);
    const std::size_t j = y[k] < 0.2F ? 0 : y[k] < 0.6F ? 1 : 2;
    counts[i * 3 + j] += 1;
    sums[i * 3 + j] += weights[k];
  }
  const HostNumbers y_bins({edges[0], edges[1], edges[2], edges[3]});
  const Histogram2d found =
      histogram2d(floats(x), floats(y), 4, y_bins, {.ranges = {std::pair(0.0, 1.0), std::nullopt}});
  ASSERT_EQ(found.counts.shape(), (Shape{4, 3}));
  EXPECT_EQ(values(found.counts), Floats(counts.begin(), counts.end()));
  EXPECT_EQ(values(found.x_edges), (Floats{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(values(found.y_edges), (Floats{0.1F, 0.2F, 0.6F, 1}));
  const Histogram2d weighted =
      histogram2d(floats(x), floats(y), 4, y_bins,
                  {.ranges = {std::pair(0.0, 1.0), std::nullopt}, .weights = floats(weights)});
  const Floats got = values(weighted.counts);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], sums[k], 1e-3);
}

TEST_P(Loops, a_cholesky_factor_knows_its_triangle) {
  constexpr std::int64_t n = 5;
  const Floats root = numbers(n * n, 6);
  Floats a(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = i == j ? 1.0F : 0.0F;
      for (std::int64_t k = 0; k < n; ++k)
        sum += root[static_cast<std::size_t>(i * n + k)] * root[static_cast<std::size_t>(j * n + k)];
      a[static_cast<std::size_t>(i * n + j)] = sum;
    }
  const Floats b = numbers(n, 8);
  for (const bool is_lower : {false, true}) {
    const linalg::CholeskyFactor factor = linalg::cho_factor(floats(a, {n, n}), is_lower);
    EXPECT_EQ(factor.lower, is_lower);
    const Floats c = values(factor.c), x = values(linalg::cho_solve(factor, floats(b)));
    for (std::int64_t i = 0; i < n; ++i) {
      float row = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = [&](std::int64_t p, std::int64_t q) { return static_cast<std::size_t>(p * n + q); };
        row += a[at(i, j)] * x[static_cast<std::size_t>(j)];
        if (is_lower ? j > i : j < i) {
          EXPECT_EQ(c[at(i, j)], 0) << "the other triangle";
        }
        float product = 0;
        for (std::int64_t k = 0; k < n; ++k)
          product += is_lower ? c[at(i, k)] * c[at(j, k)] : c[at(k, i)] * c[at(k, j)];
        EXPECT_NEAR(product, a[at(i, j)], 1e-5);
      }
      EXPECT_NEAR(row, b[static_cast<std::size_t>(i)], 1e-4);
    }
  }
}

TEST_P(Loops, blocks_are_joined_from_the_innermost_lists_out) {
  const Array a = floats(numbers(4, 1), {2, 2}), b = floats(numbers(6, 2), {2, 3}),
              c = floats(numbers(2, 3), {1, 2}), d = floats(numbers(3, 4));
  const Array joined = block({{a, b}, {c, d}});
  ASSERT_EQ(joined.shape(), (Shape{3, 5}));
  const Floats got = values(joined), left = values(a), right = values(b), below = values(c), last = values(d);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      const float wanted =
          i < 2 ? (j < 2 ? left[i * 2 + j] : right[i * 3 + j - 2]) : (j < 2 ? below[j] : last[j - 2]);
      EXPECT_EQ(got[i * 5 + j], wanted);
    }
  EXPECT_EQ(block({d, d}).shape(), (Shape{6}));
  const Array alone = block(a);
  EXPECT_EQ(values(alone), left);
  EXPECT_FALSE(shares_memory(alone, a));
  const Blocks uneven({Blocks({Blocks(a)}), Blocks(b)}), nothing(std::vector<Blocks>{});
  EXPECT_THROW(block(uneven), ArgumentError);
  EXPECT_THROW(block(nothing), ArgumentError);
}

TEST_P(Loops, close_elements) {
  const Floats a = {1, 1, 1, 0, kInfinity, kInfinity, -kInfinity, kNan, kNan, 1e-9F};
  const Floats b = {1, 1.00001F, 1.001F, 1e-9F, kInfinity, -kInfinity, 3, kNan, 1, -1e-9F};
  for (const bool equal_nan : {false, true}) {
    for (const double rtol : {1e-5, 1e-2}) {
      std::vector<std::uint8_t> wanted;
      for (std::size_t k = 0; k < a.size(); ++k) {
        const double x = a[k], y = b[k];
        const bool are_close = std::isfinite(x) && std::isfinite(y)
                                   ? std::abs(x - y) <= 1e-8 + rtol * std::abs(y)
                                   : x == y || (equal_nan && std::isnan(x) && std::isnan(y));
        wanted.push_back(are_close ? 1 : 0);
      }
      const Array got = isclose(floats(a), floats(b), {.rtol = rtol, .equal_nan = equal_nan});
      EXPECT_EQ(astype(got, DType::of(Scalar::uint8)).to_vector<std::uint8_t>(queue_), wanted);
    }
  }
}

TEST_P(Loops, percentiles_and_products_leave_nan_out) {
  Floats x = numbers(60, 11);
  for (std::size_t k = 0; k < x.size(); k += 7) x[k] = kNan;
  const Array matrix = floats(x, {5, 12});
  for (const double q : {0.0, 30.0, 50.0, 100.0}) {
    const Floats got = values(nanpercentile(matrix, q, {.over = {1}}));
    ASSERT_EQ(got.size(), 5U);
    for (std::size_t row = 0; row < 5; ++row) {
      Floats line;
      for (std::size_t j = 0; j < 12; ++j)
        if (!std::isnan(x[row * 12 + j])) line.push_back(x[row * 12 + j]);
      std::sort(line.begin(), line.end());
      const double place = q / 100 * static_cast<double>(line.size() - 1);
      const auto low = static_cast<std::size_t>(place);
      const std::size_t high = std::min(low + 1, line.size() - 1);
      EXPECT_NEAR(got[row], line[low] + (place - static_cast<double>(low)) * (line[high] - line[low]), 1e-6);
    }
  }
  const Floats products = values(nancumprod(matrix, {.axis = 1}));
  for (std::size_t row = 0; row < 5; ++row) {
    double product = 1;
    for (std::size_t j = 0; j < 12; ++j) {
      if (!std::isnan(x[row * 12 + j])) product *= x[row * 12 + j];
      EXPECT_NEAR(products[row * 12 + j], product, 1e-5);
    }
  }
}

TEST_P(Loops, transforms_along_all_axes_and_back) {
  using Complex = std::complex<double>;
  const std::size_t lengths[] = {3, 4, 5};
  const Floats x = numbers(60, 12);
  const Array got = fft::fftn(floats(x, {3, 4, 5}));
  ASSERT_EQ(got.dtype().scalar, Scalar::complex64);
  const Floats parts = view_as(as_contiguous(got), dtype_of<float>()).to_vector<float>(queue_);
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = 0; q < 4; ++q)
      for (std::size_t r = 0; r < 5; ++r) {
        Complex sum = 0;
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t k = 0; k < 5; ++k) {
              const double turns = static_cast<double>(p * i) / static_cast<double>(lengths[0]) +
                                   static_cast<double>(q * j) / static_cast<double>(lengths[1]) +
                                   static_cast<double>(r * k) / static_cast<double>(lengths[2]);
              sum += static_cast<double>(x[(i * 4 + j) * 5 + k]) *
                     std::polar(1.0, -2 * std::numbers::pi * turns);
            }
        const std::size_t at = 2 * ((p * 4 + q) * 5 + r);
        EXPECT_NEAR(parts[at], sum.real(), 1e-4);
        EXPECT_NEAR(parts[at + 1], sum.imag(), 1e-4);
      }
}

TEST_P(Loops, cosine_transforms_come_back) {
  constexpr std::size_t n = 7;
  const Floats x = numbers(n, 13);
  const auto size = static_cast<double>(n);
  const Floats second = values(fft::idct(floats(x)));
  const Floats fourth = values(fft::idct(floats(x), {.type = 4}));
  for (std::size_t k = 0; k < n; ++k) {
    double of_second = x[0], of_fourth = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double turn = std::numbers::pi / size;
      if (j != 0)
        of_second += 2 * x[j] * std::cos(turn * static_cast<double>(j) * (static_cast<double>(k) + 0.5));
      of_fourth +=
          2 * x[j] * std::cos(turn * (static_cast<double>(j) + 0.5) * (static_cast<double>(k) + 0.5));
    }
    EXPECT_NEAR(second[k], of_second / (2 * size), 1e-5);
    EXPECT_NEAR(fourth[k], of_fourth / (2 * size), 1e-5);
  }
}

QUERN_EACH_DEVICE(Loops);

}  // namespace
}  // namespace quern::test
