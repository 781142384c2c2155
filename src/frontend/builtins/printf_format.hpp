// SPDX-License-Identifier: MIT
// Parses the format of OpenCL C's printf: conversions, vector specifiers and lengths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quern::frontend {

struct FormatPiece {
  enum class Kind : std::uint8_t { text, signed_integer, unsigned_integer, real, character, string, pointer };
  enum class Length : std::uint8_t { none, hh, h, hl, l };

  Kind kind = Kind::text;
  std::string text;     // plain text with %% replaced by %; of a conversion: flags, width and precision
  std::string spelled;  // the conversion as written
  int stars = 0;        // of width and precision that are given as *
  unsigned lanes = 1;
  Length length = Length::none;
  char conversion = 0;
};

struct Format {
  std::vector<FormatPiece> pieces;
  std::string error;  // empty if the format is valid
};

Format read_format(std::string_view text);

}  // namespace quern::frontend
