// SPDX-License-Identifier: MIT
// Fourier transforms of distributed arrays against the sums that define them, and the messages that they
// take.
#include "quern/distributed/fft.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "distributed/parts.hpp"
#include "distributed/random_layouts.hpp"
#include "distributed/ranks.hpp"
#include "quern/error.hpp"

namespace quern::distributed {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> numbers(std::size_t count) {
  std::vector<Complex> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = {static_cast<double>(i % 7) - 3, static_cast<double>(i % 5)};
  return result;
}

// The transform along the middle axis of an array of shape (outer, n, inner).
std::vector<Complex> transform_of(const std::vector<Complex>& x, std::size_t n, std::size_t inner) {
  std::vector<Complex> result(x.size());
  for (std::size_t at = 0; at < x.size(); ++at) {
    const std::size_t i = at % inner, k = at / inner % n, first = at - k * inner - i;
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      result[at] += x[first + j * inner + i] * std::polar(1.0, angle);
    }
  }
  return result;
}

Array array_of_complex(const std::vector<Complex>& values, const Shape& shape) {
  return array_of(host_queue(), std::as_bytes(std::span(values)), shape, DType::of(Scalar::complex128));
}

void expect_near(const DistributedArray& got, const std::vector<Complex>& expected, const std::string& what) {
  const Array whole = gather(got);
  std::vector<Complex> found(whole.size());
  read(whole, std::as_writable_bytes(std::span(found)));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(std::abs(found[i] - expected[i]), 0, 1e-9) << what;
}

TEST(DistributedTransforms, are_the_sums_that_define_them_in_every_layout) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    const int ranks = 1 + static_cast<int>(random() % 6);
    Shape shape;
    for (int axis = 0; axis < 3; ++axis) shape.push_back(static_cast<std::int64_t>(1 + random() % 6));
    const Layout layout = random_layout(random, ranks, shape);
    const std::size_t a = static_cast<std::size_t>(shape[0]), b = static_cast<std::size_t>(shape[1]),
                      c = static_cast<std::size_t>(shape[2]);
    const std::vector<Complex> x = numbers(a * b * c);
    const auto along_1 = transform_of(x, b, c);
    const auto all = transform_of(transform_of(along_1, a, b * c), c, 1);
    on_ranks(ranks, [&](const Communicator& communicator) {
      const DistributedArray spread = distribute(communicator, layout, array_of_complex(x, shape));
      const DistributedArray one = distributed::fft(spread, {.axis = 1});
      expect_near(one, along_1, layout.text());
      EXPECT_EQ(one.layout(), layout);
      expect_near(fftn(spread), all, layout.text());
      expect_near(ifftn(fftn(spread)), x, layout.text());
    });
  }
}

TEST(DistributedTransforms, of_a_split_line_have_any_length) {
  for (const std::int64_t n : {1, 2, 3, 5, 12, 36, 97, 101, 202, 256}) {
    const std::vector<Complex> x = numbers(static_cast<std::size_t>(n));
    const auto expected = transform_of(x, x.size(), 1);
    on_ranks(4, [&](const Communicator& communicator) {
      const Layout layout = Layout::block(ProcessGrid({4}), {n});
      const DistributedArray line = distribute(communicator, layout, array_of_complex(x, {n}));
      expect_near(distributed::fft(line), expected, std::to_string(n));
      expect_near(distributed::ifft(distributed::fft(line)), x, std::to_string(n));
    });
  }
}

TEST(DistributedTransforms, of_a_plane_take_one_message_to_each_rank_there_and_back) {
  on_ranks(4, [](const Communicator& communicator) {
    const Layout layout = Layout::block(ProcessGrid({4}), {8, 8});
    const DistributedArray plane = distribute(communicator, layout, array_of_complex(numbers(64), {8, 8}));
    const auto before = communicator.sent();
    (void)fftn(plane);
    EXPECT_EQ(communicator.sent().messages - before.messages, 2 * 3);
    EXPECT_EQ(communicator.sent().bytes - before.bytes, 2 * 3 * (64 / 16) * sizeof(Complex));
  });
}

TEST(DistributedTransforms, refuse_an_output_and_a_length_of_zero) {
  on_ranks(2, [](const Communicator& communicator) {
    const Array whole = array_of_complex(numbers(4), {4});
    const DistributedArray x = distribute(communicator, Layout::block(ProcessGrid({2}), {4}), whole);
    EXPECT_THROW((void)distributed::fft(x, {.n = 0}), ArgumentError);
    EXPECT_THROW((void)distributed::fft(x, {.out = whole}), ArgumentError);
    EXPECT_THROW((void)distributed::rfft(x), ArgumentError);
  });
}

}  // namespace
}  // namespace quern::distributed
