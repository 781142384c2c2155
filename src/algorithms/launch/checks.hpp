// SPDX-License-Identifier: MIT
// What the ready-made algorithms ask of the arrays they are given, before anything is enqueued.
#pragma once

#include <string_view>

#include "quern/array.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// Contiguous and on the queue's device, with one dimension or any number of them; `what` names the algorithm
// and `name` the argument.
void check_contiguous(std::string_view what, std::string_view name, const Array& array, const Queue& queue);
void check_vector(std::string_view what, std::string_view name, const Array& array, const Queue& queue);
void check_size(std::string_view what, std::string_view name, const Array& array, std::size_t size);
void check_dtype(std::string_view what, std::string_view name, const Array& array, const DType& dtype);
// Whether two arrays are the same memory, or share any of it.
[[nodiscard]] bool is_same(const Array& a, const Array& b);
[[nodiscard]] bool overlaps(const Array& a, const Array& b);
// Throws unless they share nothing, or where `or_same` are one and the same.
void check_apart(std::string_view what, std::string_view name, const Array& array,
                 std::string_view other_name, const Array& other, bool or_same = false);

[[noreturn]] void reject_dtype(std::string_view what, std::string_view name, const DType& dtype,
                               std::string_view expected);

}  // namespace quern::algorithms
