// SPDX-License-Identifier: MIT
// Complex numbers in OpenCL C, which #pragma quern complex enables: their functions, the spellings of their
// types, and the rewriting of a program to vectors of two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

class Parser;
struct Program;

// The kind of result: a complex number, a real number, or 0 and 1.
enum class ComplexResult : std::uint8_t { complex, part, truth };

struct ComplexFunction {
  std::string_view name;
  std::string_view helper;  // the helper's name (helpers.hpp), or ".x" or ".y" for a part
  unsigned arity = 1;
  ComplexResult result = ComplexResult::complex;
  bool of_parts = false;  // its arguments are real
};

// `text` of a complex_call that is a static_cast.
inline constexpr std::string_view kStaticCast = "static_cast";

// Returns a function by its name in C, C++ or CuPy: exp, cexp, conj, arg. Null if there is none.
const ComplexFunction* find_complex_function(std::string_view name);

// Whether the tokens contain the pragma that enables complex numbers.
bool wants_complex(const std::vector<Token>& tokens);

// Joins complex<float>, with or without a namespace, into the token complex64, and complex<double> into
// complex128. The argument may be a typedef of float or double. Throws BuildError for any other type.
void join_complex_names(const Files& files, std::vector<Token>& tokens);

// Returns a parsed program with complex numbers as plain OpenCL C, in which they are float2 and double2 and
// their operations are function calls.
std::string complex_as_vectors(const Files& files, const Parser& parser, const Program& program);

}  // namespace quern::frontend
