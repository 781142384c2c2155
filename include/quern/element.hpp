// SPDX-License-Identifier: MIT
// Access to single elements by the calling thread, if the host can reach the memory.
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

// An element of at most 16 bytes, as its dtype stores it.
using ElementBytes = std::array<std::byte, 16>;

// Reads the element at an index of one integer for each dimension; negative ones count from the end. Returns
// nothing if the index does not fit the array, or if the thread would have to wait or enqueue work: for a
// kernel that still writes the memory, for a pending expression, for memory that only a device can access.
std::optional<ElementBytes> read_element_now(const Array& array, std::span<const std::int64_t> index);
// Writes the element, converted as by assign(). Returns false and writes nothing in the same cases, and if
// the array is read-only. Throws NumberError if the dtype cannot hold the number.
bool write_element_now(const Array& array, std::span<const std::int64_t> index, const Number& value);
// The same for an element of the array's own dtype.
bool write_element_now(const Array& array, std::span<const std::int64_t> index, const ElementBytes& value);
// Copies the elements of an array of the same shape and dtype, which may overlap. Returns false and writes
// nothing in the same cases, for more than a few kilobytes, and if the arrays differ.
bool copy_elements_now(const Array& target, const Array& source);
// A 0-d array with this element, of a numeric dtype.
Array element_array(Queue queue, const DType& dtype, const ElementBytes& value);

}  // namespace quern
