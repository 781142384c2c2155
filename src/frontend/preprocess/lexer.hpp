// SPDX-License-Identifier: MIT
// Splits a file into tokens. It removes comments and joins spliced lines; positions refer to the original
// file.
#pragma once

#include <vector>

#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

class Lexer {
 public:
  Lexer(Files& files, int file);
  Token next();  // after the last token, TokenKind::end at every call
  [[nodiscard]] int file() const { return file_; }
  // Returns the file name of an #include directive with its quotes or angle brackets; empty if the line
  // begins with neither.
  std::string_view header_name();
  // Returns the rest of the line as written, without comments.
  std::string_view rest_of_line();

 private:
  void skip_space(Token& token);
  void skip_comment();
  void newline();
  [[nodiscard]] char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  [[nodiscard]] Location here() const;
  void quoted(Token& token, char quote);

  Files& files_;
  int file_;
  std::string_view text_;             // with spliced lines joined
  std::vector<std::size_t> splices_;  // offsets in text_ where lines were joined
  std::size_t next_splice_ = 0;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool starts_line_ = true;
};

}  // namespace quern::frontend
