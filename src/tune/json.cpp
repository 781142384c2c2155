// SPDX-License-Identifier: MIT
// Reads and writes JSON.
#include "tune/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "quern/error.hpp"

namespace quern::tuning {
namespace {

constexpr int kDeepest = 32;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json document() {
    Json result = value(0);
    skip_space();
    if (at_ != text_.size()) fail("text after the end");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw ArgumentError(ArgumentError::Kind::value, "JSON, line " + std::to_string(line) + ": " + what);
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("the text ends too early");
    return text_[at_];
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("expected '") + c + "', got '" + text_[at_] + "'");
    ++at_;
  }
  bool accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Json value(int depth) {
    if (depth > kDeepest) fail("lists and objects are nested too deeply");
    const char c = peek();
    if (c == '{') return object(depth);
    if (c == '[') return list(depth);
    if (c == '"') return {string()};
    if (accept("true")) return {true};
    if (accept("false")) return {false};
    if (accept("null")) return {nullptr};
    return number();
  }

  Json object(int depth) {
    Json::Object members;
    expect('{');
    if (peek() == '}') return ++at_, Json{members};
    for (;;) {
      if (peek() != '"') fail("expected a name in quotes");
      std::string name = string();
      expect(':');
      members.emplace_back(std::move(name), value(depth + 1));
      if (peek() == '}') return ++at_, Json{std::move(members)};
      expect(',');
    }
  }

  Json list(int depth) {
    Json::List items;
    expect('[');
    if (peek() == ']') return ++at_, Json{items};
    for (;;) {
      items.push_back(value(depth + 1));
      if (peek() == ']') return ++at_, Json{std::move(items)};
      expect(',');
    }
  }

  Json number() {
    const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const char *const first = text_.data() + at_, *const last = text_.data() + end;
    std::int64_t integer = 0;
    if (const auto [stop, error] = std::from_chars(first, last, integer);
        error == std::errc() && stop == last)
      return at_ = end, Json{integer};
    double real = 0;
    const auto [stop, error] = std::from_chars(first, last, real);
    if (first == last || error != std::errc() || stop != last) fail("expected a value");
    at_ = end;
    return {real};
  }

  unsigned code_unit() {
    unsigned code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || stop != digits.data() + 4) fail("bad \\u");
    at_ += 4;
    return code;
  }

  void append_code_point(std::string& out) {
    unsigned code = code_unit();
    if (code >= 0xD800 && code < 0xDC00) {
      const unsigned second = accept("\\u") ? code_unit() : 0;
      if (second < 0xDC00 || second > 0xDFFF) fail("half of a surrogate pair");
      code = 0x10000 + ((code & 0x3FF) << 10) + (second & 0x3FF);
    } else if (code >= 0xDC00 && code < 0xE000) {
      fail("half of a surrogate pair");
    }
    const auto byte = [&](unsigned bits) { out += static_cast<char>(bits); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xC0 | code >> 6);
      byte(0x80 | (code & 0x3F));
    } else {
      if (code < 0x10000) {
        byte(0xE0 | code >> 12);
      } else {
        byte(0xF0 | (code >> 18 & 7));
        byte(0x80 | (code >> 12 & 0x3F));
      }
      byte(0x80 | (code >> 6 & 0x3F));
      byte(0x80 | (code & 0x3F));
    }
  }

  // Of one that has several in UTF-8.
  void append_bytes_of_character(std::string& out) {
    const auto byte_at = [&](std::size_t i) {
      return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0U;
    };
    const unsigned first = byte_at(0), second = byte_at(1);
    const std::size_t count = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    // The second byte excludes overlong forms, surrogates, and numbers above 0x10FFFF.
    const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    bool is_valid = count != 0 && second >= least && second <= most;
    for (std::size_t i = 2; i < count; ++i) is_valid = is_valid && (byte_at(i) & 0xC0) == 0x80;
    if (!is_valid) fail("a string is not UTF-8");
    out += text_.substr(at_, count);
    at_ += count;
  }

  std::string string() {
    std::string out;
    expect('"');
    for (;;) {
      if (at_ == text_.size()) fail("a string does not end");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("a string has a control character");
      if (static_cast<unsigned char>(c) >= 0x80) {
        --at_;
        append_bytes_of_character(out);
        continue;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      const char escape = at_ < text_.size() ? text_[at_++] : '\0';
      constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      if (escape == 'u') {
        append_code_point(out);
      } else if (const std::size_t found = kEscapes.find(escape);
                 escape != '\0' && found != std::string_view::npos) {
        out += kMeanings[found];
      } else {
        fail("unknown escape in a string");
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code;
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  out += '"';
}

bool is_nested(const Json& json) {
  return json.as<Json::List>() != nullptr || json.as<Json::Object>() != nullptr;
}

void append(std::string& out, const Json& json, std::size_t indent);

// Appends the items of a list or object, each by append_item, with the brackets.
template <class Items, class IsNested, class AppendItem>
void append_items(std::string& out, const Items& items, char open, char close, std::size_t indent,
                  IsNested&& is_nested_item, AppendItem&& append_item) {
  const bool many_lines = std::any_of(items.begin(), items.end(), is_nested_item);
  out += open;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += many_lines ? "," : ", ";
    if (many_lines) out += "\n" + std::string(indent + 2, ' ');
    append_item(items[i]);
  }
  if (many_lines) out += "\n" + std::string(indent, ' ');
  out += close;
}

void append(std::string& out, const Json& json, std::size_t indent) {
  if (const auto* const flag = json.as<bool>()) {
    out += *flag ? "true" : "false";
  } else if (const auto* const integer = json.as<std::int64_t>()) {
    out += std::to_string(*integer);
  } else if (const auto* const real = json.as<double>()) {
    if (!std::isfinite(*real)) {
      out += "null";
      return;
    }
    std::array<char, 40> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), *real).ptr;
    const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
    out += digits;
    if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";  // read as a real again
  } else if (const auto* const string = json.as<std::string>()) {
    append_string(out, *string);
  } else if (const auto* const list = json.as<Json::List>()) {
    append_items(out, *list, '[', ']', indent, is_nested,
                 [&](const Json& item) { append(out, item, indent + 2); });
  } else if (const auto* const object = json.as<Json::Object>()) {
    append_items(
        out, *object, '{', '}', indent, [](const auto& member) { return is_nested(member.second); },
        [&](const auto& member) {
          append_string(out, member.first);
          out += ": ";
          append(out, member.second, indent + 2);
        });
  } else {
    out += "null";
  }
}

}  // namespace

Json::Json(std::nullptr_t) : value(nullptr) {}
Json::Json(bool flag) : value(flag) {}
Json::Json(std::int64_t integer) : value(integer) {}
Json::Json(double real) : value(real) {}
Json::Json(std::string text) : value(std::move(text)) {}
Json::Json(const char* text) : value(std::string(text)) {}
Json::Json(List items) : value(std::move(items)) {}
Json::Json(Object members) : value(std::move(members)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

const Json* Json::find(std::string_view name) const noexcept {
  const auto* const object = as<Object>();
  if (object == nullptr) return nullptr;
  const auto found =
      std::find_if(object->begin(), object->end(), [&](const auto& member) { return member.first == name; });
  return found == object->end() ? nullptr : &found->second;
}

Json parse_json(std::string_view text) {
  return Parser(text).document();
}

std::string json_text(const Json& json) {
  std::string out;
  append(out, json, 0);
  return out + "\n";
}

}  // namespace quern::tuning
