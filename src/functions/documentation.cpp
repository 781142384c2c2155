// SPDX-License-Identifier: MIT
// Docstrings of functions, in NumPy's format.
#include <array>
#include <string>

#include "codegen/ops.hpp"
#include "quern/registry.hpp"

namespace quern::registry {
namespace {

struct Text {
  std::string_view name, text;
};
// Descriptions of parameters that many functions share.
constexpr std::array kTexts = std::to_array<Text>({
    {"a", "Input array, or anything that can be converted to one."},
    {"x", "Input array, or anything that can be converted to one."},
    {"m", "Input array, or anything that can be converted to one."},
    {"array", "Input array, or anything that can be converted to one."},
    {"x1", "First operand: an array or a number. The operands are broadcast against each other."},
    {"x2", "Second operand: an array or a number."},
    {"x3", "Third operand: an array or a number."},
    {"axis", "Axis or axes to operate along; negative values count from the last axis. None: all elements."},
    {"dtype", "Dtype of the computation and of the result; by default it follows from the operands."},
    {"out", "Array to store the result in; it is also returned. By default the result is a new array."},
    {"keepdims", "If True, the reduced axes are kept with length 1."},
    {"initial", "Starting value of the reduction, converted to the dtype of the result."},
    {"where", "Mask of the elements to include in the reduction."},
    {"casting", "Which dtype conversions are allowed: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'."},
    {"order",
     "Memory layout of the result: 'C' or 'F' (Fortran order). Unlike in NumPy, 'A' and 'K' mean 'C'."},
    {"subok", "Accepted for compatibility with NumPy; it has no effect."},
    {"overwrite_a", "Accepted for compatibility with SciPy; it has no effect."},
    {"overwrite_b", "Accepted for compatibility with SciPy; it has no effect."},
    {"overwrite_ab", "Accepted for compatibility with SciPy; it has no effect."},
    {"check_finite",
     "If True, an infinity or NaN in the arrays raises ValueError: on the host, for which the call waits for "
     "them, and in eager() blocks. Other devices do not look for them."},
    {"signature",
     "Types of the operands and of the result, as in 'dd->d' or ('f8', 'f8', 'f8'). They must be one type, "
     "which is the same as dtype=."},
    {"like", "Array whose device the new array is on, unless `device` or `queue` selects another."},
    {"device", "Device of the new array; the current device by default."},
    {"queue", "Queue to enqueue the work on; the current queue by default."},
});
constexpr std::string_view kOneAxis =
    "Axis to operate along; negative values count from the last axis. None: the flattened array.";
constexpr std::string_view kElementwiseWhere =
    "Mask, broadcast. Where it is False, `out` keeps its elements, and a new array holds 0.";

// The row's own description of a parameter; empty if it has none.
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

std::string_view text_of(const Function& function, const Parameter& parameter) {
  const std::string_view name = parameter.name;
  if (const std::string_view own = own_text(function, name); !own.empty()) return own;
  if (name == "where" && function.op != nullptr) return kElementwiseWhere;
  if (name == "axis" && !includes(parameter.takes, Takes::integers)) return kOneAxis;
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
                                                     {Takes::nested, "number or nested sequence of numbers"},
                                                     {Takes::by_axis, "dict"},
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
    if (has_array &&
        (word.takes == Takes::number || word.takes == Takes::flag || word.takes == Takes::numbers))
      continue;
    const bool is_named = word.takes == Takes::device && !result.empty();  // "str" is there
    result += (result.empty() ? "" : " or ") + std::string(is_named ? "Device" : word.text);
  }
  const bool is_optional = !parameter.is_required && parameter.passed != Parameter::Passed::rest;
  return result + (is_optional ? ", optional" : "");
}

std::string replaced(std::string text, std::string_view old, std::string_view with) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size()))
    text.replace(at, old.size(), with);
  return text;
}

// The end of the argument that starts here: the comma or the parenthesis behind it.
std::size_t end_of_argument(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (depth == 0 && (text[at] == ',' || text[at] == ')')) return at;
    depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
  }
  return at;
}

// "qn.sum(x, axis=0)" as "x.sum(axis=0)"; a list becomes an array first.
std::string as_method_calls(std::string text, std::string_view name) {
  const std::string call = "qn." + std::string(name) + "(";
  for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
    const std::size_t start = at + call.size(), end = end_of_argument(text, start);
    std::string array = text.substr(start, end - start);
    if (array.front() == '[') array = "qn.asarray(" + array + ")";
    const std::size_t rest = text.compare(end, 2, ", ") == 0 ? end + 2 : end;
    text.replace(at, rest - at, array + "." + std::string(name) + "(");
  }
  return text;
}

std::string example_of(const Function& function, std::string_view name, bool is_method) {
  std::string text(function.example);
  if (function.op != nullptr)
    text = ">>> print(qn." + std::string(function.name) + "(" + std::string(function.op->example_arguments) +
           "))\n" + std::string(function.op->example_printed);
  if (is_method) return as_method_calls(std::move(text), function.name);
  const std::string own = "qn." + std::string(function.name);
  return replaced(std::move(text), own + "(", own.substr(0, own.rfind('.') + 1) + std::string(name) + "(");
}

}  // namespace

std::string documentation_of(const Function& function, std::string_view name, bool is_method) {
  std::string text(function.summary);
  if (!function.notes.empty()) text += "\n\n" + std::string(function.notes);
  std::vector<Parameter> parameters = parameters_of(function);
  if (is_method) parameters.erase(parameters.begin());  // self
  text += parameters.empty() ? "\n" : "\n\nParameters\n----------\n";
  for (const Parameter& parameter : parameters) {
    const std::string star = parameter.passed == Parameter::Passed::rest ? "*" : "";
    text += star + parameter.name + " : " + words_of(parameter) + "\n";
    text += "    " + std::string(text_of(function, parameter)) + "\n";
  }
  const std::string_view returns =
      function.op != nullptr && function.returns.empty()
          ? "The result, in the broadcast shape of the operands. It is lazy: computed when it is needed."
          : function.returns;
  text += "\nReturns\n-------\n" + std::string(function.type) + "\n    " + std::string(returns) + "\n";
  if (is_method) text = replaced(std::move(text), "`a`", "the array");
  const std::string_view last = function.name.substr(function.name.rfind('.') + 1);
  const std::string example = example_of(function, name.empty() ? last : name, is_method);
  if (!example.empty()) text += "\nExamples\n--------\n" + example + "\n";
  return text;
}

}  // namespace quern::registry
