// SPDX-License-Identifier: MIT
// Parses printf's format.
#include "frontend/builtins/printf_format.hpp"

namespace quern::frontend {
namespace {

using Kind = FormatPiece::Kind;
using Length = FormatPiece::Length;

Kind kind_of(char conversion) {
  switch (conversion) {
    case 'd':
    case 'i':
      return Kind::signed_integer;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return Kind::unsigned_integer;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return Kind::real;
    case 'c':
      return Kind::character;
    case 's':
      return Kind::string;
    case 'p':
      return Kind::pointer;
    default:
      return Kind::text;  // not a conversion
  }
}

}  // namespace

Format read_format(std::string_view text) {
  Format result;
  std::size_t i = 0;
  const auto take_all = [&](std::string_view set, FormatPiece& piece) {
    while (i < text.size() && set.find(text[i]) != set.npos) piece.text += text[i++];
  };
  const auto take_count = [&](FormatPiece& piece) {
    if (i < text.size() && text[i] == '*') {
      ++piece.stars;
      piece.text += text[i++];
    } else {
      take_all("0123456789", piece);
    }
  };
  const auto take_word = [&](std::string_view word) {
    if (text.substr(i, word.size()) != word) return false;
    i += word.size();
    return true;
  };
  while (i < text.size()) {
    FormatPiece piece;
    if (text[i] != '%' || text.substr(i, 2) == "%%") {
      while (i < text.size() && (text[i] != '%' || text.substr(i, 2) == "%%")) {
        if (text[i] == '%') ++i;
        piece.text += text[i++];
      }
      result.pieces.push_back(std::move(piece));
      continue;
    }
    const std::size_t start = i++;
    take_all("-+ #0", piece);
    take_count(piece);
    if (i < text.size() && text[i] == '.') {
      piece.text += text[i++];
      take_count(piece);
    }
    const bool is_vector = take_word("v");
    if (is_vector) {
      piece.lanes = take_word("16")  ? 16
                    : take_word("2") ? 2
                    : take_word("3") ? 3
                    : take_word("4") ? 4
                    : take_word("8") ? 8
                                     : 0;
    }
    if (take_word("hh"))
      piece.length = Length::hh;
    else if (take_word("hl"))
      piece.length = Length::hl;
    else if (take_word("h"))
      piece.length = Length::h;
    else if (take_word("ll") || take_word("l"))
      piece.length = Length::l;
    else if (take_word("z") || take_word("t") || take_word("j"))
      piece.length = Length::l;
    piece.conversion = i < text.size() ? text[i++] : '\0';
    piece.kind = kind_of(piece.conversion);
    piece.spelled = text.substr(start, i - start);
    const bool is_number = piece.kind == Kind::signed_integer || piece.kind == Kind::unsigned_integer ||
                           piece.kind == Kind::real;
    if (piece.kind == Kind::text || piece.lanes == 0 || (is_vector && !is_number)) {
      result.error = "printf has no conversion '" + piece.spelled + "'";
      return result;
    }
    result.pieces.push_back(std::move(piece));
  }
  return result;
}

}  // namespace quern::frontend
