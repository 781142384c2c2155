// SPDX-License-Identifier: MIT
// Parses the parameters of a row, and writes them as stubs.
#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "quern/registry.hpp"

namespace quern::registry {
namespace {

struct Word {
  std::string_view text;
  Takes takes;
  std::string_view annotation;
};
// In the order in which kinds are tried and annotated.
constexpr std::array kWords = std::to_array<Word>({
    {"bool", Takes::flag, "bool"},
    {"int", Takes::integer, "int"},
    {"ints", Takes::integers, "int | Sequence[int]"},
    {"indices", Takes::integers, "Array | npt.ArrayLike"},
    {"number", Takes::number, "complex"},
    {"str", Takes::text, "str"},
    {"dtype", Takes::dtype, "npt.DTypeLike"},
    {"array", Takes::array, "Array | npt.ArrayLike"},
    {"operand", Takes::operand, "Array | npt.ArrayLike"},
    {"arrays", Takes::arrays, "Array | npt.ArrayLike | Sequence[Array | npt.ArrayLike]"},
    {"out", Takes::target, "Array"},
    {"device", Takes::device, "Device | str"},
    {"queue", Takes::queue, "Queue"},
    {"object", Takes::anything, "object"},
    {"nested", Takes::nested, "Array | npt.ArrayLike"},
    {"by_axis", Takes::by_axis, "Array | npt.ArrayLike | dict[int, Any]"},
    {"slice", Takes::slice, "slice"},
    {"values", Takes::written, "Array | npt.ArrayLike"},
    {"offset", Takes::offset, "int"},
    {"typed", Takes::typed, "Array | npt.ArrayLike"},
    {"groups", Takes::groups, "Sequence[int | Sequence[int]]"},
    {"operands", Takes::operands, "Sequence[Array | npt.ArrayLike]"},
    {"positions", Takes::positions, "Array | npt.ArrayLike"},
    {"texts", Takes::texts, "Sequence[str]"},
    {"outs", Takes::targets, "tuple[Array | None, ...]"},
    {"index", Takes::index, "Any"},
    {"callable", Takes::callable, "Callable[..., Any]"},
    {"mask", Takes::flag | Takes::array, "Array | npt.ArrayLike"},
    {"numbers", Takes::numbers, "Array | npt.ArrayLike"},
    {"lists", Takes::lists, "Sequence[Any]"},
    {"None", Takes::nothing, "None"},
});

[[noreturn]] void fail(const Function& function, std::string_view why) {
  throw std::logic_error("the row of " + std::string(function.name) + ": " + std::string(why));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

// Splits at a character outside of quotes, parentheses and brackets.
std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  bool is_quoted = false;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\'') is_quoted = !is_quoted;
    if (!is_quoted) depth += text[k] == '(' || text[k] == '[' ? 1 : text[k] == ')' || text[k] == ']' ? -1 : 0;
    if (text[k] != at || is_quoted || depth > 0) continue;
    parts.push_back(trimmed(text.substr(start, k - start)));
    start = k + 1;
  }
  if (!trimmed(text.substr(start)).empty()) parts.push_back(trimmed(text.substr(start)));
  return parts;
}

const Word& word_of(std::string_view text, const Function& function) {
  for (const Word& word : kWords)
    if (word.text == text) return word;
  fail(function, "unknown kind of parameter '" + std::string(text) + "'");
}

Value preset_of(std::string_view text, Takes takes, const Function& function) {
  if (text == "None") return std::monostate();
  if (text == "True" || text == "False") return text == "True";
  if (text.front() == '\'') return std::string(text.substr(1, text.size() - 2));
  if (text.front() == '(') {
    std::vector<std::int64_t> all;
    for (const std::string_view one : split(text.substr(1, text.size() - 2), ','))
      all.push_back(std::get<std::int64_t>(preset_of(one, Takes::integer, function)));
    return all;
  }
  if (text.find_first_not_of("-0123456789") == std::string_view::npos) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (includes(takes, Takes::integer) || includes(takes, Takes::integers)) return value;
    return Number(value);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(function, "'" + std::string(text) + "' is not a valid default value");
  return Number(value);
}

Parameter parameter_of(std::string_view text, const Function& function) {
  Parameter parameter;
  if (text.front() == '*') {
    parameter.passed = Parameter::Passed::rest;
    parameter.is_required = false;
    text = trimmed(text.substr(1));
  }
  const std::vector<std::string_view> sides = split(text, '=');
  const std::size_t colon = sides.front().find(':');
  if (colon == std::string_view::npos) fail(function, "a parameter has no type");
  parameter.name = trimmed(sides.front().substr(0, colon));
  unsigned takes = 0;
  for (const std::string_view word : split(sides.front().substr(colon + 1), '|'))
    takes |= static_cast<unsigned>(word_of(word, function).takes);
  parameter.takes = static_cast<Takes>(takes);
  if (sides.size() > 1) {
    parameter.is_required = false;
    parameter.preset_text = sides[1];
    parameter.preset = preset_of(sides[1], parameter.takes, function);
    if (sides[1] == "None") parameter.takes = parameter.takes | Takes::nothing;
  }
  return parameter;
}

std::string annotation_of(std::string_view text, const Function& function) {
  const std::vector<std::string_view> sides = split(text, '=');
  std::vector<std::string_view> types;
  const auto add = [&](std::string_view type) {
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  };
  bool has_array = false;
  for (const std::string_view word : split(sides.front().substr(sides.front().find(':') + 1), '|')) {
    const Word& found = word_of(word, function);
    // Numbers and nested lists are ArrayLike.
    if (has_array && found.annotation == "bool") continue;
    has_array |= includes(found.takes, Takes::array);
    std::ranges::for_each(split(found.annotation, '|'), add);
  }
  if (sides.size() > 1 && sides[1] == "None" && types.front() != "object") add("None");
  std::string result;
  for (const std::string_view type : types) result += (result.empty() ? "" : " | ") + std::string(type);
  return result;
}

}  // namespace

std::vector<Parameter> parameters_of(const Function& function) {
  std::vector<Parameter> result;
  bool is_by_name = false;
  for (const std::string_view text : split(function.parameters, ',')) {
    if (text == "/") {
      for (Parameter& parameter : result) parameter.passed = Parameter::Passed::by_position;
      continue;
    }
    if (text == "*") {
      is_by_name = true;
      continue;
    }
    Parameter parameter = parameter_of(text, function);
    if (is_by_name) parameter.passed = Parameter::Passed::by_name;
    if (parameter.passed == Parameter::Passed::rest) is_by_name = true;
    result.push_back(std::move(parameter));
  }
  return result;
}

std::string stub_of(const Function& function, std::string_view name, bool is_method) {
  std::string text = "def " + std::string(name) + "(";
  bool is_first = true;
  const auto add = [&](const std::string& part) {
    if (!is_first) text += ", ";
    is_first = false;
    text += part;
  };
  bool needs_name = is_method;
  for (const std::string_view part : split(function.parameters, ',')) {
    if (needs_name) {
      add("self");
      needs_name = false;
      continue;
    }
    if (part == "/" && text.ends_with("(self")) continue;  // only self
    if (part == "/" || part == "*") {
      add(std::string(part));
      continue;
    }
    std::string one(trimmed(part.substr(0, part.find(':'))));
    one += ": " + annotation_of(part, function);
    if (const auto sides = split(part, '='); sides.size() > 1) one += " = " + std::string(sides[1]);
    add(one);
  }
  return text + ") -> " + std::string(function.type);
}

}  // namespace quern::registry
