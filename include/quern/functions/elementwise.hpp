// SPDX-License-Identifier: MIT
// Functions of each element: sin(x), hypot(x, y). The functions themselves are in a header that the build
// writes from the table of operations (src/codegen/ops.cpp).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/casting.hpp"

namespace QUERN_API quern {

struct ElementwiseOptions {
  std::optional<Array> out = {};    // where the result goes, which is a new array otherwise
  std::optional<Array> where = {};  // a mask: elements elsewhere stay what they are in `out`, or are zero
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = {};  // what is computed in, and the result
  bool in_fortran_order = false;    // of a new array
};

// An operation by NumPy's name. Where no operand is an array, the queue says on which device the result is.
Array elementwise(const codegen::Op& operation, std::span<const Operand> operands,
                  const ElementwiseOptions& options = {}, const Queue* queue = nullptr);
inline Array elementwise(std::string_view name, std::initializer_list<Operand> operands,
                         const ElementwiseOptions& options = {}, const Queue* queue = nullptr) {
  return elementwise(operation(name), {operands.begin(), operands.size()}, options, queue);
}

}  // namespace quern
