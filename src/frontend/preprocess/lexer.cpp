// SPDX-License-Identifier: MIT
// Splits text into tokens.
#include "frontend/preprocess/lexer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace quern::frontend {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

// Longest first.
constexpr std::array<std::string_view, 24> kLongPunctuators = {
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "*=",  "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "::"};
// Alternative spellings, longest first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kDigraphs = {
    {{"%:%:", "##"}, {"%:", "#"}, {"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}}};
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8; some editors write it
constexpr std::string_view kShortPunctuators = "[](){}.&*+-~!/%<>^|?:;=,#@";

}  // namespace

int Files::add(std::string name, std::string text) {
  entries_.push_back({std::move(name), std::move(text)});
  return static_cast<int>(entries_.size()) - 1;
}

int Files::add_part(std::string name, int inside) {
  entries_.push_back({std::move(name), {}, inside});
  return static_cast<int>(entries_.size()) - 1;
}

std::string_view Files::keep(std::string text) {
  kept_.push_back(std::move(text));
  return kept_.back();
}

Lexer::Lexer(Files& files, int file) : files_(files), file_(file), text_(files.text(file)) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  const std::string_view raw = text_;
  if (raw.find('\\') == raw.npos && raw.find('\r') == raw.npos) return;
  std::string joined;
  joined.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;
    if (raw[i] == '\\') {
      // As in gcc and clang, blanks may follow the backslash of a line splice.
      const std::size_t end = raw.find_first_not_of(" \t\r", i + 1);
      if (end != raw.npos && raw[end] == '\n') {
        i = end;
        splices_.push_back(joined.size());
        continue;
      }
    }
    joined += raw[i];
  }
  text_ = files.keep(std::move(joined));
}

Location Lexer::here() const {
  return {file_, line_, static_cast<int>(position_ - line_start_) + 1};
}

void Lexer::newline() {
  ++line_;
  line_start_ = position_;
  starts_line_ = true;
}

void Lexer::skip_comment() {
  const Location start = here();
  const bool first = starts_line_;
  position_ += 2;
  while (!(at(position_) == '*' && at(position_ + 1) == '/')) {
    if (position_ >= text_.size()) files_.fail(start, "unterminated /* comment");
    if (text_[position_++] == '\n') newline();
  }
  position_ += 2;
  // A comment counts as one space, so a directive cannot begin after a comment that spans lines.
  starts_line_ = first;
}

void Lexer::skip_space(Token& token) {
  for (;;) {
    while (next_splice_ < splices_.size() && splices_[next_splice_] <= position_) {
      ++line_;
      line_start_ = std::max(line_start_, splices_[next_splice_++]);
    }
    const char c = at(position_);
    if (c == '\n') {
      ++position_;
      newline();
    } else if (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == '/' && at(position_ + 1) == '*') {
      skip_comment();
    } else {
      return;
    }
    token.after_space = true;
  }
}

void Lexer::quoted(Token& token, char quote) {
  std::size_t end = position_ + 1;
  while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (at(end) != quote || end >= text_.size()) {
    token.text =
        text_.substr(position_++, 1);  // not closed on its line; the parser reports it if it reads it
    return;
  }
  token.kind = quote == '"' ? TokenKind::string : TokenKind::character;
  token.text = text_.substr(position_, end + 1 - position_);
  position_ = end + 1;
}

Token Lexer::next() {
  Token token;
  skip_space(token);
  token.starts_line = starts_line_;
  token.at = here();
  if (position_ >= text_.size()) return token;
  starts_line_ = false;
  token.kind = TokenKind::other;
  const char c = text_[position_];
  std::size_t end = position_ + 1;
  if (starts_name(c)) {
    while (continues_name(at(end))) ++end;
    token.kind = TokenKind::identifier;
  } else if (is_digit(c) || (c == '.' && is_digit(at(end)))) {
    while (continues_name(at(end)) || at(end) == '.' ||
           ((at(end) == '+' || at(end) == '-') &&
            std::string_view("eEpP").find(text_[end - 1]) != std::string_view::npos))
      ++end;
    token.kind = TokenKind::number;
  } else if (c == '"' || c == '\'') {
    quoted(token, c);
    return token;
  } else if (static_cast<unsigned char>(c) >= 0xc0) {  // one UTF-8 character
    while (end - position_ < 4 && (static_cast<unsigned char>(at(end)) & 0xc0u) == 0x80u) ++end;
  } else {
    const bool may_be_long = std::string_view("=<>&|+-.#:%").find(at(end)) != std::string_view::npos;
    for (const auto& [written, meant] : kDigraphs) {
      if (!may_be_long) break;
      if (!text_.substr(position_).starts_with(written)) continue;
      // C++ rule: in <:: the name after < is in the global namespace.
      if (written == "<:" && at(position_ + 2) == ':') continue;
      token.kind = TokenKind::punctuator;
      token.text = meant;
      token.punctuator = punct(meant);
      position_ += written.size();
      return token;
    }
    for (const std::string_view p : kLongPunctuators) {
      if (!may_be_long) break;
      if (text_.substr(position_, p.size()) != p) continue;
      end = position_ + p.size();
      token.kind = TokenKind::punctuator;
      break;
    }
    if (kShortPunctuators.find(c) != std::string_view::npos) token.kind = TokenKind::punctuator;
  }
  token.text = text_.substr(position_, end - position_);
  if (token.kind == TokenKind::punctuator) token.punctuator = punct(token.text);
  position_ = end;
  return token;
}

std::string_view Lexer::header_name() {
  for (;;) {
    const char c = at(position_);
    if (c == '/' && at(position_ + 1) == '*')
      skip_comment();
    else if (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r')
      ++position_;
    else
      break;
  }
  const char open = at(position_);
  if (open != '"' && open != '<') return {};
  const std::size_t end = text_.find_first_of(open == '<' ? ">\n" : "\"\n", position_ + 1);
  if (end == text_.npos || text_[end] == '\n') return {};
  const std::string_view name = text_.substr(position_, end + 1 - position_);
  position_ = end + 1;
  return name;
}

std::string_view Lexer::rest_of_line() {
  const std::size_t start = position_;
  while (position_ < text_.size() && text_[position_] != '\n') {
    if (text_.substr(position_, 2) == "//" || text_.substr(position_, 2) == "/*") break;
    ++position_;
  }
  std::string_view rest = text_.substr(start, position_ - start);
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t' || rest.back() == '\r'))
    rest.remove_suffix(1);
  return rest;
}

}  // namespace quern::frontend
