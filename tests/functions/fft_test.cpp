// SPDX-License-Identifier: MIT
// Fourier transforms from C++. The oracle is the sum of the definition.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "quern/fft.hpp"
#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Complex = std::complex<float>;
using Points = std::vector<Complex>;

class Transforms : public EachDevice {
 protected:
  static Points points(std::size_t n) {
    Points result;
    for (std::size_t k = 0; k < n; ++k)
      result.emplace_back(static_cast<float>((k * 7 + 3) % 11) - 5, static_cast<float>((k * 5 + 1) % 13) - 6);
    return result;
  }
  Array array_of(const Points& x) {
    std::vector<float> numbers;
    for (const Complex& point : x) numbers.insert(numbers.end(), {point.real(), point.imag()});
    return view_as(asarray(queue_, numbers), DType::of(Scalar::complex64));
  }
  static Points expected(const Points& x, double sign) {
    Points result;
    const auto n = static_cast<double>(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::complex<double> sum = 0;
      for (std::size_t j = 0; j < x.size(); ++j)
        sum += std::complex<double>(x[j]) *
               std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % x.size()) / n);
      result.emplace_back(sum);
    }
    return result;
  }
  void expect_near(const Array& got, const Points& wanted) {
    const auto numbers = view_as(copy(got), DType::of(Scalar::float32)).to_vector<float>(queue_);
    Points values;
    for (std::size_t k = 0; k < numbers.size(); k += 2) values.emplace_back(numbers[k], numbers[k + 1]);
    ASSERT_EQ(values.size(), wanted.size());
    double error = 0, size = 1e-30;
    for (std::size_t k = 0; k < values.size(); ++k) {
      error += std::norm(values[k] - wanted[k]);
      size += std::norm(wanted[k]);
    }
    EXPECT_LT(std::sqrt(error / size), 2e-6);
  }
};

TEST_P(Transforms, every_length_agrees_with_the_definition) {
  for (const std::size_t n : {1U, 2U, 6U, 8U, 17U, 37U}) {
    const Points x = points(n);
    const Array a = array_of(x);
    expect_near(fft::fft(a), expected(x, -1));
    expect_near(fft::ifft(a, {.norm = fft::Norm::forward}), expected(x, 1));
  }
}

TEST_P(Transforms, real_lines_come_back) {
  for (const std::int64_t n : {7, 12}) {
    const Array x = arange(queue_, 0, 1, n, DType::of(Scalar::float32));
    const Array spectrum = fft::rfft(x);
    EXPECT_EQ(spectrum.shape(), Shape({n / 2 + 1}));
    const auto back = fft::irfft(spectrum, {.n = n}).to_vector<float>(queue_);
    for (std::int64_t k = 0; k < n; ++k)
      EXPECT_NEAR(back[static_cast<std::size_t>(k)], static_cast<float>(k), 1e-4);
  }
}

TEST_P(Transforms, a_transform_in_place_keeps_what_read_the_array) {
  const Points x = points(8);
  const Array a = array_of(x);
  const Array before = a + Number(0);
  EXPECT_EQ(fft::fft(a, {.out = a}).value(), a.value());
  expect_near(a, expected(x, -1));
  expect_near(before, x);
}

TEST_P(Transforms, wrong_arguments_are_refused) {
  const Array a = array_of(points(4));
  EXPECT_THROW(fft::fft(a, {.n = 0}), ArgumentError);
  EXPECT_THROW(fft::fft(a, {.axis = 1}), ArgumentError);
  EXPECT_THROW(fft::rfft(a), ArgumentError);
  EXPECT_THROW(fft::dct(a, {.type = 5}), ArgumentError);
}

TEST_P(Transforms, convolution_and_cosines_agree_with_sums_done_by_hand) {
  const Array a = asarray(queue_, std::vector<float>{1, 2, 3}),
              b = asarray(queue_, std::vector<float>{1, 10});
  const auto full = fft::fftconvolve(a, b).to_vector<float>(queue_);
  const std::vector<float> wanted = {1, 12, 23, 30};
  ASSERT_EQ(full.size(), wanted.size());
  for (std::size_t k = 0; k < full.size(); ++k) EXPECT_NEAR(full[k], wanted[k], 1e-4);
  EXPECT_NEAR(copy(fft::dct(a)).to_vector<float>(queue_)[0], 12, 1e-4);
  EXPECT_EQ(fft::next_fast_len(1021), 1024);
}

TEST_P(Transforms, two_axes_are_transformed_one_after_the_other) {
  const Points x = points(3 * 4);
  Points wanted;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = expected(
        {x.begin() + static_cast<std::ptrdiff_t>(4 * i), x.begin() + static_cast<std::ptrdiff_t>(4 * i + 4)},
        -1);
    wanted.insert(wanted.end(), row.begin(), row.end());
  }
  for (std::size_t j = 0; j < 4; ++j) {
    const auto column = expected({wanted[j], wanted[4 + j], wanted[8 + j]}, -1);
    for (std::size_t i = 0; i < 3; ++i) wanted[4 * i + j] = column[i];
  }
  const Array matrix = reshape(array_of(x), {3, 4});
  expect_near(reshape(fft::fft2(matrix), {12}), wanted);
  expect_near(reshape(fft::ifft2(fft::fft2(matrix)), {12}), x);
  const Array real = reshape(asarray(queue_, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 9}), {2, 4});
  const auto back = copy(fft::irfft2(fft::rfft2(real))).to_vector<float>(queue_);
  const auto before = real.to_vector<float>(queue_);
  ASSERT_EQ(back.size(), before.size());
  for (std::size_t k = 0; k < back.size(); ++k) EXPECT_NEAR(back[k], before[k], 1e-5);
  EXPECT_EQ(fft::rfft2(real).shape(), (Shape{2, 3}));
}

TEST_P(Transforms, cosines_and_sines_along_all_axes_agree_with_sums_done_by_hand) {
  const std::vector<double> values = {1, -2, 3, 0.5, 4, -1};
  const Array x = reshape(asarray(queue_, std::vector<float>{1, -2, 3, 0.5F, 4, -1}), {2, 3});
  const auto sum = [&](std::size_t k0, std::size_t k1, bool is_sine) {
    const auto factor = [&](std::size_t j, std::size_t k, double n) {
      const double angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / n;
      return 2 * (is_sine ? std::sin(angle * static_cast<double>(k + 1))
                          : std::cos(angle * static_cast<double>(k)));
    };
    double result = 0;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j) result += values[i * 3 + j] * factor(i, k0, 2) * factor(j, k1, 3);
    return result;
  };
  const auto cosines = copy(fft::dctn(x)).to_vector<float>(queue_);
  const auto sines = copy(fft::dstn(x)).to_vector<float>(queue_);
  const auto back = copy(fft::idctn(fft::dctn(x))).to_vector<float>(queue_);
  const auto again = copy(fft::idstn(fft::dstn(x))).to_vector<float>(queue_);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(cosines[k], sum(k / 3, k % 3, false), 1e-4);
    EXPECT_NEAR(sines[k], sum(k / 3, k % 3, true), 1e-4);
    EXPECT_NEAR(back[k], values[k], 1e-5);
    EXPECT_NEAR(again[k], values[k], 1e-5);
  }
  const Array out = empty(queue_, {2, 3}, x.dtype());
  EXPECT_EQ(fft::dctn(x, {.out = out}).value(), out.value());
  EXPECT_NEAR(out.to_vector<float>(queue_)[0], cosines[0], 1e-4);
}

TEST_P(Transforms, lines_of_hermitian_symmetry_have_real_spectra) {
  // A line x[k] with x[n - k] = conj(x[k]), of which three elements are given.
  const Points given = {{2, 0}, {1, -3}, {4, 0}};
  const Points whole = {given[0], given[1], given[2], std::conj(given[1])};
  const auto got = copy(fft::hfft(array_of(given))).to_vector<float>(queue_);
  const Points wanted = expected(whole, -1);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k].real(), 1e-5);
  expect_near(fft::ihfft(asarray(queue_, got)), given);
}

TEST_P(Transforms, real_blocks_come_back_from_half_of_their_spectrum) {
  std::vector<float> values;
  for (int k = 0; k < 2 * 3 * 5; ++k) values.push_back(static_cast<float>((k * 7) % 11) - 5);
  const Array block = reshape(asarray(queue_, values), {2, 3, 5});
  const Array half = fft::rfftn(block);
  EXPECT_EQ(half.shape(), (Shape{2, 3, 3}));
  const Array whole = fft::fftn(astype(block, DType::of(Scalar::complex64)));
  const Array difference =
      half - view(whole, {Index::slice(), Index::slice(), Index::slice(0, std::int64_t{3})});
  EXPECT_LT(max(apply("absolute", {difference})).to_vector<float>(queue_)[0], 1e-4F);
  const auto back =
      copy(fft::irfftn(half, {.s = std::vector<std::int64_t>{2, 3, 5}})).to_vector<float>(queue_);
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t k = 0; k < back.size(); ++k) EXPECT_NEAR(back[k], values[k], 1e-5);
  expect_near(reshape(fft::ifftn(whole), {30}), Points(values.begin(), values.end()));
}

TEST_P(Transforms, every_type_of_cosines_and_sines_has_its_inverse) {
  const std::vector<float> values = {1, -2, 3, 0.5F, 4};
  const Array x = asarray(queue_, values);
  for (int type = 1; type <= 4; ++type) {
    const auto cosines =
        copy(fft::idct(fft::dct(x, {.type = type}), {.type = type})).to_vector<float>(queue_);
    const auto sines = copy(fft::idst(fft::dst(x, {.type = type}), {.type = type})).to_vector<float>(queue_);
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(cosines[k], values[k], 1e-5) << type;
      EXPECT_NEAR(sines[k], values[k], 1e-5) << type;
    }
  }
  // The first element of the second type is twice the sum of x[j] sin(pi (j + 1/2) / n).
  double sum = 0;
  for (std::size_t j = 0; j < values.size(); ++j)
    sum += 2 * values[j] * std::sin(std::numbers::pi * (static_cast<double>(j) + 0.5) / 5);
  EXPECT_NEAR(copy(fft::dst(x)).to_vector<float>(queue_)[0], sum, 1e-5);
}

TEST_P(Transforms, frequencies_begin_at_zero_and_are_shifted_to_the_centre) {
  const DType single = DType::of(Scalar::float32);
  using Floats = std::vector<float>;
  const Array of_five = fft::fftfreq(queue_, 5, 0.2, single);
  EXPECT_EQ(copy(of_five).to_vector<float>(queue_), (Floats{0, 1, 2, -2, -1}));
  EXPECT_EQ(copy(fft::fftshift(of_five)).to_vector<float>(queue_), (Floats{-2, -1, 0, 1, 2}));
  EXPECT_EQ(copy(fft::ifftshift(fft::fftshift(of_five))).to_vector<float>(queue_), (Floats{0, 1, 2, -2, -1}));
  EXPECT_EQ(copy(fft::rfftfreq(queue_, 4, 0.25, single)).to_vector<float>(queue_), (Floats{0, 1, 2}));
  const Array rows = reshape(asarray(queue_, Floats{1, 2, 3, 4, 5, 6}), {2, 3});
  EXPECT_EQ(copy(fft::fftshift(rows, std::vector<int>{1})).to_vector<float>(queue_),
            (Floats{3, 1, 2, 6, 4, 5}));
}

TEST_P(Transforms, norms_have_names) {
  EXPECT_EQ(fft::norm_of("ortho", "fft"), fft::Norm::ortho);
  EXPECT_THROW(fft::norm_of("none", "fft"), ArgumentError);
  const Points x = points(8);
  Points wanted = expected(x, -1);
  for (Complex& value : wanted) value /= std::sqrt(8.0F);
  expect_near(fft::fft(array_of(x), {.norm = fft::Norm::ortho}), wanted);
}

QUERN_EACH_DEVICE(Transforms);

}  // namespace
}  // namespace quern::test
