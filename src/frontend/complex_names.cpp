// SPDX-License-Identifier: MIT
// Names of complex types and functions.
#include <algorithm>

#include "frontend/complex.hpp"

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

// What PyOpenCL has a function for, since it has no operators: behind cfloat_ or cdouble_.
constexpr ComplexFunction kOperators[] = {
    {"add", "add", 2},       {"addr", "add", 2},      {"radd", "add", 2},       {"sub", "subtract", 2},
    {"subr", "subtract", 2}, {"rsub", "subtract", 2}, {"mul", "multiply", 2},   {"mulr", "multiply", 2},
    {"rmul", "multiply", 2}, {"divide", "divide", 2}, {"divider", "divide", 2}, {"rdivide", "divide", 2},
    {"powr", "power", 2},    {"rpow", "power", 2},    {"neg", "negative"},
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
  return name.starts_with("c") ? find(kFunctions, name.substr(1)) : nullptr;  // as C has them
}

bool wants_complex(const std::vector<Token>& tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind == TokenKind::pragma && token.text.starts_with("quern complex");
  });
}

void join_complex_names(std::vector<Token>& tokens) {
  const auto is = [&](std::size_t at, std::string_view text) {
    return at < tokens.size() && tokens[at].text == text;
  };
  std::vector<Token> result;
  result.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_complex = tokens[i].is_name("complex") && is(i + 1, "<") && is(i + 3, ">") &&
                            (is(i + 2, "float") || is(i + 2, "double"));
    if (!is_complex) {
      result.push_back(tokens[i]);
      continue;
    }
    Token name = tokens[i];
    name.text = is(i + 2, "float") ? "complex64" : "complex128";
    while (result.size() >= 2 && result.back().is(punct("::")) &&
           result[result.size() - 2].kind == TokenKind::identifier)
      result.resize(result.size() - 2);
    result.push_back(name);
    i += 3;
  }
  tokens = std::move(result);
}

}  // namespace quern::frontend
