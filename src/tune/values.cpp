// SPDX-License-Identifier: MIT
// Values of parameters, and configurations.
#include <algorithm>
#include <array>
#include <charconv>

#include "quern/error.hpp"
#include "quern/tuned.hpp"

namespace quern {

std::string text_of(const TuneValue& value, bool as_macro) {
  if (const bool* const flag = std::get_if<bool>(&value))
    return as_macro ? (*flag ? "1" : "0") : (*flag ? "true" : "false");
  if (const std::int64_t* const integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const std::string* const text = std::get_if<std::string>(&value)) return *text;
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::get<double>(value)).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

const TuneValue* TuneConfiguration::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return item.first == name; });
  return found == items_.end() ? nullptr : &found->second;
}

const TuneValue& TuneConfiguration::at(std::string_view name) const {
  if (const TuneValue* const value = find(name)) return *value;
  throw ArgumentError(ArgumentError::Kind::value,
                      "there is no parameter '" + std::string(name) + "' in (" + text() + ")");
}

std::int64_t TuneConfiguration::integer(std::string_view name) const {
  const TuneValue& value = at(name);
  if (const std::int64_t* const integer = std::get_if<std::int64_t>(&value)) return *integer;
  throw ArgumentError(ArgumentError::Kind::type,
                      "parameter '" + std::string(name) + "' is " + text_of(value) + ", expected an integer");
}

std::string TuneConfiguration::text() const {
  std::string result;
  for (const auto& [name, value] : items_)
    result += (result.empty() ? "" : ", ") + name + "=" + text_of(value);
  return result;
}

}  // namespace quern
