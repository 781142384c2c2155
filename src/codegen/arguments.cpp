// SPDX-License-Identifier: MIT
// The arguments of generated kernels, as users declare them in C.
#include "codegen/arguments.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "frontend/preprocess/lexer.hpp"
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

// Words that C or OpenCL C reserves, and functions that generated text calls.
constexpr std::array<std::string_view, 82> kTaken = {"auto",
                                                     "bool",
                                                     "break",
                                                     "case",
                                                     "char",
                                                     "complex",
                                                     "const",
                                                     "constant",
                                                     "continue",
                                                     "default",
                                                     "do",
                                                     "double",
                                                     "else",
                                                     "enum",
                                                     "event_t",
                                                     "extern",
                                                     "false",
                                                     "float",
                                                     "for",
                                                     "global",
                                                     "goto",
                                                     "half",
                                                     "if",
                                                     "image2d_t",
                                                     "image3d_t",
                                                     "imaginary",
                                                     "inline",
                                                     "int",
                                                     "intptr_t",
                                                     "kernel",
                                                     "local",
                                                     "long",
                                                     "private",
                                                     "ptrdiff_t",
                                                     "quad",
                                                     "read_only",
                                                     "read_write",
                                                     "register",
                                                     "restrict",
                                                     "return",
                                                     "sampler_t",
                                                     "short",
                                                     "signed",
                                                     "size_t",
                                                     "sizeof",
                                                     "static",
                                                     "struct",
                                                     "switch",
                                                     "true",
                                                     "typedef",
                                                     "uchar",
                                                     "uint",
                                                     "uintptr_t",
                                                     "ulong",
                                                     "union",
                                                     "unsigned",
                                                     "ushort",
                                                     "void",
                                                     "volatile",
                                                     "while",
                                                     "write_only",
                                                     "asm",
                                                     "NULL",
                                                     "min",
                                                     "max",
                                                     "barrier",
                                                     "get_global_id",
                                                     "get_local_id",
                                                     "get_group_id",
                                                     "get_global_size",
                                                     "get_local_size",
                                                     "get_num_groups",
                                                     "mem_fence",
                                                     "as_uint",
                                                     "as_ulong",
                                                     "as_int",
                                                     "as_float",
                                                     "as_double",
                                                     "select",
                                                     "generic",
                                                     "pipe",
                                                     "nullptr"};

// "float4", "vload2": a reserved word followed by a number of lanes.
std::string_view without_lanes(std::string_view name) {
  for (const std::string_view lanes : {"16", "2", "3", "4", "8"})
    if (name.ends_with(lanes)) return name.substr(0, name.size() - lanes.size());
  return name;
}

[[noreturn]] void refuse_name(const std::string& name, const std::string& why) {
  throw ArgumentError(ArgumentError::Kind::value, "arguments: invalid parameter name '" + name + "': " + why);
}

}  // namespace

Argument declare(const std::string& name, const DType& dtype, const std::string& type, bool is_pointer,
                 bool is_const) {
  Argument argument;
  const std::string constant = is_const ? "const " : "";
  argument.type = type;
  argument.parameter.name = name;
  argument.parameter.dtype = dtype;
  argument.parameter.is_pointer = is_pointer;
  argument.parameter.is_const = is_const;
  argument.parameter.space = is_pointer ? AddressSpace::global : AddressSpace::value;
  argument.parameter.type_name = constant + type + (is_pointer ? "*" : "");
  argument.declaration = (is_pointer ? "global " : "") + constant + type + (is_pointer ? " *" : " ") + name;
  return argument;
}

void check_name(const std::string& name, std::span<const std::string_view> reserved) {
  if (!is_name(name)) refuse_name(name, "it is not a valid C name");
  if (name.starts_with("quern_") || name.starts_with("QUERN_"))
    refuse_name(name, "names that begin with quern_ are reserved for the generated kernel");
  if (name.starts_with("__"))
    refuse_name(name, "names that begin with two underscores are reserved for compilers");
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    refuse_name(name, "it is reserved in generated kernels");
  const std::string_view base = without_lanes(name);
  constexpr std::array<std::string_view, 12> kVectors = {
      "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "bool"};
  const bool is_vector =
      base.size() != name.size() && (is_one_of(base, kVectors) || base == "vload" || base == "vstore");
  if (is_one_of(name, kTaken) || is_vector) refuse_name(name, "OpenCL C reserves it");
}

Preamble::Preamble(frontend::Source source)
    : header_(std::make_unique<frontend::Header>(std::move(source))) {}

std::vector<Parameter> Preamble::parameters_of(const std::string& list) const {
  std::vector<Signature> signatures =
      header_->signatures_with("arguments", "kernel void quern_arguments(" + list + ") {}\n");
  for (Signature& signature : signatures)
    if (signature.name == "quern_arguments") return std::move(signature.parameters);
  throw ArgumentError(ArgumentError::Kind::value, "arguments: '" + list + "' declares no arguments");
}

std::vector<Argument> parse_arguments(const std::string& text, const Preamble& preamble,
                                      std::span<const std::string_view> reserved) {
  std::vector<Argument> result;
  std::vector<std::string> names;
  std::string list;
  for (const std::vector<std::string>& words : declarations_in(text)) {
    if (words.empty()) {
      throw ArgumentError(ArgumentError::Kind::value, "arguments: '" + text + "' has an empty declaration");
    }
    if (!reserved.empty() && is_name(words.back())) {
      const std::string& name = words.back();
      if (words.size() == 1)
        throw ArgumentError(ArgumentError::Kind::value, "arguments: '" + name + "' is not a type and a name");
      check_name(name, reserved);
      if (std::find(names.begin(), names.end(), name) != names.end())
        throw ArgumentError(ArgumentError::Kind::value, "arguments: '" + name + "' is declared twice");
      names.push_back(name);
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
  std::vector<Parameter> parameters = preamble.parameters_of(list);
  if (parameters.size() != result.size()) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "arguments: '" + text + "' does not declare one name at a time");
  }
  for (std::size_t a = 0; a < result.size(); ++a) {
    Parameter& parameter = parameters[a];
    if (parameter.dtype.scalar == Scalar::unknown || parameter.dtype.itemsize == 0) {
      throw ArgumentError(ArgumentError::Kind::type, "arguments: '" + result[a].declaration +
                                                         "' has an unknown type; define it in the preamble");
    }
    if (parameter.space == AddressSpace::local) {
      throw ArgumentError(
          ArgumentError::Kind::type,
          "arguments: '" + result[a].declaration + "' is in local memory; elements must be in global memory");
    }
    result[a].parameter = std::move(parameter);
  }
  return result;
}

DType type_called(const std::string& name, const Preamble& preamble) {
  DType dtype = preamble.parameters_of("global " + name + " *quern_value").front().dtype;
  if (dtype.itemsize == 0) {
    throw ArgumentError(
        ArgumentError::Kind::type,
        "dtype: '" + name + "' is not a type of OpenCL C, and the preamble does not define it");
  }
  return dtype;
}

}  // namespace quern::codegen
