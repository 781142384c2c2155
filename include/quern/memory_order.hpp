// SPDX-License-Identifier: MIT
// Memory order of elements (NumPy's order=): C order, or Fortran order, in which the first axis is the
// fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// any: Fortran order if the array is in Fortran and not in C order. keep: the order in memory, never
// reversed. For new arrays both mean C order.
enum class MemoryOrder : std::uint8_t { c, fortran, any, keep };

// Parses NumPy's letter; throws an ArgumentError that names the function for any other text.
MemoryOrder memory_order_of(std::string_view letter, std::string_view function,
                            std::string_view allowed = "CFAK");

// A view whose C order is the requested order.
Array in_order(const Array& array, MemoryOrder order);
// The array itself if it has this memory order, otherwise a copy that has; for any and keep the array itself.
Array laid_out(const Array& array, MemoryOrder order);
// The same with at least one dimension.
Array asfortranarray(const Array& array);
Array ascontiguousarray(const Array& array);
// A copy in this memory order.
Array copy(const Array& array, MemoryOrder order);
// Flattens to one dimension: a view if the elements are contiguous, otherwise a copy.
Array ravel(const Array& array, MemoryOrder order = MemoryOrder::c);
Array flatten(const Array& array, MemoryOrder order = MemoryOrder::c);  // always a copy
// Reshapes; elements are read and written in this order. If `copy` is true, the result has its own memory. If
// it is false and no view is possible, throws ArgumentError.
Array reshape(const Array& array, const Shape& shape, MemoryOrder order, std::optional<bool> copy = {});

// Whether the elements are contiguous in Fortran order and not in C order.
bool isfortran(const Array& array);
// Requirements on the memory of an array.
struct Requirements {
  bool in_c_order = false, in_fortran_order = false;
  bool is_writable = false;
  bool owns_memory = false;  // the memory belongs to this array alone
};
// The array itself if it meets the requirements, otherwise a copy that does.
Array require(const Array& array, const Requirements& requirements);
// The array in this order; throws ArgumentError if an element is infinite or NaN. Waits for the check.
Array asarray_chkfinite(const Array& array, MemoryOrder order = MemoryOrder::keep);

// New arrays in this memory order.
Array empty(const Queue& queue, const Shape& shape, const DType& dtype, MemoryOrder order);
Array zeros(const Queue& queue, const Shape& shape, const DType& dtype, MemoryOrder order);
Array full(const Queue& queue, const Shape& shape, const Number& value, const DType& dtype,
           MemoryOrder order);

}  // namespace quern
