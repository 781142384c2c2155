// SPDX-License-Identifier: MIT
// Copies of arrays with parts inserted or deleted, and assignment by masks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"
#include "quern/manipulation.hpp"

namespace QUERN_API quern {

// A copy without these indices of an axis; negative ones count from the end. Throws ArgumentError for an
// index out of bounds, as the functions below do.
Array delete_at(const Array& array, std::span<const std::int64_t> positions, int axis = 0);
// A copy with all of the values inserted before an index of an axis.
Array insert(const Array& array, std::int64_t position, const Array& values, int axis = 0);
// A copy with one of the values inserted before each index; indices refer to the original array.
Array insert_each(const Array& array, std::span<const std::int64_t> positions, const Array& values,
                  int axis = 0);
// A view without leading zeros ("f"), trailing zeros ("b") or both ("fb") along these axes, or along all.
// Waits for the positions of the first and last nonzero elements.
Array trim_zeros(const Array& array, std::string_view trim = "fb", const std::optional<Axes>& axes = {});

// Copies elements, broadcast, where the mask is true, if the casting rule allows the conversion.
void copyto(const Array& target, const Operand& source, Casting casting = Casting::same_kind,
            const std::optional<Array>& where = {});
// Where the mask is true, writes the values at the same flat index; values repeat if there are too few.
void putmask(const Array& target, const Array& mask, const Array& values);
// Fills the diagonal of a matrix, or of an array of equal lengths; values repeat. With `wrap` the diagonal of
// a tall matrix starts again below.
void fill_diagonal(const Array& target, const Array& values, bool wrap = false);
// Reverses the bytes of each element; for complex numbers, of each part.
Array byteswap(const Array& array, bool in_place = false);

}  // namespace quern
