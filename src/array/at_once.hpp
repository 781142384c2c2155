// SPDX-License-Identifier: MIT
// Small work on the host: the calling thread computes it at once with the library's precompiled loops. The
// work uses no ticket, queue or kernel, which would cost more than the work itself. It requires that no
// pending operation uses the memory.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "algorithms/matmul.hpp"
#include "array/node.hpp"
#include "array/reduce.hpp"

namespace quern::array {

// Returns whether an expression of this size on this queue may be computed at once.
[[nodiscard]] bool is_small_work(const Queue& queue, std::size_t elements, const DType& dtype);

// Writes the elements of an expression to `result`, new memory in C order. Returns false if a step of the
// expression has no precompiled loop, or if an operation uses the memory that it reads. The caller holds
// Graph::mutex.
bool compute_at_once(const Node& node, const ArrayMemory& result);

// Writes an expression to a target of the same type and shape, if is_written_at_once() returns true. Returns
// false and writes nothing in the same cases as compute_at_once(). The expression may read the target's
// memory.
[[nodiscard]] bool is_written_at_once(const Array& target, const detail::ArrayValue& value);
bool write_at_once(const Array& target, const ValuePtr& value);

// Multiplies matrices in memory into new memory. Returns false if the product takes too long for that, or if
// an operation uses the memory.
bool multiply_at_once(const algorithms::MatrixStack& a, const algorithms::MatrixStack& b,
                      const algorithms::MatmulSize& size, const Queue& queue, const Array& out);

// The sum of products of two vectors of one type and length, as a number node. Returns nothing in the same
// cases, and if a vector is not in memory.
std::optional<Array> dot_at_once(const Array& a, const Array& b, const Queue& queue);

// Calls `compute` on the calling thread, if no operation uses the elements that it reads and the new memory
// that it writes, all of them in memory. Returns false and calls nothing otherwise. No operation can be
// enqueued meanwhile, so the work must be small.
bool call_at_once(const Queue& queue, std::span<const Array* const> reads,
                  std::span<const Array* const> writes, const std::function<void()>& compute);

// Reduces all elements with an operation of the op table. The elements are first converted to the type
// `item`. The result is divided by the divisor, if there is one (`item` is then float64). Returns the result
// as a number node, which needs no memory. Returns nothing in the same cases as compute_at_once().
struct SmallReduction {
  const codegen::Op* op;
  DType item, result;
  NumberBytes neutral;
  std::optional<double> divisor;
};
std::optional<Array> reduce_at_once(const Array& array, const SmallReduction& reduction, const Shape& shape,
                                    const Queue& queue);

}  // namespace quern::array
