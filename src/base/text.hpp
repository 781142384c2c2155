// SPDX-License-Identifier: MIT
// Small functions of text that every layer needs: trimming, joining, names of C.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace quern {

// The text without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The words in one line: "a, b, c".
template <typename Words>
std::string joined(const Words& words, std::string_view separator = " ") {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

// A shape as NumPy's messages show it: "(2,3)", "(4,)", "()".
template <typename Lengths>
std::string shape_text(const Lengths& lengths) {
  std::string text = "(";
  for (const auto length : lengths) text += std::to_string(length) + ",";
  if (lengths.size() > 1) text.pop_back();
  return text + ")";
}

// Letters, digits and _. Does not depend on the locale, as std::isalnum does.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the text is an identifier of C.
constexpr bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, is_name_character);
}

}  // namespace quern
