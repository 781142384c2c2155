// SPDX-License-Identifier: MIT
// Lowers a typed program to C or CUDA C++.
#pragma once

#include <string>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/parse/ast.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend::lower {

struct CText {
  std::string text;
  std::vector<KernelForm> forms;  // of the program's kernels, in order of definition
};
CText to_c(Files& files, Program& program);
std::string to_cuda(Files& files, Program& program);

}  // namespace quern::frontend::lower
