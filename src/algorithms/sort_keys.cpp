// SPDX-License-Identifier: MIT
// Sort keys that are compared as unsigned integers.
#include "algorithms/sort_keys.hpp"

#include "algorithms/launch/checks.hpp"

namespace quern::algorithms {

bool is_signed_integer(const DType& dtype) {
  return dtype.lanes == 1 && dtype.scalar >= Scalar::int8 && dtype.scalar <= Scalar::int64;
}

bool is_integer(const DType& dtype) {
  return dtype.lanes == 1 && dtype.scalar <= Scalar::uint64;
}

bool is_floating_point(const DType& dtype) {
  return dtype.lanes == 1 && dtype.scalar >= Scalar::float16 && dtype.scalar <= Scalar::float64;
}

KeyOrder key_order(std::string_view what, std::string_view name, const DType& dtype, SortOptions options) {
  if ((!is_integer(dtype) && !is_floating_point(dtype)) || dtype.scalar == Scalar::bfloat16)
    reject_dtype(what, name, dtype, "bool, an integer, float16, float32 or float64");
  KeyOrder order;
  order.size = static_cast<unsigned>(dtype.itemsize);
  order.is_float = is_floating_point(dtype);
  const std::uint64_t sign = std::uint64_t{1} << (8 * dtype.itemsize - 1), all = sign | (sign - 1);
  if (is_signed_integer(dtype)) order.flip = sign;
  if (options.descending) order.flip ^= order.is_float ? sign : all;
  return order;
}

}  // namespace quern::algorithms
