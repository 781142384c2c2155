// SPDX-License-Identifier: MIT
// Complex numbers in OpenCL C, which #pragma quern complex asks for: the functions they have, how their types
// may be spelled, and the pass that writes them as vectors of two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

class Parser;
struct Program;

// What a function of complex numbers returns.
enum class ComplexResult : std::uint8_t { complex, part, truth };

struct ComplexFunction {
  std::string_view name;
  std::string_view helper;  // of helpers.hpp; ".x" or ".y" for a part
  unsigned arity = 1;
  ComplexResult result = ComplexResult::complex;
  bool of_parts = false;  // its arguments are real
};

// What stands in `text` of a complex_call that is a static_cast.
inline constexpr std::string_view kStaticCast = "static_cast";

// By the names of C, C++ and CuPy: exp, cexp, conj, arg... Null where there is none.
const ComplexFunction* find_complex_function(std::string_view name);

// Whether the tokens ask for complex numbers.
bool wants_complex(const std::vector<Token>& tokens);

// complex<float>, also with a namespace in front, becomes one token: complex64. So does complex<T> of a T
// that a typedef makes float. Throws BuildError where T is anything else.
void join_complex_names(const Files& files, std::vector<Token>& tokens);

// A parsed program with complex numbers as plain OpenCL C, where they are float2 and double2 and their
// operations are calls of functions.
std::string complex_as_vectors(const Files& files, const Parser& parser, const Program& program);

}  // namespace quern::frontend
