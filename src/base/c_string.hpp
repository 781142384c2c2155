// SPDX-License-Identifier: MIT
// A text as a C string literal on one line, as #line directives need it.
#pragma once

#include <string>
#include <string_view>

namespace quern {

inline std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // a directive ends at the end of its line
  }
  return result += '"';
}

}  // namespace quern
