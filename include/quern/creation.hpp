// SPDX-License-Identifier: MIT
// New arrays: evenly spaced numbers, grids, and matrices by their diagonals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/memory_order.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

// `count` evenly spaced numbers from `start` to `stop`, which is included if `endpoint` is true. They are
// computed in the device's widest floating-point type and rounded down for integer dtypes.
Array linspace(const Queue& queue, const Number& start, const Number& stop, std::int64_t count, DType dtype,
               bool endpoint = true);
// The same with NumPy's keywords. The ends may be arrays, which are broadcast; the numbers then lie along
// `axis` and are computed in the common dtype of the ends.
struct SpacingOptions {
  std::int64_t count = 50;
  bool endpoint = true;
  std::optional<DType> dtype = {};
  int axis = 0;
};
struct Spacing {
  Array numbers;
  std::optional<Array> steps;  // distance between neighbours, if the ends are arrays
  Number step;                 // the same if they are numbers; NaN if there is none
  DType type;                  // common dtype of the ends
};
Spacing linspace(const Queue& queue, const Operand& start, const Operand& stop,
                 const SpacingOptions& options);
// Powers of `base` with evenly spaced exponents.
Array logspace(const Queue& queue, const Operand& start, const Operand& stop, const Operand& base = 10.0,
               const SpacingOptions& options = {});
// Numbers with a constant ratio between neighbours. Waits if the ends are arrays, to find zeros.
Array geomspace(const Queue& queue, const Operand& start, const Operand& stop,
                const SpacingOptions& options = {});
// Numbers from `start` up to and excluding `stop`. The default dtype is int64 if all three are integers.
Array arange_between(const Queue& queue, const Number& start, const Number& stop, const Number& step = 1,
                     const std::optional<DType>& dtype = {});
// An array filled with a number, or with an array that is broadcast; by default in the dtype of the value.
Array full_of(const Queue& queue, const Shape& shape, const Operand& value,
              const std::optional<DType>& dtype = {}, MemoryOrder order = MemoryOrder::c);

// New arrays in the shape and dtype of another, on its device.
struct LikeOptions {
  std::optional<Shape> shape = {};
  std::optional<DType> dtype = {};
  MemoryOrder order = MemoryOrder::c;
  const Queue* queue = nullptr;  // by default the array's
};
Array empty_like(const Array& array, const LikeOptions& options = {});
Array zeros_like(const Array& array, const LikeOptions& options = {});
Array ones_like(const Array& array, const LikeOptions& options = {});
// Filled with a number, or with an array that is broadcast.
Array full_like(const Array& array, const Operand& value, const LikeOptions& options = {});

// Coordinate grids: each array varies along its own axis.
struct GridOptions {
  bool is_xy = true;    // Cartesian indexing: the second array varies along the first axis
  bool sparse = false;  // the other axes have length 1
  bool copies = true;   // false: views
};
std::vector<Array> meshgrid(std::span<const Array> arrays, const GridOptions& options = {});
// The index of each element along each axis: stacked along a new first axis, or as arrays that broadcast.
Array indices(const Queue& queue, const Shape& shape, const DType& dtype = DType::of(Scalar::int64));
std::vector<Array> sparse_indices(const Queue& queue, const Shape& shape,
                                  const DType& dtype = DType::of(Scalar::int64));

// Ones on the diagonal that is `offset` above the main one, zeros elsewhere.
Array eye(const Queue& queue, std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t offset = 0);
// A view of the diagonals of the matrices that two axes span, along a new last axis.
Array diagonal(const Array& array, std::int64_t offset = 0, std::int64_t first_axis = 0,
               std::int64_t second_axis = 1);
// The lower (or upper) triangles of the matrices of the last two axes, including the diagonal; zeros
// elsewhere.
Array tril(const Array& array, std::int64_t offset = 0, const Queue* queue = nullptr);
Array triu(const Array& array, std::int64_t offset = 0, const Queue* queue = nullptr);
// Ones on and below the diagonal, zeros above.
Array tri(const Queue& queue, std::int64_t rows, std::int64_t columns, std::int64_t offset,
          const DType& dtype);
// The matrix with these numbers on its diagonal, or a copy of the diagonal of a matrix.
Array diag(const Array& array, std::int64_t offset = 0);
Array diagflat(const Array& array, std::int64_t offset = 0);  // the diagonal of the flattened array
// Sums along the diagonals.
Array trace(const Array& array, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1,
            const ReduceOptions& options = {});

}  // namespace quern
