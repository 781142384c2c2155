// SPDX-License-Identifier: MIT
// Checks of the arrays that callers pass to the algorithms, before anything is enqueued.
#pragma once

#include <string_view>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Throw ArgumentError unless the array is contiguous and on the queue's device; check_vector also wants one
// dimension. `what` is the name of the algorithm, `name` that of the argument.
void check_contiguous(std::string_view what, std::string_view name, const Array& array, const Queue& queue);
void check_vector(std::string_view what, std::string_view name, const Array& array, const Queue& queue);
void check_size(std::string_view what, std::string_view name, const Array& array, std::size_t size);
// Throws ArgumentError if an output has no element, though at least one is written to it.
void check_not_empty(std::string_view what, std::string_view name, const Array& array);
void check_dtype(std::string_view what, std::string_view name, const Array& array, const DType& dtype);
// Whether two arrays are the same memory, or overlap.
[[nodiscard]] bool is_same(const Array& a, const Array& b);
[[nodiscard]] bool overlaps(const Array& a, const Array& b);
// Throws ArgumentError if two arrays overlap. With `or_same` they may be the same memory.
void check_apart(std::string_view what, std::string_view name, const Array& array,
                 std::string_view other_name, const Array& other, bool or_same = false);

[[noreturn]] void reject_dtype(std::string_view what, std::string_view name, const DType& dtype,
                               std::string_view expected);

}  // namespace quern::algorithms
