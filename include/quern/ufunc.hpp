// SPDX-License-Identifier: MIT
// Methods of NumPy's functions of two operands: add.at(x, index, values), add.reduceat(x, starts)...
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/functions/composite.hpp"
#include "quern/functions/elementwise.hpp"
#include "quern/indexing.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// array[index] = operation(array[index], values); if an index repeats, every value counts. The indices are
// sorted, so the result does not depend on the order of the work-items. Waits for the check of indices on the
// device; if one is out of bounds, nothing is written. Operations that are not associative take one launch
// for each repetition of an index, and wait for that number.
void update_at(const codegen::Op& operation, const Array& array, std::span<const ItemIndex> index,
               const Operand& values);
// array[index] = operation(array[index]), for operations of one operand; as often as an index repeats.
void update_at(const codegen::Op& operation, const Array& array, std::span<const ItemIndex> index);

struct FoldOptions {
  int axis = 0;
  std::optional<DType> dtype = {};  // dtype of the computation and the result
  std::optional<Array> out = {};    // array for the result; a new array by default
};
// Reduces slices along an axis, from each start up to the next; if the next start is not greater, the slice
// is the one element. Throws ArgumentError for a start out of bounds.
Array reduce_at(const codegen::Op& operation, const Array& array, std::span<const std::int64_t> starts,
                const FoldOptions& options = {});
// Cumulative result of the operation along an axis.
Array accumulate(const codegen::Op& operation, const Array& array, const FoldOptions& options = {});
// Reduces over axes, in C order. Operations that are not associative take one launch for each element along
// the axis. Throws ArgumentError for an empty reduction if the operation has no identity, and for a mask if
// it has none and no `initial` is given.
Array fold(const codegen::Op& operation, const Array& array, const ReduceOptions& options = {});
// The operation on each pair of elements: the axes of the first array, then those of the second.
Array outer(const codegen::Op& operation, const Array& a, const Array& b,
            const ElementwiseOptions& options = {});
// divmod of each pair of elements.
Pair divmod_outer(const Array& a, const Array& b, const PairOptions& options = {});

}  // namespace quern
