// SPDX-License-Identifier: MIT
// Integers that count elements.
#pragma once

#include <cstdint>
#include <string>

#include "functions/operands.hpp"

namespace quern::functions {

// Throws ArgumentError for a number that is not an integer or too large for any array.
inline std::int64_t whole_number(const Number& number, const std::string& what) {
  const double value = number.value().real();
  if (number.is_huge() || value > 9e18 || value < -9e18)
    value_error(what + ": " + std::to_string(value) + " exceeds the largest possible length");
  if (number.kind() != Number::Kind::floating && number.kind() != Number::Kind::complex)
    return static_cast<std::int64_t>(number.integer());
  if (value != static_cast<double>(static_cast<std::int64_t>(value))) type_error(what + " must be integers");
  return static_cast<std::int64_t>(value);
}

}  // namespace quern::functions
