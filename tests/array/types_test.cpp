// SPDX-License-Identifier: MIT
// Numbers as elements, and the types of results.
#include "array/types.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "quern/error.hpp"

namespace quern::array {
namespace {

template <class T>
T value_of(const Number& number, Scalar scalar) {
  const NumberBytes bytes = bytes_of(number, DType::of(scalar));
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(Numbers, become_elements_of_any_type) {
  EXPECT_EQ(value_of<std::int8_t>(-5, Scalar::int8), -5);
  EXPECT_EQ(value_of<std::int64_t>(-5, Scalar::int64), -5);
  EXPECT_EQ(value_of<std::uint64_t>(~0ull, Scalar::uint64), ~0ull);
  EXPECT_EQ(value_of<float>(-3, Scalar::float32), -3.0f);
  EXPECT_EQ(value_of<double>(2.5, Scalar::float64), 2.5);
  EXPECT_EQ(value_of<std::uint16_t>(1.0, Scalar::float16), 0x3c00);
  EXPECT_EQ(value_of<std::uint16_t>(1.0, Scalar::bfloat16), 0x3f80);
  EXPECT_EQ(value_of<std::uint16_t>(-257, Scalar::bfloat16), 0xc380);  // half way, to even: -256
  EXPECT_EQ(value_of<std::uint8_t>(0.5, Scalar::boolean), 1);
  EXPECT_EQ(value_of<std::complex<float>>(std::complex<double>(1, -2), Scalar::complex64),
            std::complex<float>(1, -2));
}

TEST(Numbers, that_do_not_fit_are_refused) {
  EXPECT_THROW(bytes_of(300, DType::of(Scalar::uint8)), ArgumentError);
  EXPECT_THROW(bytes_of(-1, DType::of(Scalar::uint64)), ArgumentError);
  EXPECT_THROW(bytes_of(~0ull, DType::of(Scalar::int64)), ArgumentError);
  EXPECT_NO_THROW(bytes_of(-128, DType::of(Scalar::int8)));
}

TEST(Numbers, beyond_64_bits_are_of_floating_point_or_refused) {
  const Number large = Number::huge(0x1p70);
  EXPECT_EQ(value_of<double>(large, Scalar::float64), 0x1p70);
  EXPECT_THROW(bytes_of(large, DType::of(Scalar::uint64)), NumberError);
  EXPECT_FALSE(fits(large, DType::of(Scalar::int64)));
}

TEST(Kinds, go_up_but_not_down) {
  const auto same = [](Scalar from, Scalar to) { return is_same_kind(DType::of(from), DType::of(to)); };
  EXPECT_TRUE(same(Scalar::float64, Scalar::float32));
  EXPECT_TRUE(same(Scalar::int64, Scalar::int8));
  EXPECT_TRUE(same(Scalar::int64, Scalar::float16));
  EXPECT_TRUE(same(Scalar::uint8, Scalar::int8));
  EXPECT_FALSE(same(Scalar::int8, Scalar::uint8));
  EXPECT_FALSE(same(Scalar::float32, Scalar::int64));
  EXPECT_FALSE(same(Scalar::complex64, Scalar::float64));
}

TEST(ResultTypes, of_bfloat16_are_those_of_numpy_operations) {
  const DType short_one = DType::of(Scalar::bfloat16);
  const auto with = [&](Scalar other) {
    EXPECT_EQ(result_type(short_one, DType::of(other)), result_type(DType::of(other), short_one));
    return result_type(short_one, DType::of(other)).scalar;
  };
  for (const Scalar byte : {Scalar::boolean, Scalar::int8, Scalar::uint8, Scalar::bfloat16})
    EXPECT_EQ(with(byte), Scalar::bfloat16);
  for (const Scalar single : {Scalar::int16, Scalar::uint16, Scalar::float16, Scalar::float32})
    EXPECT_EQ(with(single), Scalar::float32);
  for (const Scalar wide : {Scalar::int32, Scalar::uint32, Scalar::int64, Scalar::uint64, Scalar::float64})
    EXPECT_EQ(with(wide), Scalar::float64);
  EXPECT_EQ(with(Scalar::complex64), Scalar::complex64);
  EXPECT_EQ(with(Scalar::complex128), Scalar::complex128);
  EXPECT_EQ(result_type(short_one, Number(2.5)), short_one);
}

TEST(ResultTypes, of_numbers_stay_with_the_array) {
  EXPECT_EQ(result_type(DType::of(Scalar::float32), Number(2.5)), DType::of(Scalar::float32));
  EXPECT_EQ(result_type(DType::of(Scalar::int8), Number(100)), DType::of(Scalar::int8));
  EXPECT_EQ(result_type(DType::of(Scalar::int8), Number(0.5)), DType::of(Scalar::float64));
  EXPECT_EQ(result_type(DType::of(Scalar::boolean), Number(1)), DType::of(Scalar::int64));
  EXPECT_EQ(result_type(DType::of(Scalar::float32), Number(std::complex<double>(0, 1))),
            DType::of(Scalar::complex64));
}

}  // namespace
}  // namespace quern::array
