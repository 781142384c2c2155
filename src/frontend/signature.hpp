// SPDX-License-Identifier: MIT
// Makes signatures of parsed kernels: names, types and address spaces of their parameters.
#pragma once

#include "frontend/parse/ast.hpp"
#include "frontend/preprocess/token.hpp"
#include "quern/signature.hpp"

namespace quern::frontend {

Signature signature_of(const Function& function);
std::vector<Signature> signatures_of(const Program& program);  // of the program's kernels
// Returns the signatures of the __global__ functions in preprocessed CUDA C, without templates.
std::vector<Signature> cuda_signatures_of(std::vector<Token> tokens);

}  // namespace quern::frontend
