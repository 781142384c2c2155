// SPDX-License-Identifier: MIT
// Elementwise kernels as CuPy declares them: named inputs and outputs, whose types may depend on the call.
#include "algorithms/elementwise_named.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>

#include "algorithms/launch/generated_kernels.hpp"
#include "base/dtype_kinds.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "runtime/argument_types.hpp"

namespace quern::algorithms {
namespace {

using Kind = KernelArgument::Kind;

[[noreturn]] void reject(ArgumentError::Kind kind, const std::string& text) {
  throw ArgumentError(kind, text);
}

// Returns the T of complex<T>; nothing for any other type.
std::optional<std::string> part_of_complex(const std::string& type) {
  constexpr std::string_view kOpening = "complex<";
  if (!type.starts_with(kOpening) || !type.ends_with('>')) return {};
  return type.substr(kOpening.size(), type.size() - kOpening.size() - 1);
}

// Returns the dtype of a type name. `open` has the open types that are resolved so far.
std::optional<DType> type_of(const std::string& name, const std::map<std::string, DType>& open) {
  if (const auto known = known_type(name)) return known;
  if (const auto found = open.find(name); found != open.end()) return found->second;
  const auto part = part_of_complex(name);
  const auto dtype = part ? type_of(*part, open) : std::nullopt;
  if (!dtype) return {};
  if (dtype->scalar == Scalar::float32) return DType::of(Scalar::complex64);
  if (dtype->scalar == Scalar::float64) return DType::of(Scalar::complex128);
  reject(ArgumentError::Kind::type, "'" + name + "' needs float32 or float64, but '" + *part + "' is " +
                                        dtype->name() + "; write complex64 or complex128");
}

// Removes the spaces in complex< T >, so that it is one word.
std::string without_spaces_in_brackets(const std::string& text) {
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == '<') {
      while (!result.empty() && result.back() == ' ') result.pop_back();
      ++depth;
    }
    if (c == '>') --depth;
    if (c != ' ' || depth == 0) result += c;
  }
  return result;
}

void parse_list(const std::string& text, bool is_output, std::vector<NamedParameter>& result) {
  std::stringstream list(text);
  for (std::string part; std::getline(list, part, ',');) {
    std::stringstream words(without_spaces_in_brackets(part));
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    NamedParameter parameter;
    parameter.is_output = is_output;
    if (!all.empty() && all.front() == "raw") {
      parameter.is_raw = true;
      all.erase(all.begin());
    }
    if (part.find('*') != part.npos) {
      reject(ArgumentError::Kind::value,
             "inputs: '" + part +
                 "' is a pointer, but inputs and outputs are declared without '*'. To declare "
                 "arguments with pointers, pass arguments and operation only, and the name as name=");
    }
    if (all.size() != 2) {
      reject(ArgumentError::Kind::value, (is_output ? "outputs: '" : "inputs: '") + part +
                                             "' is not a type and a name, as in 'float32 x'");
    }
    parameter.type = all[0];
    parameter.name = all[1];
    constexpr std::array<std::string_view, 2> kReserved = {"i", "n"};
    codegen::check_name(parameter.name, kReserved);
    for (const NamedParameter& other : result)
      if (other.name == parameter.name)
        reject(ArgumentError::Kind::value, "arguments: '" + parameter.name + "' is declared twice");
    result.push_back(std::move(parameter));
  }
}

bool is_number(const KernelArgument& argument) {
  return argument.kind == Kind::signed_integer || argument.kind == Kind::unsigned_integer ||
         argument.kind == Kind::floating || argument.kind == Kind::raw;
}

}  // namespace

std::optional<DType> known_type(const std::string& name) {
  static const std::map<std::string, Scalar> kCNames = {
      {"char", Scalar::int8},     {"uchar", Scalar::uint8},   {"short", Scalar::int16},
      {"ushort", Scalar::uint16}, {"int", Scalar::int32},     {"uint", Scalar::uint32},
      {"long", Scalar::int64},    {"ulong", Scalar::uint64},  {"half", Scalar::float16},
      {"float", Scalar::float32}, {"double", Scalar::float64}};
  if (const auto found = kCNames.find(name); found != kCNames.end()) return DType::of(found->second);
  try {
    return DType::parse(name);
  } catch (const ArgumentError&) {
    return {};
  }
}

std::vector<NamedParameter> parse_named(const std::string& inputs, const std::string& outputs) {
  std::vector<NamedParameter> result;
  parse_list(inputs, false, result);
  parse_list(outputs, true, result);
  return result;
}

NamedTypes resolve_types(const std::string& kernel, const std::vector<NamedParameter>& parameters,
                         std::span<const KernelArgument> arguments) {
  if (arguments.size() != parameters.size()) {
    reject(ArgumentError::Kind::type, kernel + " takes " + std::to_string(parameters.size()) +
                                          " arguments, got " + std::to_string(arguments.size()));
  }
  NamedTypes types;
  types.dtypes.resize(parameters.size());
  types.is_number.assign(parameters.size(), false);
  std::map<std::string, DType> open;
  // Arrays resolve open types first; numbers only resolve types that no array does.
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const NamedParameter& parameter = parameters[a];
    const std::string where =
        "argument " + std::to_string(a) + " ('" + parameter.name + "') of " + kernel + ": ";
    const KernelArgument& argument = arguments[a];
    if (is_number(argument) && !parameter.is_output && !parameter.is_raw) {
      types.is_number[a] = true;
      continue;
    }
    if (argument.kind == Kind::null_pointer && parameter.is_output) continue;
    if (argument.kind != Kind::array)
      reject(ArgumentError::Kind::type, where + "expected an array, got " + detail::describe(argument));
    const DType& has = argument.array->dtype();
    const auto part = part_of_complex(parameter.type);
    if (part && !detail::is_complex(has))
      reject(ArgumentError::Kind::type,
             where + "expected an array of complex64 or complex128, got an array of " + has.name());
    const std::string& name = part ? *part : parameter.type;
    const DType type = part ? codegen::part_of(has) : has;
    if (const auto known = known_type(name)) {
      if (!(type == *known)) {
        reject(ArgumentError::Kind::type, where + "expected an array of " +
                                              type_of(parameter.type, {})->name() + ", got an array of " +
                                              has.name());
      }
    } else if (const auto [bound, first] = open.try_emplace(name, type); !first && !(bound->second == type)) {
      reject(ArgumentError::Kind::type, where + "'" + name + "' is " + bound->second.name() +
                                            " because of another argument, but this is an array of " +
                                            has.name());
    }
  }
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    if (!types.is_number[a] || known_type(parameters[a].type) || part_of_complex(parameters[a].type))
      continue;
    const KernelArgument& number = arguments[a];
    const DType own = number.kind == Kind::raw && number.dtype != nullptr ? *number.dtype
                      : number.kind == Kind::floating                     ? DType::of(Scalar::float64)
                                                                          : DType::of(Scalar::int64);
    open.try_emplace(parameters[a].type, own);
  }
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const std::string& type = parameters[a].type;
    if (const auto known = type_of(type, open)) {
      types.dtypes[a] = *known;
    } else {
      reject(ArgumentError::Kind::type, kernel + ": no argument determines the type '" + type +
                                            "'; pass the output '" + parameters[a].name + "'");
    }
    types.key += (types.is_number[a] ? "*" : "") + types.dtypes[a].name() + ",";
  }
  return types;
}

NamedDeclarations declarations_of(const std::vector<NamedParameter>& parameters, const NamedTypes& types) {
  NamedDeclarations result;
  std::vector<std::string> defined;
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const NamedParameter& parameter = parameters[a];
    // An open type is defined under its own name, so that the operation can use it.
    const auto part = part_of_complex(parameter.type);
    const bool is_open = !known_type(part ? *part : parameter.type);
    std::string type;
    if (types.dtypes[a].scalar == Scalar::structure) {
      type = is_open ? "struct " + parameter.type : "struct quern_" + parameter.name;
      if (std::find(defined.begin(), defined.end(), type) == defined.end())
        result.preamble += codegen::struct_definition(types.dtypes[a], type.substr(7), true);
      defined.push_back(type);
    } else {
      type = codegen::snippet_type(types.dtypes[a]);
    }
    const std::string& name = part ? *part : parameter.type;
    if (is_open && std::find(defined.begin(), defined.end(), name) == defined.end()) {
      result.preamble += "typedef " + (part ? codegen::type_name(codegen::part_of(types.dtypes[a])) : type) +
                         " " + name + ";\n";
      defined.push_back(name);
    }
    result.arguments.push_back(
        codegen::declare(parameter.name, types.dtypes[a], type, !types.is_number[a],
                         types.is_number[a] || (!parameter.is_output && !parameter.is_raw)));
  }
  return result;
}

codegen::ElementwiseSource source_of(const std::vector<NamedParameter>& parameters, const NamedTypes& types,
                                     const std::string& operation, const GeneratorOptions& options) {
  constexpr auto kForm = codegen::Snippet::Form::named;
  const auto [preamble, arguments] = declarations_of(parameters, types);
  // A true element is stored as 1.
  std::string text = operation;
  for (std::size_t a = 0; a < parameters.size(); ++a)
    if (parameters[a].is_output && !parameters[a].is_raw && types.dtypes[a].scalar == Scalar::boolean)
      text += "\n;" + parameters[a].name + " = " + parameters[a].name + " != 0;";
  codegen::ElementwiseSource source{options.name,
                                    codegen::with_generic_forms(preamble + options.preamble, {operation}),
                                    {},
                                    {text, kForm, "operation"}};
  const codegen::Preamble own = preamble_of(options);
  source.operands = codegen::operands_of(arguments, {&source.operation}, own, kForm);
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    codegen::Operand& operand = source.operands[a];
    operand.is_element &= !parameters[a].is_raw;
    operand.is_named_output = parameters[a].is_output && operand.is_element;
    operand.use.writes |= operand.is_named_output;  // the operation may also write it through a pointer
    if (operand.is_element && !parameters[a].is_output && operand.use.writes)
      reject(ArgumentError::Kind::value, "operation assigns to the input '" + parameters[a].name + "'");
  }
  source.is_plain = source.operation.is_plain(own.macros().names);
  source.has_count = source.operation.mentions("n");
  return source;
}

}  // namespace quern::algorithms
