// SPDX-License-Identifier: MIT
// Arrays joined, turned, repeated and padded. What needs no copy is a view; what does is written into one
// result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"

namespace QUERN_API quern {

using Axes = std::vector<int>;  // negative ones count from the end

// Views. Throw ArgumentError for an axis that is not there, or there twice.

// Without these axes of one element, or without all such axes.
Array squeeze(const Array& array, const std::optional<Axes>& axes = {});
// With axes of one element at these places of the result.
Array expand_dims(const Array& array, const Axes& axes);
// Axes of the array go to these places of the result; the others stay in their order.
Array moveaxis(const Array& array, const Axes& from, const Axes& to);
// Backwards along these axes, or along all.
Array flip(const Array& array, const std::optional<Axes>& axes = {});
Array swapaxes(const Array& array, int axis1, int axis2);
Array matrix_transpose(const Array& array);  // the last two axes exchanged
// An axis moved in front of another.
Array rollaxis(const Array& array, int axis, int start = 0);
// Turned by right angles, from the first of two axes to the second.
Array rot90(const Array& array, std::int64_t k = 1, std::pair<int, int> axes = {0, 1});
// A vector of two dimensions is a row; a matrix of three has a new last axis.
Array atleast_1d(const Array& array);
Array atleast_2d(const Array& array);
Array atleast_3d(const Array& array);
// In the shape that the arrays have together.
std::vector<Array> broadcast_arrays(std::span<const Array> arrays);

// Views of parts.

// All that an axis goes over, without the axis.
std::vector<Array> unstack(const Array& array, int axis = 0);
// So many parts along an axis, the first ones longer by one where they cannot be equal.
std::vector<Array> array_split(const Array& array, std::int64_t sections, int axis = 0);
std::vector<Array> split(const Array& array, std::int64_t sections, int axis = 0);  // equal ones
// A new part begins at each of these indices, as slices count them.
std::vector<Array> split_at(const Array& array, std::span<const std::int64_t> cuts, int axis = 0);

// Copies.

// One behind the other along an axis, or flat, in the type that all have together, or in another.
Array concat(std::span<const Array> arrays, std::optional<int> axis = 0,
             const std::optional<DType>& dtype = {}, const Queue* queue = nullptr);
// The same along a new axis of the result.
Array stack(std::span<const Array> arrays, int axis = 0, const std::optional<DType>& dtype = {},
            const Queue* queue = nullptr);
// The same with NumPy's keywords: elements become `dtype`, or that of `out`, where the rule lets them.
struct JoinOptions {
  std::optional<DType> dtype = {};
  std::optional<Array> out = {};
  Casting casting = Casting::same_kind;
};
Array concat(std::span<const Array> arrays, std::optional<int> axis, const JoinOptions& options);
Array stack(std::span<const Array> arrays, int axis, const JoinOptions& options);
// Along the first axis, where vectors are rows; along the second, vectors along their only one; along the
// third; vectors as columns.
Array vstack(std::span<const Array> arrays, const JoinOptions& options = {});
Array hstack(std::span<const Array> arrays, const JoinOptions& options = {});
Array dstack(std::span<const Array> arrays);
Array column_stack(std::span<const Array> arrays);
Array append(const Array& array, const Array& values, std::optional<int> axis = {});
// Elements that leave at one end come in at the other. Without axes, of the flat array.
Array roll(const Array& array, std::span<const std::int64_t> shifts, const std::optional<Axes>& axes = {},
           const Queue* queue = nullptr);
// Each element so often, along an axis or flat.
Array repeat(const Array& array, std::int64_t count, std::optional<int> axis = {},
             const Queue* queue = nullptr);
// Each as often as its own number says.
Array repeat_each(const Array& array, std::span<const std::int64_t> counts, std::optional<int> axis = {});
// The elements in C order over and over in another shape; zeros where there are none.
Array resize(const Array& array, const Shape& shape);
// The whole array so often along each axis; missing counts are ones, missing axes too.
Array tile(const Array& array, std::vector<std::int64_t> counts, const Queue* queue = nullptr);

// Windows of these lengths at all places along axes, as last axes of a view, which is not to be written to.
// Throws ArgumentError for a window that is longer than its axis.
Array sliding_window_view(const Array& x, std::span<const std::int64_t> window,
                          const std::optional<Axes>& axes = {});

enum class Padding : std::uint8_t { edge, reflect, symmetric, wrap };
using PadWidths = std::vector<std::pair<std::int64_t, std::int64_t>>;  // before and behind, for each axis
Array pad(const Array& array, const PadWidths& widths, Padding padding, const Queue* queue = nullptr);
// With numbers: before and behind, for each axis.
Array pad(const Array& array, const PadWidths& widths, std::span<const std::pair<Number, Number>> values,
          const Queue* queue = nullptr);
// With a statistic of the elements that are nearest to the edge: how many before and behind for each axis,
// or all of them unless given. Integers are rounded.
enum class PadStatistic : std::uint8_t { maximum, mean, median, minimum };
using PadLengths = std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>;
Array pad(const Array& array, const PadWidths& widths, PadStatistic statistic,
          const PadLengths& lengths = {});
// With even steps from the edge to the ends, before and behind for each axis.
Array pad_ramps(const Array& array, const PadWidths& widths, std::span<const std::pair<Number, Number>> ends);
// With twice the edge less the mirror image, in which the edge is repeated or not.
Array pad_odd(const Array& array, const PadWidths& widths, bool repeats_edge);

}  // namespace quern
