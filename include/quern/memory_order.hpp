// SPDX-License-Identifier: MIT
// The order of elements in memory, NumPy's order=: as C counts them, or as Fortran does, whose first axis is
// the fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// any: Fortran's where an array is in it and not in C order. keep: as elements are in memory, never
// backwards. New arrays are in C order for both.
enum class MemoryOrder : std::uint8_t { c, fortran, any, keep };

// By NumPy's letter; throws ArgumentError naming the function for another text.
MemoryOrder memory_order_of(std::string_view letter, std::string_view function,
                            std::string_view allowed = "CFAK");

// A view whose C order is the one that was asked for.
Array in_order(const Array& array, MemoryOrder order);
// The array itself where it lies in memory so, otherwise a copy that does; itself for any and keep.
Array laid_out(const Array& array, MemoryOrder order);
// The same with one dimension at least.
Array asfortranarray(const Array& array);
Array ascontiguousarray(const Array& array);
// A copy that lies in memory so.
Array copy(const Array& array, MemoryOrder order);
// One dimension with the elements next to each other: a view where they are so, otherwise a copy.
Array ravel(const Array& array, MemoryOrder order = MemoryOrder::c);
Array flatten(const Array& array, MemoryOrder order = MemoryOrder::c);  // a copy in any case
// The elements are read and written in this order. Where `copy` is true the result has memory of its own;
// where it is false and a view cannot be had, an ArgumentError is thrown.
Array reshape(const Array& array, const Shape& shape, MemoryOrder order, std::optional<bool> copy = {});

// Whether the elements follow each other as Fortran counts them, and not as C does.
bool isfortran(const Array& array);
// What the memory of an array has to be like.
struct Requirements {
  bool in_c_order = false, in_fortran_order = false;
  bool is_writable = false;
  bool owns_memory = false;  // no other array's elements are in it
};
// The array itself where it meets them, otherwise a copy that does.
Array require(const Array& array, const Requirements& requirements);
// The array in this order; throws ArgumentError where an element is infinite or NaN. Waits for the answer.
Array asarray_chkfinite(const Array& array, MemoryOrder order = MemoryOrder::keep);

// New arrays that lie in memory so.
Array empty(const Queue& queue, const Shape& shape, const DType& dtype, MemoryOrder order);
Array zeros(const Queue& queue, const Shape& shape, const DType& dtype, MemoryOrder order);
Array full(const Queue& queue, const Shape& shape, const Number& value, const DType& dtype,
           MemoryOrder order);

}  // namespace quern
