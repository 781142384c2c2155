// SPDX-License-Identifier: MIT
// What NumPy's functions of two operands have as methods: add.at(x, index, values), add.reduceat(x,
// starts)...
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/functions/elementwise.hpp"
#include "quern/indexing.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// array[index] = operation(array[index], values), where every value counts although an index repeats. The
// positions are sorted, so that the result does not depend on the order in which work-items run. It waits to
// know that positions on the device are there: nothing is written where one is not. Operations that are not
// associative take one launch for each time that an index repeats, and wait for that number.
void update_at(const codegen::Op& operation, const Array& array, std::span<const ItemIndex> index,
               const Operand& values);

struct FoldOptions {
  int axis = 0;
  std::optional<DType> dtype = {};  // what is computed in, and the result
  std::optional<Array> out = {};    // where the result goes, which is a new array otherwise
};
// Along an axis, the elements from each start up to the next one combined, or the element at the start where
// the next one is not behind it. Throws ArgumentError for a start outside of the axis.
Array reduce_at(const codegen::Op& operation, const Array& array, std::span<const std::int64_t> starts,
                const FoldOptions& options = {});
// Along an axis, the elements up to each one combined.
Array accumulate(const codegen::Op& operation, const Array& array, const FoldOptions& options = {});
// All elements over axes combined, in C order. Operations that are not associative take one launch for each
// element of a vector. Throws ArgumentError for no elements where the operation has no identity, and for a
// mask where it has none and no `initial` is given.
Array fold(const codegen::Op& operation, const Array& array, const ReduceOptions& options = {});
// Each element of the first array with each of the second: their axes one behind the other.
Array outer(const codegen::Op& operation, const Array& a, const Array& b,
            const ElementwiseOptions& options = {});

}  // namespace quern
