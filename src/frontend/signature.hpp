// SPDX-License-Identifier: MIT
// What a parsed kernel says of its parameters.
#pragma once

#include "frontend/parse/ast.hpp"
#include "quern/signature.hpp"

namespace quern::frontend {

Signature signature_of(const Function& function);
std::vector<Signature> signatures_of(const Program& program);  // of its kernels

}  // namespace quern::frontend
