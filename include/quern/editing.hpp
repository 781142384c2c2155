// SPDX-License-Identifier: MIT
// Arrays with parts put in, taken out or written over.
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

// A copy without these positions of an axis; negative ones count from the end. Throws ArgumentError for one
// that is not there, as do those below.
Array delete_at(const Array& array, std::span<const std::int64_t> positions, int axis = 0);
// A copy with all of the values in front of a position of an axis.
Array insert(const Array& array, std::int64_t position, const Array& values, int axis = 0);
// A copy with one of the values in front of each position, which count the elements of the array.
Array insert_each(const Array& array, std::span<const std::int64_t> positions, const Array& values,
                  int axis = 0);
// A view without the zeros at the front ("f"), the back ("b") or both ("fb") of these axes, or of all. Waits
// to know where they end.
Array trim_zeros(const Array& array, std::string_view trim = "fb", const std::optional<Axes>& axes = {});

// Writes elements, broadcast, where the mask holds and the rule lets them become the target's.
void copyto(const Array& target, const Operand& source, Casting casting = Casting::same_kind,
            const std::optional<Array>& where = {});
// Where the mask holds, writes what is at the same place of the values, which are repeated.
void putmask(const Array& target, const Array& mask, const Array& values);
// Writes to the diagonal of a matrix, or of an array of equal lengths; values are repeated. With `wrap` a
// tall matrix has it again below.
void fill_diagonal(const Array& target, const Array& values, bool wrap = false);
// The bytes of each element in reverse, of complex numbers those of each part.
Array byteswap(const Array& array, bool in_place = false);

}  // namespace quern
