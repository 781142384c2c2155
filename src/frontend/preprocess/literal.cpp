// SPDX-License-Identifier: MIT
// Reads the values and types of numbers, characters and strings of the source.
#include "frontend/preprocess/literal.hpp"

#include <cctype>
#include <cstdlib>

namespace quern::frontend {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool read_integer_suffix(std::string_view suffix, Number& number) {
  for (std::size_t i = 0; i < suffix.size(); ++i) {
    const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(suffix[i])));
    if (c == 'u' && !number.is_unsigned) {
      number.is_unsigned = true;
    } else if (c == 'l' && !number.is_long) {
      number.is_long = true;
      if (suffix.substr(i, 2) == "ll" || suffix.substr(i, 2) == "LL") ++i;
    } else {
      return false;
    }
  }
  return true;
}

// Checks the text itself, and calls strtod only for the conversion.
std::optional<Number> read_real(std::string_view text, bool hex) {
  Number number;
  number.kind = Number::Kind::double_;
  std::string_view body = text;
  if (!hex || body.find_first_of("pP") != body.npos) {
    const char last = static_cast<char>(std::tolower(static_cast<unsigned char>(body.back())));
    if (last == 'f' || last == 'h' || last == 'l') {
      number.kind = last == 'f'   ? Number::Kind::float_
                    : last == 'h' ? Number::Kind::half_
                                  : Number::Kind::double_;
      body.remove_suffix(1);
    }
  }
  std::size_t i = hex ? 2 : 0;
  std::size_t digits = 0;
  bool point = false;
  for (; i < body.size(); ++i) {
    if (body[i] == '.' && !point)
      point = true;
    else if (digit_value(body[i]) < (hex ? 16 : 10))
      ++digits;
    else
      break;
  }
  if (digits == 0) return std::nullopt;
  const std::string_view marks = hex ? "pP" : "eE";
  if (i < body.size()) {
    if (marks.find(body[i]) == marks.npos) return std::nullopt;
    ++i;
    if (i < body.size() && (body[i] == '+' || body[i] == '-')) ++i;
    if (i >= body.size()) return std::nullopt;
    for (; i < body.size(); ++i)
      if (digit_value(body[i]) >= 10) return std::nullopt;
  } else if (hex) {
    return std::nullopt;  // a hexadecimal floating-point literal needs an exponent
  }
  const std::string copy(body);
  // A float literal is rounded once, directly to float.
  number.real = number.kind == Number::Kind::float_ ? static_cast<double>(std::strtof(copy.c_str(), nullptr))
                                                    : std::strtod(copy.c_str(), nullptr);
  return number;
}

// Reads one character or escape sequence of a literal, and advances `position`.
std::optional<unsigned char> read_escaped(std::string_view text, std::size_t& position) {
  if (text[position] != '\\') return static_cast<unsigned char>(text[position++]);
  if (++position >= text.size()) return std::nullopt;
  const char c = text[position++];
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
    case '?':
      return static_cast<unsigned char>(c);
    default:
      break;
  }
  int value = 0;
  if (c == 'x') {
    const std::size_t start = position;
    for (; position < text.size() && digit_value(text[position]) < 16; ++position)
      value = (value * 16 + digit_value(text[position])) & 0xff;
    if (position == start) return std::nullopt;
    return static_cast<unsigned char>(value);
  }
  if (c < '0' || c > '7') return std::nullopt;
  --position;
  for (int n = 0; n < 3 && position < text.size() && digit_value(text[position]) < 8; ++n, ++position)
    value = value * 8 + digit_value(text[position]);
  return static_cast<unsigned char>(value & 0xff);
}

}  // namespace

std::optional<Number> read_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex ? text.find_first_of(".pP") != text.npos : text.find_first_of(".eE") != text.npos)
    return read_real(text, hex);
  const bool binary = text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
  const bool octal = !hex && !binary && text[0] == '0';
  if (!hex && !binary && (text.back() == 'f' || text.back() == 'F')) return std::nullopt;  // "1f" is not C
  const unsigned base = hex ? 16 : binary ? 2 : octal ? 8 : 10;
  Number number;
  number.is_decimal = base == 10;
  std::size_t i = hex || binary ? 2 : 0;
  const std::size_t start = i;
  for (; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned>(digit_value(text[i]));
    if (digit >= (base == 16 ? 16U : 10U)) break;
    if (digit >= base) return std::nullopt;
    if (number.integer > (UINT64_MAX - digit) / base) return std::nullopt;
    number.integer = number.integer * base + digit;
  }
  if (i == start || !read_integer_suffix(text.substr(i), number)) return std::nullopt;
  return number;
}

std::optional<std::int32_t> read_character(std::string_view text) {
  if (text.size() < 3) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::size_t position = 0;
  const auto value = read_escaped(text, position);
  if (!value || position != text.size()) return std::nullopt;
  return static_cast<signed char>(*value);
}

std::optional<std::string> read_string(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::string bytes;
  for (std::size_t position = 0; position < text.size();) {
    const auto c = read_escaped(text, position);
    if (!c) return std::nullopt;
    bytes += static_cast<char>(*c);
  }
  return bytes;
}

}  // namespace quern::frontend
