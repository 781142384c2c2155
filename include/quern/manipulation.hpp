// SPDX-License-Identifier: MIT
// Arrays joined, turned, repeated and padded. What needs no copy is a view; what does is written into one
// result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace quern {

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

// Copies.

// One behind the other along an axis, or flat, in the type that all have together, or in another.
Array concat(std::span<const Array> arrays, std::optional<int> axis = 0,
             const std::optional<DType>& dtype = {}, const Queue* queue = nullptr);
// The same along a new axis of the result.
Array stack(std::span<const Array> arrays, int axis = 0, const std::optional<DType>& dtype = {},
            const Queue* queue = nullptr);
// Elements that leave at one end come in at the other. Without axes, of the flat array.
Array roll(const Array& array, std::span<const std::int64_t> shifts, const std::optional<Axes>& axes = {},
           const Queue* queue = nullptr);
// Each element so often, along an axis or flat.
Array repeat(const Array& array, std::int64_t count, std::optional<int> axis = {},
             const Queue* queue = nullptr);
// The whole array so often along each axis; missing counts are ones, missing axes too.
Array tile(const Array& array, std::vector<std::int64_t> counts, const Queue* queue = nullptr);

enum class Padding : std::uint8_t { edge, reflect, symmetric, wrap };
using PadWidths = std::vector<std::pair<std::int64_t, std::int64_t>>;  // before and behind, for each axis
Array pad(const Array& array, const PadWidths& widths, Padding padding, const Queue* queue = nullptr);
// With numbers: before and behind, for each axis.
Array pad(const Array& array, const PadWidths& widths, std::span<const std::pair<Number, Number>> values,
          const Queue* queue = nullptr);

}  // namespace quern
