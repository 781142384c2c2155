// SPDX-License-Identifier: MIT
// Functions of distributed arrays that move elements between ranks: indexing, joining, reshaping, cumulative
// sums, products of matrices, sorting. All ranks call them with equal arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/distributed/array.hpp"
#include "quern/scan.hpp"
#include "quern/sort.hpp"
#include "quern/views.hpp"

namespace quern {
namespace QUERN_API distributed {

// NumPy's basic indexing. The result is a copy. Slices that omit few elements at the ends of an axis have the
// layout of their middle one, so x[:-2], x[1:-1] and x[2:] have one layout, and only elements at the edges of
// blocks move. Other slices with a positive step leave every element on its rank.
DistributedArray get_item(const DistributedArray& array, std::span<const Index> index);
// Writes the value, broadcast and converted, to these elements.
void set_item(const DistributedArray& array, std::span<const Index> index, const DistributedOperand& value);
// Elements at these indices along an axis; negative ones count from the end.
DistributedArray take(const DistributedArray& array, std::span<const std::int64_t> indices, int axis);

// Elements at distributed places, which are int64 and count the elements of the array in C order. The result
// has the layout of the places. Throws an index error on all ranks if one has a place out of bounds.
DistributedArray gather_at(const DistributedArray& array, const DistributedArray& places);
// Writes values of the same shape, converted, to these places. Of equal places one value stays.
void scatter_at(const DistributedArray& array, const DistributedArray& places,
                const DistributedArray& values);

// Axis d of the result is axis axes[d] of the array. Does not communicate.
DistributedArray permute_dims(const DistributedArray& array, std::span<const int> axes);
// Axes of length 1 at these positions of the result, and without these axes of length 1.
DistributedArray expand_dims(const DistributedArray& array, std::span<const int> axes);
DistributedArray squeeze(const DistributedArray& array, std::span<const int> axes);
DistributedArray broadcast_to(const DistributedArray& array, const Shape& shape);
// The same elements in C order. One length may be -1. If elements move, the result is split along its first
// axis.
DistributedArray reshape(const DistributedArray& array, Shape shape);
// Shifts elements cyclically, each axis by one of the shifts.
DistributedArray roll(const DistributedArray& array, std::span<const std::int64_t> shifts,
                      std::span<const int> axes);
// Joins arrays along an axis, in their common dtype.
DistributedArray concat(std::span<const DistributedArray> arrays, int axis = 0);

// Cumulative results along an axis.
DistributedArray cumulative(ScanOperation operation, const DistributedArray& array, int axis,
                            const std::optional<DType>& dtype = {});
// Exact sums over these axes, or over all, rounded once: the same bits for any number of ranks and any
// layout. Elements are float32, float64 or complex.
DistributedArray reproducible_sum(const DistributedArray& array, const std::optional<std::vector<int>>& axes,
                                  bool keepdims = false);
// numpy.matmul. Matrices are multiplied panel by panel on a grid of ranks (SUMMA); if
// both have the inner axis split alike and the product is small, ranks add their partial products. Of stacks,
// each rank multiplies some matrices or rows.
DistributedArray matmul(const DistributedArray& a, const DistributedArray& b);
// Sorts along an axis. If a vector is split, ranks exchange elements by samples of all blocks.
DistributedArray sort(const DistributedArray& array, int axis = -1, SortOptions options = {});
// The indices that sort the elements along the axis: int64. Equal elements keep their order.
DistributedArray argsort(const DistributedArray& array, int axis = -1, SortOptions options = {});

}  // namespace distributed
}  // namespace quern
