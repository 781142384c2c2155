// SPDX-License-Identifier: MIT
// The values of numeric, character and string literals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

struct Number {
  enum class Kind : std::uint8_t { integer, half_, float_, double_ };
  Kind kind = Kind::integer;
  std::uint64_t integer = 0;
  double real = 0;
  bool is_decimal = true;
  bool is_unsigned = false;  // suffix u
  bool is_long = false;      // suffix l
};

// The value of a preprocessing number; nothing if it is not a valid literal.
std::optional<Number> read_number(std::string_view text);
// The value of 'c', with escape sequences; nothing if it is empty or malformed.
std::optional<std::int32_t> read_character(std::string_view text);
// The bytes of "text", with escape sequences; nothing if it is malformed.
std::optional<std::string> read_string(std::string_view text);

}  // namespace quern::frontend
