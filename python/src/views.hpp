// SPDX-License-Identifier: MIT
// Views as Python holds them: each refers to the object whose memory it shows.
#pragma once

#include <utility>

#include "binding.hpp"

namespace quern::python {

// The base of a view of this array: as in NumPy the array that owns the memory, not a view of it.
inline nb::object owner_of(nb::handle array) {
  const nb::object& base = nb::inst_ptr<PyArray>(array)->base;
  return nb::borrow(base.is_valid() && nb::isinstance<PyArray>(base) ? nb::handle(base) : array);
}

// Whether both are in memory, in the same allocation.
inline bool are_in_one_allocation(const Array& a, const Array& b) {
  return a.in_memory() && b.in_memory() && a.buffer().allocation() == b.buffer().allocation();
}

// A result with the array's dtype; it has a base if it is a view. A view of an expression has none: a
// reference would make the graph compute the whole expression.
inline PyArray view_of(nb::handle array, Array view) {
  const PyArray& from = *nb::inst_ptr<PyArray>(array);
  nb::object base = are_in_one_allocation(from.array, view) ? owner_of(array) : nb::object();
  return {std::move(view), from.dtype, std::move(base)};
}

// A field of each structure by name, or a read-only view of several fields by a list of names.
PyArray field_of(nb::handle array, nb::handle names);
// Whether an index is the name of a field, or a list of names.
[[nodiscard]] bool names_fields(nb::handle index);
void set_fields(nb::handle array, nb::handle names, nb::handle value);

}  // namespace quern::python
