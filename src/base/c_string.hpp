// SPDX-License-Identifier: MIT
// A text as a string literal of C on one line, as #line directives have names.
#pragma once

#include <string>
#include <string_view>

namespace quern {

inline std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // a directive ends with its line
  }
  return result += '"';
}

}  // namespace quern
