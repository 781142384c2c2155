// SPDX-License-Identifier: MIT
// Texts and numbers of SVG pictures.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace quern::svg {

inline std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML has no control characters
    }
  }
  return out;
}

// A coordinate: hundredths of a pixel are enough.
inline std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

}  // namespace quern::svg
