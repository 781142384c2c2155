// SPDX-License-Identifier: MIT
// Parsing of settings, with a warning for invalid values.
#include "base/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/text.hpp"
#include "base/warning.hpp"

namespace quern {
namespace {

std::string refusal(const char* name, const std::string& value, const std::string& expected) {
  return std::string(name) + "=\"" + value + "\" is ignored: expected " + expected;
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

KeptVariable::KeptVariable(const char* name)
    : name_(name), place_(std::getenv(name)), text_(place_ != nullptr ? place_ : "") {}

KeptVariable::~KeptVariable() {
  // If the program has set the variable meanwhile, it has another address and keeps its value.
  if (place_ != nullptr && std::getenv(name_) == place_) std::memcpy(place_, text_.data(), text_.size());
}

std::optional<long> environment_integer(const char* name, long lowest, long highest) {
  const auto value = environment(name);
  if (!value) return std::nullopt;
  std::string_view text = trimmed(*value);
  if (text.empty()) return std::nullopt;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= lowest && number <= highest) {
    return number;
  }
  std::string expected = "a whole number";
  if (lowest != std::numeric_limits<long>::min()) expected += " from " + std::to_string(lowest);
  if (highest != std::numeric_limits<long>::max()) expected += " up to " + std::to_string(highest);
  warn_once(refusal(name, *value, expected));
  return std::nullopt;
}

std::optional<std::uint64_t> environment_bytes(const char* name) {
  const auto value = environment(name);
  if (!value || trimmed(*value).empty()) return std::nullopt;
  const auto bytes = parse_bytes(*value);
  if (!bytes) warn_once(refusal(name, *value, "a number of bytes such as 1048576, 512K, 256M or 1G"));
  return bytes;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  text = trimmed(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  std::string unit;
  for (const char c : trimmed(text.substr(static_cast<std::size_t>(end - text.data())))) {
    unit += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  unsigned shift = 0;
  if (unit.empty() || unit == "B") {
    shift = 0;
  } else if (unit == "K" || unit == "KB" || unit == "KIB") {
    shift = 10;
  } else if (unit == "M" || unit == "MB" || unit == "MIB") {
    shift = 20;
  } else if (unit == "G" || unit == "GB" || unit == "GIB") {
    shift = 30;
  } else if (unit == "T" || unit == "TB" || unit == "TIB") {
    shift = 40;
  } else {
    return std::nullopt;
  }
  if (number > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return number << shift;
}

}  // namespace quern
