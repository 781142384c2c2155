// SPDX-License-Identifier: MIT
// Keys that are compared as the bits of unsigned integers (radix_keys.cl).
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/launch/kernel_table.hpp"
#include "quern/array.hpp"
#include "quern/sort.hpp"

namespace quern::algorithms {

struct KeyOrder {
  unsigned size = 4;  // bytes
  bool is_float = false;
  std::uint64_t flip = 0;  // key_in() of radix_keys.cl

  // The defines of radix_keys.cl; with `ties`, keys that compare equal are equal.
  [[nodiscard]] Defines defines(bool ties) const;
};

// Throws ArgumentError for a dtype that has no order.
KeyOrder key_order(std::string_view what, std::string_view name, const DType& dtype, SortOptions options);

[[nodiscard]] bool is_signed_integer(const DType& dtype);
[[nodiscard]] bool is_integer(const DType& dtype);         // bool too
[[nodiscard]] bool is_floating_point(const DType& dtype);  // real ones
const char* unsigned_type(unsigned nbytes);                // "uint" for 4...

}  // namespace quern::algorithms
