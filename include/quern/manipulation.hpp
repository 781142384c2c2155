// SPDX-License-Identifier: MIT
// Joining, splitting, rearranging, repeating and padding arrays. Functions that need no copy return a view;
// others write one result.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"

namespace QUERN_API quern {

using Axes = std::vector<int>;  // negative axes count from the end

// Views. They throw ArgumentError for an axis out of range or a repeated axis.

// Removes these axes of length 1, or all such axes.
Array squeeze(const Array& array, const std::optional<Axes>& axes = {});
// Inserts axes of length 1 at these positions of the result.
Array expand_dims(const Array& array, const Axes& axes);
// Moves axes to these positions of the result; the other axes keep their order.
Array moveaxis(const Array& array, const Axes& from, const Axes& to);
// Reverses the elements along these axes, or along all.
Array flip(const Array& array, const std::optional<Axes>& axes = {});
Array swapaxes(const Array& array, int axis1, int axis2);
Array transpose(const Array& array);         // reverses the order of the axes
Array matrix_transpose(const Array& array);  // exchanges the last two axes
// Moves an axis before another.
Array rollaxis(const Array& array, int axis, int start = 0);
// Rotates by k times 90 degrees, from the first of two axes to the second.
Array rot90(const Array& array, std::int64_t k = 1, std::pair<int, int> axes = {0, 1});
// At least two dimensions (a vector becomes a row) or three (a matrix gets a new last axis).
Array atleast_1d(const Array& array);
Array atleast_2d(const Array& array);
Array atleast_3d(const Array& array);
// Broadcasts all arrays to their common shape.
std::vector<Array> broadcast_arrays(std::span<const Array> arrays);

// Views of parts.

// The slices along an axis, without that axis.
std::vector<Array> unstack(const Array& array, int axis = 0);
// Splits into `count` parts along an axis; if they cannot be equal, the first parts are longer by one.
std::vector<Array> array_split(const Array& array, std::int64_t sections, int axis = 0);
std::vector<Array> split(const Array& array, std::int64_t sections, int axis = 0);  // equal parts
// Splits at these indices, which follow slice rules.
std::vector<Array> split_at(const Array& array, std::span<const std::int64_t> cuts, int axis = 0);

// Copies.

// Joins arrays along an axis, or flattened, in their common dtype or in `dtype`.
Array concat(std::span<const Array> arrays, std::optional<int> axis = 0,
             const std::optional<DType>& dtype = {}, const Queue* queue = nullptr);
// Joins arrays along a new axis of the result.
Array stack(std::span<const Array> arrays, int axis = 0, const std::optional<DType>& dtype = {},
            const Queue* queue = nullptr);
// The same with NumPy's keywords: elements are cast to `dtype`, or to that of `out`, if the rule allows it.
struct JoinOptions {
  std::optional<DType> dtype = {};
  std::optional<Array> out = {};
  Casting casting = Casting::same_kind;
};
Array concat(std::span<const Array> arrays, std::optional<int> axis, const JoinOptions& options);
Array stack(std::span<const Array> arrays, int axis, const JoinOptions& options);
// vstack: along the first axis, vectors as rows; hstack: along the second axis, vectors along their only
// axis; dstack: along the third axis; column_stack: vectors as columns.
Array vstack(std::span<const Array> arrays, const JoinOptions& options = {});
Array hstack(std::span<const Array> arrays, const JoinOptions& options = {});
Array dstack(std::span<const Array> arrays);
Array column_stack(std::span<const Array> arrays);
// An array, or a list of blocks.
struct Blocks {
  Blocks(Array one) : array(std::move(one)) {}
  Blocks(std::initializer_list<Blocks> several) : list(several) {}
  explicit Blocks(std::vector<Blocks> several) : list(std::move(several)) {}
  std::optional<Array> array = {};
  std::vector<Blocks> list = {};
};
// Joins nested lists: block({{a, b}, {c, d}}). The innermost lists are joined along the last axis, the lists
// around them along the axis before it. Throws ArgumentError if a list is empty, or if the lists are not
// nested equally deep.
Array block(const Blocks& blocks);
Array append(const Array& array, const Array& values, std::optional<int> axis = {});
// Shifts elements cyclically. Without axes, in the flattened array.
Array roll(const Array& array, std::span<const std::int64_t> shifts, const std::optional<Axes>& axes = {},
           const Queue* queue = nullptr);
// Repeats each element `count` times, along an axis or flattened.
Array repeat(const Array& array, std::int64_t count, std::optional<int> axis = {},
             const Queue* queue = nullptr);
// Repeats each element by its own count.
Array repeat_each(const Array& array, std::span<const std::int64_t> counts, std::optional<int> axis = {});
// Repeats the elements in C order to fill another shape; zeros if there are no elements.
Array resize(const Array& array, const Shape& shape);
// Repeats the whole array along each axis; missing counts and missing axes are 1.
Array tile(const Array& array, std::vector<std::int64_t> counts, const Queue* queue = nullptr);

// Sliding windows of these lengths along axes, as last axes of a read-only view. Throws ArgumentError for a
// window longer than its axis.
Array sliding_window_view(const Array& x, std::span<const std::int64_t> window,
                          const std::optional<Axes>& axes = {});

enum class Padding : std::uint8_t { edge, reflect, symmetric, wrap };
using PadWidths = std::vector<std::pair<std::int64_t, std::int64_t>>;  // before and after, for each axis
Array pad(const Array& array, const PadWidths& widths, Padding padding, const Queue* queue = nullptr);
// Pads with constants: before and after, for each axis.
Array pad(const Array& array, const PadWidths& widths, std::span<const std::pair<Number, Number>> values,
          const Queue* queue = nullptr);
// Pads with a statistic of the elements nearest to the edge: their number before and after for each axis, or
// all elements by default. Integers are rounded.
enum class PadStatistic : std::uint8_t { maximum, mean, median, minimum };
using PadLengths = std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>;
Array pad(const Array& array, const PadWidths& widths, PadStatistic statistic,
          const PadLengths& lengths = {});
// Pads with a linear ramp from the edge to the end values, before and after for each axis.
Array pad_ramps(const Array& array, const PadWidths& widths, std::span<const std::pair<Number, Number>> ends);
// Pads with twice the edge minus the mirror image, with the edge repeated or not.
Array pad_odd(const Array& array, const PadWidths& widths, bool repeats_edge);

}  // namespace quern
