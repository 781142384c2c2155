// SPDX-License-Identifier: MIT
// Small work of the host that the calling thread does at once, by the library's loops, on memory that no
// operation uses: without ticket, queue and kernel, which would take longer than the work.
#pragma once

#include <optional>
#include <string_view>

#include "array/node.hpp"
#include "array/reduce.hpp"

namespace quern::array {

// Whether an expression of this size on this queue may be computed at once.
[[nodiscard]] bool is_small_work(const Queue& queue, std::size_t elements, const DType& dtype);

// Writes the elements of an expression to the array, which is new and in C order. False, and nothing was
// written, where the expression has a step that is no single loop, or memory is in use. Graph::mutex is held.
bool compute_at_once(const Node& node, const Array& result);

// Writes an expression to elements of the same type and shape, for which is_written_at_once() holds; false,
// and nothing was written, in the same cases. The expression may read the memory that is written.
[[nodiscard]] bool is_written_at_once(const Array& target, const detail::ArrayValue& value);
bool write_at_once(const Array& target, const ValuePtr& value);

// What an operation of the op table leaves of all elements, which are converted to the type `item` first,
// divided by a number where there is one (of real floating point); an array of no memory. Nothing in the same
// cases.
struct SmallReduction {
  const codegen::Op* op;
  DType item, result;
  NumberBytes neutral;
  std::optional<double> divisor;
};
std::optional<Array> reduce_at_once(const Array& array, const SmallReduction& reduction, const Shape& shape,
                                    const Queue& queue);

}  // namespace quern::array
