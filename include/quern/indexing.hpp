// SPDX-License-Identifier: MIT
// Advanced indexing: elements read and written by index arrays and masks, as in NumPy.
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

// Indices in host memory, which are checked at once.
struct HostPositions {
  Shape shape;
  std::vector<std::int64_t> values;  // in C order
};

// One part of an index: a part of basic indexing; an array of integers or a mask, on the device or in host
// memory; a bool.
//
// Indices on the device are checked by the kernel: nothing out of bounds is read or written. The
// ArgumentError is thrown when a caller waits for the queue, at the latest when the result is read.
using ItemIndex = std::variant<Index, Array, HostPositions, bool>;

// A view if no part is an array, otherwise a new array; masks wait for the number of elements. Throws
// ArgumentError for an index that does not fit the array.
Array get_item(const Array& array, std::span<const ItemIndex> index, const Queue* queue = nullptr);
// The same elements as a separate expression, which does not see later writes to the array.
Array snapshot(const Array& array, const Queue* queue = nullptr);
// Assigns the value, broadcast to the shape of the index and converted. If the value reads the array, it
// reads the old elements. If indices repeat, any of their values may remain. `spare` has the meaning of
// assign().
void set_item(const Array& array, std::span<const ItemIndex> index, const Operand& value,
              const Queue* queue = nullptr, long spare = 0);

// Gathers along one axis: for each position of the other axes, the elements at these indices. Lengths of one
// are broadcast.
Array take_along_axis(const Array& array, const Array& positions, std::int64_t axis,
                      const Queue* queue = nullptr);
void put_along_axis(const Array& array, const Array& positions, const Operand& values, std::int64_t axis,
                    const Queue* queue = nullptr);

// The indices of the nonzero elements along each axis, in C order (int64). Waits for their number.
std::vector<Array> nonzero_indices(const Array& array, const Queue* queue = nullptr);

// Treatment of indices out of bounds.
enum class IndexMode : std::uint8_t {
  raise,  // a deferred error, or an immediate one for indices in host memory
  wrap,   // modulo the length: -1 is the last element
  clip,   // use the nearest valid index
};
// Parses NumPy's name; throws an ArgumentError that names the function for any other text.
IndexMode index_mode_of(std::string_view name, std::string_view function);

// Integer indices, on the device or in host memory.
using IndexPositions = std::variant<Array, HostPositions>;

// Elements at these indices along an axis, or of the flattened array.
Array take(const Array& array, const IndexPositions& positions, std::optional<int> axis = {},
           IndexMode mode = IndexMode::raise);
// Writes values to these indices of the flattened array; values repeat if there are too few.
void put(const Array& array, const IndexPositions& positions, const Array& values,
         IndexMode mode = IndexMode::raise);

// The flat indices of the nonzero elements; their indices as rows. Both wait for the number of elements.
Array flatnonzero(const Array& array);
Array argwhere(const Array& array);

// The elements of the flattened array for which the condition is true; the slices along an axis for which it
// is true. Both wait for the number of results.
Array extract(const Array& condition, const Array& array);
Array compress(const Array& condition, const Array& array, std::optional<int> axis = {});
// Writes values to the elements for which the mask is true, in order; values repeat.
void place(const Array& array, const Array& mask, const Array& values);

// Selects for each element the choice of that index; all operands are broadcast.
Array choose(const Array& positions, std::span<const Array> choices, IndexMode mode = IndexMode::raise);
// Selects for each element the choice of the first true condition, or the default. At least one operand is an
// array, or the queue determines the device.
Array select(std::span<const Array> conditions, std::span<const Operand> choices,
             const Operand& otherwise = 0, const Queue* queue = nullptr);

// Converts flat indices of a shape to indices along each axis, and back. Both wait for the check of device
// indices.
std::vector<Array> unravel_index(const Array& positions, std::span<const std::int64_t> lengths,
                                 bool in_fortran_order = false);
Array ravel_multi_index(std::span<const Array> positions, std::span<const std::int64_t> lengths,
                        std::span<const IndexMode> modes, bool in_fortran_order = false);
// The row and column indices of the lower (upper) triangle, relative to the diagonal that is `offset` above
// the main one.
std::vector<Array> triangle_indices(const Queue& queue, std::int64_t rows, std::int64_t columns,
                                    std::int64_t offset = 0, bool is_lower = true);
std::vector<Array> tril_indices(const Queue& queue, std::int64_t n, std::int64_t k = 0,
                                std::optional<std::int64_t> m = {});
std::vector<Array> triu_indices(const Queue& queue, std::int64_t n, std::int64_t k = 0,
                                std::optional<std::int64_t> m = {});
// The same for the shape of a matrix.
std::vector<Array> tril_indices_from(const Array& array, std::int64_t k = 0);
std::vector<Array> triu_indices_from(const Array& array, std::int64_t k = 0);
// The indices of the main diagonal of an array with axes of length n, one array for each axis.
std::vector<Array> diag_indices(const Queue& queue, std::int64_t n, std::int64_t ndim = 2);
std::vector<Array> diag_indices_from(const Array& array);

struct ClipOptions {
  std::optional<Array> out = {};    // array for the result; a new array by default
  std::optional<Array> where = {};  // a mask: elements elsewhere keep their value in `out`, or are zero
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = {};  // dtype of the computation and the result
  bool in_fortran_order = false;    // memory order of a new array
};
// Limits the elements to [least, most].
Array clip(const Array& array, const std::optional<Operand>& least, const std::optional<Operand>& most,
           const ClipOptions& options = {});

// The index at which each value would be inserted into a sorted one-dimensional array, before or after equal
// elements; `sorter` sorts the array if it is not sorted. NaN sorts after all numbers.
Array searchsorted(const Array& sorted, const Array& values, bool is_right = false,
                   const Array* sorter = nullptr, const Queue* queue = nullptr);

}  // namespace quern
