// SPDX-License-Identifier: MIT
// Indexing with arrays: elements read and written where arrays of positions and masks say, as in NumPy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/views.hpp"

namespace quern {

// Positions in host memory, which are checked at once.
struct HostPositions {
  Shape shape;
  std::vector<std::int64_t> values;  // in C order
};

// One part of an index: what views take; an array of integers, or a mask, on the device or not; a truth.
//
// Positions on the device are checked there: nothing out of bounds is read or written, and the ArgumentError
// is thrown when somebody waits for the queue, at the latest when the result is read.
using ItemIndex = std::variant<Index, Array, HostPositions, bool>;

// A view where no part is an array, otherwise a new array: masks wait for the number of elements. Throws
// ArgumentError for an index that does not fit the array.
Array get_item(const Array& array, std::span<const ItemIndex> index, const Queue* queue = nullptr);
// The same elements as an expression of its own, which does not follow what is written to the array later.
Array snapshot(const Array& array, const Queue* queue = nullptr);
// The value is broadcast to what the index stands for, and converted. What it reads of the array is what was
// there before. Where positions repeat any of their values may be the last. `spare` is as assign() has it.
void set_item(const Array& array, std::span<const ItemIndex> index, const Operand& value,
              const Queue* queue = nullptr, long spare = 0);

// Elements at these positions along one axis: along all others, position and element are at the same place.
// Lengths of one are broadcast.
Array take_along_axis(const Array& array, const Array& positions, std::int64_t axis,
                      const Queue* queue = nullptr);
void put_along_axis(const Array& array, const Array& positions, const Operand& values, std::int64_t axis,
                    const Queue* queue = nullptr);

// For each axis, where along it the elements are that are not zero, in C order (int64). Waits for their
// number.
std::vector<Array> nonzero_indices(const Array& array, const Queue* queue = nullptr);

// Where values belong in a sorted array of one dimension, in front of equal ones or behind them; `sorter`
// sorts it where it is not sorted. NaN belongs behind all numbers.
Array searchsorted(const Array& sorted, const Array& values, bool is_right = false,
                   const Array* sorter = nullptr, const Queue* queue = nullptr);

}  // namespace quern
