// SPDX-License-Identifier: MIT
// Source files, positions in them, and tokens.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "quern/error.hpp"

namespace quern::frontend {

// A position in the user's files. Line and column count from 1.
struct Location {
  int file = 0;
  int line = 0;
  int column = 0;
};

// The texts of one translation. Tokens point into them, so they live as long as the translation.
class Files {
 public:
  int add(std::string name, std::string text);
  // Adds the name that a #line directive gives to the lines after it. `inside` is the file of the directive.
  int add_part(std::string name, int inside);
  // Stores a text that tokens may point to: a pasted or stringised token, a renamed file.
  std::string_view keep(std::string text);
  [[nodiscard]] const std::string& name(int file) const {
    return entries_[static_cast<std::size_t>(file)].name;
  }
  [[nodiscard]] const std::string& text(int file) const {
    return entries_[static_cast<std::size_t>(file)].text;
  }
  [[nodiscard]] Diagnostic diagnostic(Location at, std::string text,
                                      Diagnostic::Severity severity = Diagnostic::Severity::error) const;
  // Throws a BuildError that shows the line.
  [[noreturn]] void fail(Location at, const std::string& text) const;
  // Whether the texts of errors show lines of the source, which takes time in proportion to its length.
  void show_lines(bool shows) { shows_lines_ = shows; }

 private:
  struct Entry {
    std::string name, text;
    int inside = -1;  // the file that contains these lines
  };
  std::deque<Entry> entries_;
  std::deque<std::string> kept_;
  bool shows_lines_ = true;
};

enum class TokenKind : std::uint8_t {
  end,
  identifier,
  number,     // a preprocessing number; literal.hpp reads its value
  character,  // with its quotes
  string,     // with its quotes
  punctuator,
  pragma,  // the text after #pragma
  other,   // a character that begins no token
};

// The characters of a punctuator as one number, so that `token.is(punct("<<="))` compares numbers.
constexpr std::uint32_t punct(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// The inverse of punct().
inline std::string spelled(std::uint32_t punctuator) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    if (const char c = static_cast<char>(punctuator >> shift & 0xff)) text += c;
  return text;
}

struct Token {
  TokenKind kind = TokenKind::end;
  bool starts_line = false;
  bool after_space = false;
  bool no_expand = false;  // the name of a macro inside its own expansion
  std::uint32_t punctuator = 0;
  std::string_view text;
  Location at;

  [[nodiscard]] bool is(std::uint32_t p) const { return kind == TokenKind::punctuator && punctuator == p; }
  [[nodiscard]] bool is_name(std::string_view name) const {
    return kind == TokenKind::identifier && text == name;
  }
};

}  // namespace quern::frontend
