// SPDX-License-Identifier: MIT
// Indexing with arrays: elements read and written where arrays of positions and masks say, as in NumPy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"
#include "quern/views.hpp"

namespace QUERN_API quern {

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

// What becomes of positions that are not within an axis.
enum class IndexMode : std::uint8_t {
  raise,  // a deferred error, or one at once where they are in host memory
  wrap,   // modulo the length: -1 is the last element
  clip,   // the nearest end
};
// By NumPy's name; throws ArgumentError naming the function for another text.
IndexMode index_mode_of(std::string_view name, std::string_view function);

// Positions are integers, on the device or in host memory.
using IndexPositions = std::variant<Array, HostPositions>;

// Elements at these positions along an axis, or of the flat array.
Array take(const Array& array, const IndexPositions& positions, std::optional<int> axis = {},
           IndexMode mode = IndexMode::raise);
// Writes values to these positions of the flat array, over and over where there are fewer of them.
void put(const Array& array, const IndexPositions& positions, const Array& values,
         IndexMode mode = IndexMode::raise);

// Where in the flat array the elements are that are not zero; their positions, one in each row. Both wait for
// the number.
Array flatnonzero(const Array& array);
Array argwhere(const Array& array);

// Elements of the flat array for which the condition holds, and what an axis goes over for which it does.
// Both wait for the number.
Array extract(const Array& condition, const Array& array);
Array compress(const Array& condition, const Array& array, std::optional<int> axis = {});
// Writes values to the elements for which the mask holds, in their order, over and over.
void place(const Array& array, const Array& mask, const Array& values);

// For each element the one of the choices that it counts, all broadcast.
Array choose(const Array& positions, std::span<const Array> choices, IndexMode mode = IndexMode::raise);
// For each element the choice of the first condition that holds, or the default. One of the operands is an
// array, or the queue says where the result is.
Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise = 0, const Queue* queue = nullptr);

// Positions among all elements of a shape as positions along each axis, and the other way round. Both wait to
// know that positions which are to be checked are there.
std::vector<Array> unravel_index(const Array& positions, std::span<const std::int64_t> lengths,
                                 bool in_fortran_order = false);
Array ravel_multi_index(std::span<const Array> positions, std::span<const std::int64_t> lengths,
                        std::span<const IndexMode> modes, bool in_fortran_order = false);
// The rows and columns on and below the diagonal that is `offset` above the main one, or on and above it.
std::vector<Array> triangle_indices(const Queue& queue, std::int64_t rows, std::int64_t columns,
                                    std::int64_t offset = 0, bool is_lower = true);

struct ClipOptions {
  std::optional<Array> out = {};    // where the result goes, which is a new array otherwise
  std::optional<Array> where = {};  // a mask: elements elsewhere stay what they are in `out`, or are zero
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = {};  // what is computed in, and the result
  bool in_fortran_order = false;    // of a new array
};
// Elements below `least` become it, elements above `most` become that.
Array clip(const Array& array, const std::optional<Operand>& least, const std::optional<Operand>& most,
           const ClipOptions& options = {});

// Where values belong in a sorted array of one dimension, in front of equal ones or behind them; `sorter`
// sorts it where it is not sorted. NaN belongs behind all numbers.
Array searchsorted(const Array& sorted, const Array& values, bool is_right = false,
                   const Array* sorter = nullptr, const Queue* queue = nullptr);

}  // namespace quern
