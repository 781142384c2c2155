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

QUERN_EACH_DEVICE(Transforms);

}  // namespace
}  // namespace quern::test
