// SPDX-License-Identifier: MIT
// What the tests of the front end's errors share: the first error of a text, with its file, line and column.
#pragma once

#include <string>

#include "frontend/frontend.hpp"

namespace quern::frontend::test {

inline std::string position(const Diagnostic& d) {
  return d.file + ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
}

// "file:line:column: text" of the first error; empty when there is none.
inline std::string error_of(const std::string& code) {
  Source source;
  source.text = code;
  try {
    (void)lower_to_c(source);
  } catch (const BuildError& error) {
    return position(error.diagnostics().at(0)) + ": " + error.diagnostics().at(0).text;
  }
  return "";
}

inline std::string in_kernel(const std::string& body) {
  return "kernel void f(global int *a, global const float *x) {\n" + body + "\n}";
}

}  // namespace quern::frontend::test
