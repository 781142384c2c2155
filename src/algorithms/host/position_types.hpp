// SPDX-License-Identifier: MIT
// Positions of any integer type, for precompiled functions.
#pragma once

#include <cstdint>

#include "quern/dtype.hpp"

namespace quern::algorithms {

// Calls `function` with a zero of the integer type.
template <class Function>
void with_position(Scalar scalar, const Function& function) {
  switch (scalar) {
    case Scalar::int8:
      return function(std::int8_t{0});
    case Scalar::int16:
      return function(std::int16_t{0});
    case Scalar::int32:
      return function(std::int32_t{0});
    case Scalar::uint8:
      return function(std::uint8_t{0});
    case Scalar::uint16:
      return function(std::uint16_t{0});
    case Scalar::uint32:
      return function(std::uint32_t{0});
    case Scalar::uint64:
      return function(std::uint64_t{0});
    default:
      return function(std::int64_t{0});
  }
}

}  // namespace quern::algorithms
