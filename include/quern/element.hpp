// SPDX-License-Identifier: MIT
// One element of an array, read or written by the calling thread where the host can reach the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// An element of 16 bytes at most, as its dtype stores it.
using ElementBytes = std::array<std::byte, 16>;

// The element at an index of one integer for each dimension; negative ones count from the end. Nothing where
// the index does not fit the array, or the thread would have to wait or to enqueue: for a kernel that still
// writes the memory, for an expression that is not computed, for memory that only a device reaches.
std::optional<ElementBytes> read_element_now(const Array& array, std::span<const std::int64_t> index);
// Writes the element, converted as assign() does; false, and nothing was written, in the same cases, and
// where the array must not be written. Throws NumberError for a number that the dtype does not hold.
bool write_element_now(const Array& array, std::span<const std::int64_t> index, const Number& value);
// The same for an element of the array's own dtype.
bool write_element_now(const Array& array, std::span<const std::int64_t> index, const ElementBytes& value);
// An array of no dimensions that is this element, of a dtype of numbers.
Array element_array(const Queue& queue, const DType& dtype, const ElementBytes& value);

}  // namespace quern
