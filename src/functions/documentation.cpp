// SPDX-License-Identifier: MIT
// What users read of a function, in NumPy's form.
#include <array>
#include <string>

#include "codegen/ops.hpp"
#include "quern/registry.hpp"

namespace quern::registry {
namespace {

struct Text {
  std::string_view name, text;
};
// Of parameters that many functions have.
constexpr std::array kTexts = std::to_array<Text>({
    {"a", "An array, or numbers that become one."},
    {"x", "An array, or numbers that become one."},
    {"m", "An array, or numbers that become one."},
    {"array", "An array, or numbers that become one."},
    {"x1", "The first operand, broadcast with the others: an array or a number."},
    {"x2", "The second operand: an array or a number."},
    {"x3", "The third operand: an array or a number."},
    {"axis", "The axis to go along or over; negative ones count from the end. None: all elements."},
    {"dtype", "The type to compute in, and of the result."},
    {"out", "An array for the result, which is then returned."},
    {"keepdims", "Whether axes of one element stay in place of those that were gone over."},
    {"initial", "One value more, of the result's type."},
    {"where", "A mask: other elements do not count."},
    {"casting", "Which conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'."},
    {"order", "'F' for a result in Fortran's order; 'C', 'A' and 'K' are C order."},
    {"subok", "Accepted for NumPy's sake."},
    {"device", "The device of the new array; the current one where none is named."},
    {"queue", "The queue for the work; the current one where none is named."},
});
constexpr std::string_view kElementwiseWhere =
    "A mask: elsewhere the elements of `out` stay what they are, and those of a new array are zero.";

// The text of a row's own parameter; empty where it has none.
std::string_view own_text(const Function& function, std::string_view name) {
  std::string_view rest = function.about;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": "))
      return line.substr(name.size() + 2);
  }
  return {};
}

std::string_view text_of(const Function& function, std::string_view name) {
  if (const std::string_view own = own_text(function, name); !own.empty()) return own;
  if (name == "where" && function.op != nullptr) return kElementwiseWhere;
  for (const Text& text : kTexts)
    if (text.name == name) return text.text;
  return {};
}

// "int, optional"
std::string words_of(const Parameter& parameter) {
  struct Word {
    Takes takes;
    std::string_view text;
  };
  constexpr std::array kWords = std::to_array<Word>({{Takes::array, "array_like"},
                                                     {Takes::arrays, "sequence of array_like"},
                                                     {Takes::integers, "int or sequence of int"},
                                                     {Takes::integer, "int"},
                                                     {Takes::number, "number"},
                                                     {Takes::flag, "bool"},
                                                     {Takes::text, "str"},
                                                     {Takes::dtype, "dtype"},
                                                     {Takes::target, "Array"},
                                                     {Takes::device, "Device or str"},
                                                     {Takes::queue, "Queue"},
                                                     {Takes::numbers, "array_like"},
                                                     {Takes::lists, "sequence"},
                                                     {Takes::nested, "numbers, nested or not"},
                                                     {Takes::slice, "slice"},
                                                     {Takes::groups, "sequence of int or of sequences"},
                                                     {Takes::operands, "sequence of array_like"},
                                                     {Takes::positions, "array_like of int"},
                                                     {Takes::texts, "sequence of str"},
                                                     {Takes::targets, "tuple of Array or None"},
                                                     {Takes::index, "index"},
                                                     {Takes::callable, "callable"},
                                                     {Takes::anything, "object"}});
  std::string result;
  const bool has_array = includes(parameter.takes, Takes::array);
  for (const Word& word : kWords) {
    if (!includes(parameter.takes, word.takes)) continue;
    if (has_array && (word.takes == Takes::number || word.takes == Takes::flag)) continue;
    result += (result.empty() ? "" : " or ") + std::string(word.text);
  }
  return result + (parameter.is_required ? "" : ", optional");
}

std::string example_of(const Function& function) {
  if (function.op == nullptr) return std::string(function.example);
  return ">>> print(qn." + std::string(function.name) + "(" + std::string(function.op->example_arguments) +
         "))\n" + std::string(function.op->example_printed);
}

}  // namespace

std::string documentation_of(const Function& function) {
  std::string text(function.summary);
  if (!function.notes.empty()) text += "\n\n" + std::string(function.notes);
  text += "\n\nParameters\n----------\n";
  for (const Parameter& parameter : parameters_of(function)) {
    const std::string star = parameter.passed == Parameter::Passed::rest ? "*" : "";
    text += star + parameter.name + " : " + words_of(parameter) + "\n";
    text += "    " + std::string(text_of(function, parameter.name)) + "\n";
  }
  const std::string_view returns = function.op != nullptr && function.returns.empty()
                                       ? "The results, broadcast; they are computed when somebody needs them."
                                       : function.returns;
  text += "\nReturns\n-------\n" + std::string(function.type) + "\n    " + std::string(returns) + "\n";
  if (const std::string example = example_of(function); !example.empty())
    text += "\nExamples\n--------\n" + example + "\n";
  return text;
}

}  // namespace quern::registry
