// SPDX-License-Identifier: MIT
// Lowers a typed program to C or CUDA C++.
#pragma once

#include <string>

#include "frontend/frontend.hpp"
#include "frontend/parse/ast.hpp"
#include "frontend/preprocess/token.hpp"

namespace quern::frontend::lower {

std::string to_c(Files& files, Program& program, std::vector<KernelForm>& forms);
std::string to_cuda(Files& files, Program& program);

}  // namespace quern::frontend::lower
