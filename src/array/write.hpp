// SPDX-License-Identifier: MIT
// Checks and conversions that all writes to arrays share.
#pragma once

#include <string>
#include <string_view>

#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace quern::array {

// Throws ArgumentError if values of shape `from` do not broadcast to `to`. Leading axes of length 1 are
// ignored.
void check_broadcast(const Shape& from, const Shape& to, std::string_view what);
// Throws ArgumentError if several elements share memory, as in a broadcast view.
void check_writable(const Array& target, std::string_view what);
// Copies a few elements on the calling thread if the host can address both arrays and no operation uses them.
// Otherwise returns false and writes nothing. The arrays may overlap.
bool copy_now(const Array& target, const Array& source);
// Converts the array's elements to this type. Throws ArgumentError if there is no conversion.
Array converted(const Array& array, const DType& dtype, const Queue& queue, std::string_view what);

}  // namespace quern::array
