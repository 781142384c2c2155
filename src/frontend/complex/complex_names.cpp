// SPDX-License-Identifier: MIT
// The names of complex types and functions.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "frontend/complex/complex.hpp"

namespace quern::frontend {
namespace {

using enum ComplexResult;

constexpr ComplexFunction kFunctions[] = {
    {"real", ".x", 1, part},
    {"imag", ".y", 1, part},
    {"abs", "absolute", 1, part},
    {"fabs", "absolute", 1, part},
    {"arg", "argument", 1, part},
    {"norm", "norm", 1, part},
    {"abs_squared", "norm", 1, part},
    {"conj", "conjugate"},
    {"proj", "project"},
    {"polar", "polar", 2, complex, true},
    {"sign", "sign"},
    {"isnan", "is_nan", 1, truth},
    {"isinf", "is_inf", 1, truth},
    {"isfinite", "is_finite", 1, truth},
    {"sqrt", "sqrt"},
    {"exp", "exp"},
    {"exp2", "exp2"},
    {"expm1", "expm1"},
    {"log", "log"},
    {"log2", "log2"},
    {"log10", "log10"},
    {"log1p", "log1p"},
    {"pow", "power", 2},
    {"sin", "sin"},
    {"cos", "cos"},
    {"tan", "tan"},
    {"asin", "arcsin"},
    {"acos", "arccos"},
    {"atan", "arctan"},
    {"sinh", "sinh"},
    {"cosh", "cosh"},
    {"tanh", "tanh"},
    {"asinh", "arcsinh"},
    {"acosh", "arccosh"},
    {"atanh", "arctanh"},
};

// PyOpenCL's functions instead of operators, without their prefix cfloat_ or cdouble_.
constexpr ComplexFunction kOperators[] = {
    {"add", "add", 2},       {"addr", "add", 2},      {"radd", "add", 2},       {"sub", "subtract", 2},
    {"subr", "subtract", 2}, {"rsub", "subtract", 2}, {"mul", "multiply", 2},   {"mulr", "multiply", 2},
    {"rmul", "multiply", 2}, {"divide", "divide", 2}, {"divider", "divide", 2}, {"rdivide", "divide", 2},
    {"powr", "power", 2},    {"rpow", "power", 2},    {"neg", "negative"},      {"fma", "multiply_add", 3},
};

template <std::size_t n>
const ComplexFunction* find(const ComplexFunction (&rows)[n], std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.name == name; });
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

const ComplexFunction* find_complex_function(std::string_view name) {
  for (const std::string_view prefix : {"cfloat_", "cdouble_"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (const ComplexFunction* found = find(kOperators, name)) return found;
    return find(kFunctions, name);
  }
  if (const ComplexFunction* found = find(kFunctions, name)) return found;
  return name.starts_with("c") ? find(kFunctions, name.substr(1)) : nullptr;  // C's names with the prefix c
}

bool wants_complex(const std::vector<Token>& tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind == TokenKind::pragma && token.text.starts_with("quern complex");
  });
}

void join_complex_names(const Files& files, std::vector<Token>& tokens) {
  const auto is = [&](std::size_t at, std::string_view text) {
    return at < tokens.size() && tokens[at].text == text;
  };
  std::unordered_map<std::string_view, std::string_view> aliases;  // typedef float T
  const auto meaning = [&](std::string_view name) {
    const auto found = aliases.find(name);
    return found == aliases.end() ? name : found->second;
  };
  std::vector<Token> result;
  result.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is_name("typedef") && is(i + 3, ";") && tokens[i + 2].kind == TokenKind::identifier)
      aliases[tokens[i + 2].text] = meaning(tokens[i + 1].text);
    const bool closes_two = is(i + 3, ">>");  // static_cast<complex<T>>(x)
    if (!tokens[i].is_name("complex") || !is(i + 1, "<") || !(closes_two || is(i + 3, ">"))) {
      result.push_back(tokens[i]);
      continue;
    }
    const std::string_view part = meaning(tokens[i + 2].text);
    if (part != "float" && part != "double") {
      const std::string written(tokens[i + 2].text);
      files.fail(tokens[i].at, "complex<" + written + "> needs float or double, but '" + written + "' is " +
                                   (part == written ? "neither" : std::string(part)) +
                                   "; write complex64 or complex128" +
                                   (part.starts_with("complex") ? ", or '" + written + "' itself" : ""));
    }
    Token name = tokens[i];
    name.text = part == "float" ? "complex64" : "complex128";
    while (result.size() >= 2 && result.back().is(punct("::")) &&
           result[result.size() - 2].kind == TokenKind::identifier)
      result.resize(result.size() - 2);
    result.push_back(name);
    i += 3;
    if (!closes_two) continue;
    Token close = tokens[i];
    close.text = ">";
    close.punctuator = punct(">");
    result.push_back(close);
  }
  tokens = std::move(result);
}

}  // namespace quern::frontend
