// SPDX-License-Identifier: MIT
// Expressions that the host computes within the launch of a matrix product.
#pragma once

#include <memory>

#include "codegen/expression.hpp"

namespace quern::algorithms {

class BlockLoops;

// The precompiled loops of an expression, for ProductExpression; null if the library has no loop for one of
// its operations.
[[nodiscard]] std::shared_ptr<const BlockLoops> block_loops(const codegen::Expression& expression);

}  // namespace quern::algorithms
