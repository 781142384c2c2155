// SPDX-License-Identifier: MIT
// What a parsed kernel says of its parameters.
#pragma once

#include "frontend/parse/ast.hpp"
#include "frontend/preprocess/token.hpp"
#include "quern/signature.hpp"

namespace quern::frontend {

Signature signature_of(const Function& function);
std::vector<Signature> signatures_of(const Program& program);  // of its kernels
// Of the __global__ functions, templates not included, of preprocessed CUDA C.
std::vector<Signature> cuda_signatures_of(std::vector<Token> tokens);

}  // namespace quern::frontend
