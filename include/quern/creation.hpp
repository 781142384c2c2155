// SPDX-License-Identifier: MIT
// Arrays of evenly spaced numbers, and matrices by their diagonals.
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

// `count` numbers from `start` to `stop`, which is the last of them where `endpoint` is true and what would
// come next otherwise. They are computed in the device's widest floating point; integers are rounded down.
Array linspace(const Queue& queue, const Number& start, const Number& stop, std::int64_t count, DType dtype,
               bool endpoint = true);
// The same with NumPy's keywords. The ends may be arrays, which are broadcast; the numbers are then along
// `axis`, and computed in the type that the ends have together.
struct SpacingOptions {
  std::int64_t count = 50;
  bool endpoint = true;
  std::optional<DType> dtype = {};
  int axis = 0;
};
struct Spacing {
  Array numbers;
  std::optional<Array> steps;  // the distance of neighbours, where the ends are arrays
  Number step;                 // the same where they are numbers; NaN where there is none
  DType type;                  // that the ends have together
};
Spacing linspace(const Queue& queue, const Operand& start, const Operand& stop,
                 const SpacingOptions& options);
// Powers whose exponents are evenly spaced.
Array logspace(const Queue& queue, const Operand& start, const Operand& stop, const Operand& base = 10.0,
               const SpacingOptions& options = {});
// Each number is the same multiple of the one before it. Waits where the ends are arrays, to find zeros.
Array geomspace(const Queue& queue, const Operand& start, const Operand& stop,
                const SpacingOptions& options = {});
// Numbers from `start` to before `stop`. Without a type they are int64 where all three are integers.
Array arange_between(const Queue& queue, const Number& start, const Number& stop, const Number& step = 1,
                     const std::optional<DType>& dtype = {});
// A number, or an array that is broadcast, in its own type where none is given.
Array full_of(const Queue& queue, const Shape& shape, const Operand& value,
              const std::optional<DType>& dtype = {}, MemoryOrder order = MemoryOrder::c);

// Grids of coordinates: each array along its own axis, the same along all others.
struct GridOptions {
  bool is_xy = true;    // the second array along the first axis, as in drawings
  bool sparse = false;  // the other axes have length 1
  bool copies = true;   // views otherwise
};
std::vector<Array> meshgrid(std::span<const Array> arrays, const GridOptions& options = {});
// The index of each element along each axis: stacked along a new first axis, or as arrays that are broadcast.
Array indices(const Queue& queue, const Shape& shape, const DType& dtype = DType::of(Scalar::int64));
std::vector<Array> sparse_indices(const Queue& queue, const Shape& shape,
                                  const DType& dtype = DType::of(Scalar::int64));

// Ones on the diagonal that is `offset` above the main one, zeros elsewhere.
Array eye(const Queue& queue, std::int64_t rows, std::int64_t columns, DType dtype, std::int64_t offset = 0);
// A view of the diagonals of the matrices that two axes span, along a new last axis.
Array diagonal(const Array& array, std::int64_t offset = 0, std::int64_t first_axis = 0,
               std::int64_t second_axis = 1);
// Of the matrices of the last two axes, what is on and below (or above) the diagonal; zeros elsewhere.
Array tril(const Array& array, std::int64_t offset = 0, const Queue* queue = nullptr);
Array triu(const Array& array, std::int64_t offset = 0, const Queue* queue = nullptr);
// Ones on and below the diagonal, zeros above.
Array tri(const Queue& queue, std::int64_t rows, std::int64_t columns, std::int64_t offset,
          const DType& dtype);
// The matrix with these numbers on its diagonal, or a copy of the diagonal of a matrix.
Array diag(const Array& array, std::int64_t offset = 0);
Array diagflat(const Array& array, std::int64_t offset = 0);  // of all elements
// The sums of the diagonals.
Array trace(const Array& array, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1,
            const ReduceOptions& options = {});

}  // namespace quern
