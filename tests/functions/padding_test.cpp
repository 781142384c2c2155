// SPDX-License-Identifier: MIT
// Margins, and bits in bytes, from C++; the expected elements are written out by hand.
#include <cmath>
#include <complex>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Ints = std::vector<std::int32_t>;
using Bytes = std::vector<std::uint8_t>;

class Padded : public EachDevice {
 protected:
  Array ints(const Ints& values) { return asarray(queue_, values); }
  Array bytes(const Bytes& values) { return asarray(queue_, values); }
  Ints values(const Array& x) { return as_contiguous(x).to_vector<std::int32_t>(queue_); }
  Bytes byte_values(const Array& x) { return as_contiguous(x).to_vector<std::uint8_t>(queue_); }
};

TEST_P(Padded, margins_are_statistics_of_what_is_near) {
  const Array x = ints({1, 5, 3, 8});
  EXPECT_EQ(values(pad(x, {{1, 2}}, PadStatistic::maximum)), (Ints{8, 1, 5, 3, 8, 8, 8}));
  EXPECT_EQ(values(pad(x, {{1, 1}}, PadStatistic::minimum, {{2, 2}})), (Ints{1, 1, 5, 3, 8, 3}));
  // 17 / 4 and the middle of 3 and 5.
  EXPECT_EQ(values(pad(x, {{1, 0}}, PadStatistic::mean)), (Ints{4, 1, 5, 3, 8}));
  EXPECT_EQ(values(pad(x, {{0, 1}}, PadStatistic::median)), (Ints{1, 5, 3, 8, 4}));
  // The second axis sees the margin of the first.
  EXPECT_EQ(values(pad(reshape(x, {2, 2}), {{1, 0}, {0, 1}}, PadStatistic::maximum)),
            (Ints{3, 8, 8, 1, 5, 5, 3, 8, 8}));
  EXPECT_THROW(pad(x, {{1, 0}}, PadStatistic::maximum, {{0, 0}}), ArgumentError);
  EXPECT_THROW(pad(x, {{-1, 0}}, PadStatistic::maximum), ArgumentError);
  EXPECT_THROW(pad(view(x, {Index::slice(0, 0)}), {{1, 0}}, PadStatistic::maximum), ArgumentError);
}

TEST_P(Padded, margins_are_ramps_and_odd_mirror_images) {
  const Array x = ints({4, 8});
  const std::vector<std::pair<Number, Number>> ends = {{0, 2}};
  EXPECT_EQ(values(pad_ramps(x, {{2, 3}}, ends)), (Ints{0, 2, 4, 8, 6, 4, 2}));
  EXPECT_EQ(values(pad_odd(ints({1, 2, 4}), {{3, 1}}, false)), (Ints{-4, -2, 0, 1, 2, 4, 6}));
  EXPECT_EQ(values(pad_odd(ints({1, 2, 4}), {{2, 2}}, true)), (Ints{0, 1, 1, 2, 4, 4, 6}));
}

TEST_P(Padded, bits_are_packed_and_unpacked) {
  const Array bits = bytes({1, 0, 1, 0, 0, 0, 0, 1, 1});
  EXPECT_EQ(byte_values(packbits(bits)), (Bytes{161, 128}));
  EXPECT_EQ(byte_values(packbits(bits, {}, BitOrder::little)), (Bytes{133, 1}));
  EXPECT_EQ(byte_values(packbits(reshape(bits, {3, 3}), 0)), (Bytes{128, 32, 160}));
  EXPECT_EQ(byte_values(unpackbits(bytes({161, 128}), {}, 9)), (Bytes{1, 0, 1, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(byte_values(unpackbits(bytes({3}), 0, -5, BitOrder::little)), (Bytes{1, 1, 0}));
  EXPECT_EQ(byte_values(unpackbits(bytes({1}), 0, 10)), (Bytes{0, 0, 0, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_THROW(packbits(asarray(queue_, std::vector<float>{1})), ArgumentError);
  EXPECT_THROW(unpackbits(ints({1})), ArgumentError);
  EXPECT_THROW(unpackbits(bytes({1}), 0, -9), ArgumentError);
}

TEST_P(Padded, memory_is_shared_where_a_byte_is) {
  const Array x = ints({0, 1, 2, 3, 4, 5, 6, 7});
  const auto part = [&](std::int64_t start, std::int64_t step) {
    return view(x, {Index::slice(start, {}, step)});
  };
  EXPECT_TRUE(shares_memory(part(0, 2), part(0, 3)));
  EXPECT_FALSE(shares_memory(part(0, 2), part(1, 2)));
  EXPECT_TRUE(may_share_memory(part(0, 2), part(1, 2)));
  EXPECT_FALSE(shares_memory(x, copy(x)));
  const Array matrix = reshape(x, {2, 4});
  EXPECT_TRUE(isfortran(permute_dims(matrix)));
  EXPECT_FALSE(isfortran(matrix));
  EXPECT_EQ(require(matrix, {.in_fortran_order = true}).strides(), (Strides{4, 8}));
  EXPECT_FALSE(shares_memory(require(part(1, 1), {.owns_memory = true}), x));
  EXPECT_TRUE(shares_memory(require(part(1, 1), {.in_c_order = true, .is_writable = true}), x));
}

TEST_P(Padded, complex_numbers_are_real_where_they_can_be) {
  const Array real = asarray(queue_, std::vector<float>{2, 1});
  const Array x = apply("add", {real, Number(std::complex<double>(0, 1e-7))});
  EXPECT_EQ(x.dtype(), DType::of(Scalar::complex64));
  EXPECT_EQ(real_if_close(x).to_vector<float>(queue_), (std::vector<float>{2, 1}));
  EXPECT_EQ(real_if_close(x, 1e-9).dtype(), DType::of(Scalar::complex64));
  const Array sorted = sort_complex(asarray(queue_, std::vector<std::int16_t>{3, 1, 2}));
  EXPECT_EQ(sorted.dtype(), DType::of(Scalar::complex64));
  EXPECT_EQ(apply("real", {sorted}).to_vector<float>(queue_), (std::vector<float>{1, 2, 3}));
  EXPECT_THROW(asarray_chkfinite(asarray(queue_, std::vector<float>{1, INFINITY})), ArgumentError);
}

QUERN_EACH_DEVICE(Padded);

}  // namespace
}  // namespace quern::test
