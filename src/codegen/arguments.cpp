// SPDX-License-Identifier: MIT
// The arguments of generated kernels, as a user declares them in C.
#include "codegen/arguments.hpp"

#include <algorithm>
#include <array>

#include "frontend/frontend.hpp"
#include "frontend/lexer.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
namespace {

using frontend::Token;
using frontend::TokenKind;

constexpr std::array<std::string_view, 8> kSpaces = {"global", "__global", "constant", "__constant",
                                                     "local",  "__local",  "private",  "__private"};
constexpr std::array<std::string_view, 5> kQualifiers = {"const", "volatile", "restrict", "__restrict",
                                                         "__restrict__"};

template <std::size_t n>
bool is_one_of(std::string_view text, const std::array<std::string_view, n>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// The declarations between the commas, token by token.
std::vector<std::vector<std::string>> declarations_in(const std::string& text) {
  frontend::Files files;
  frontend::Lexer lexer(files, files.add("arguments", text));
  std::vector<std::vector<std::string>> result(1);
  int depth = 0;
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.text == "(" || token.text == "[") ++depth;
    if (token.text == ")" || token.text == "]") --depth;
    if (token.text == "," && depth == 0) {
      result.emplace_back();
      continue;
    }
    result.back().emplace_back(token.text);
  }
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<Parameter> parameters_of(const std::string& list, const std::string& preamble) {
  frontend::Source source;
  source.text = preamble + "\n#line 1 \"arguments\"\nkernel void quern_arguments(" + list + ") {}\n";
  source.file = "preamble";
  std::vector<Signature> signatures = frontend::opencl_signatures(source);
  for (Signature& signature : signatures)
    if (signature.name == "quern_arguments") return std::move(signature.parameters);
  throw ArgumentError(ArgumentError::Kind::value, "arguments: '" + list + "' declares none");
}

}  // namespace

std::vector<Argument> parse_arguments(const std::string& text, const std::string& preamble) {
  std::vector<Argument> result;
  std::string list;
  for (const std::vector<std::string>& words : declarations_in(text)) {
    if (words.empty()) {
      throw ArgumentError(ArgumentError::Kind::value, "arguments: '" + text + "' has an empty declaration");
    }
    const bool is_pointer = std::find(words.begin(), words.end(), "*") != words.end();
    const bool has_space =
        std::any_of(words.begin(), words.end(), [](const auto& w) { return is_one_of(w, kSpaces); });
    Argument argument;
    argument.declaration = (is_pointer && !has_space ? "global " : "") + joined(words);
    std::vector<std::string> type;
    for (std::size_t w = 0; w + 1 < words.size(); ++w) {  // the last is the name
      if (words[w] != "*" && !is_one_of(words[w], kQualifiers) && !is_one_of(words[w], kSpaces))
        type.push_back(words[w]);
    }
    argument.type = joined(type);
    list += (list.empty() ? "" : ", ") + argument.declaration;
    result.push_back(std::move(argument));
  }
  std::vector<Parameter> parameters = parameters_of(list, preamble);
  if (parameters.size() != result.size()) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "arguments: '" + text + "' does not declare one name at a time");
  }
  for (std::size_t a = 0; a < result.size(); ++a) {
    Parameter& parameter = parameters[a];
    if (parameter.dtype.scalar == Scalar::unknown || parameter.dtype.itemsize == 0) {
      throw ArgumentError(ArgumentError::Kind::type,
                          "arguments: '" + result[a].declaration +
                              "' has a type that is not known; define it in the preamble");
    }
    if (parameter.space == AddressSpace::local) {
      throw ArgumentError(ArgumentError::Kind::type, "arguments: '" + result[a].declaration +
                                                         "' is in local memory, which no element has");
    }
    result[a].parameter = std::move(parameter);
  }
  return result;
}

DType type_called(const std::string& name, const std::string& preamble) {
  DType dtype = parameters_of("global " + name + " *quern_value", preamble).front().dtype;
  if (dtype.itemsize == 0) {
    throw ArgumentError(ArgumentError::Kind::type,
                        "dtype: '" + name + "' is no type of OpenCL C, and the preamble does not define it");
  }
  return dtype;
}

}  // namespace quern::codegen
