// SPDX-License-Identifier: MIT
// Expressions that GPUs compute within the launch of our own product kernels, on the sums in registers.
#pragma once

#include <string>
#include <vector>

#include "algorithms/matmul.hpp"
#include "codegen/expression.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {

// Whether the kernels take an expression over a product, as far as its structure says.
[[nodiscard]] bool has_finish(const codegen::Expression& expression);
// The function of the elements and numbers, for ProductExpression.
[[nodiscard]] std::string finish_function(const codegen::Expression& expression);

// Whether the arrays of the expression have the same step between all matrices of the stack.
[[nodiscard]] bool takes_finish(const ProductExpression& expression);
// The definitions of FINISH and FINISH_PARAMETERS, which the kernels use for what they store. The expression
// may be null: sums are then stored as they are.
[[nodiscard]] std::string finish_definitions(const ProductExpression* expression);
// Appends the arguments of FINISH_PARAMETERS, which refer to the expression.
void add_finish_arguments(const ProductExpression* expression, std::vector<KernelArgument>& arguments);

}  // namespace quern::algorithms
