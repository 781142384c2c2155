// SPDX-License-Identifier: MIT
// What all ways of writing to arrays ask of targets and values.
#pragma once

#include <string>
#include <string_view>

#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace quern::array {

std::string text_of(const Shape& shape);  // "(2,3)"

// Throws ArgumentError where values of one shape are no values for the other; leading ones do not count.
void check_broadcast(const Shape& from, const Shape& to, std::string_view what);
// Elements that lie on each other, as those of a broadcast view do, cannot each be given a value.
void check_writable(const Array& target, std::string_view what);
// Copies few elements on the calling thread where both arrays are in memory that the host reaches and no
// operation uses; false, and nothing was written, elsewhere. They may overlap.
bool copy_now(const Array& target, const Array& source);
// The array with elements of this type. Throws ArgumentError where they do not become such.
Array converted(const Array& array, const DType& dtype, const Queue& queue, std::string_view what);

}  // namespace quern::array
