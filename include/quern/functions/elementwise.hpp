// SPDX-License-Identifier: MIT
// Elementwise functions: sin(x), hypot(x, y). The build generates a header with the functions from the op
// table (src/codegen/ops.cpp).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/casting.hpp"

namespace QUERN_API quern {

struct ElementwiseOptions {
  std::optional<Array> out = {};    // array for the result; a new array by default
  std::optional<Array> where = {};  // a mask: elements elsewhere keep their value in `out`, or are zero
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = {};  // dtype of the computation and the result
  bool in_fortran_order = false;    // memory order of a new array
};

// An operation by NumPy's name. If no operand is an array, the queue determines the device of the result.
Array elementwise(const codegen::Op& operation, std::span<const Operand> operands,
                  const ElementwiseOptions& options = {}, const Queue* queue = nullptr);
inline Array elementwise(std::string_view name, std::initializer_list<Operand> operands,
                         const ElementwiseOptions& options = {}, const Queue* queue = nullptr) {
  return elementwise(operation(name), {operands.begin(), operands.size()}, options, queue);
}

}  // namespace quern
