// SPDX-License-Identifier: MIT
// Sums with the same bits on any number of ranks and in any layout: exact sums, rounded once.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <optional>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/exact_sum.hpp"
#include "distributed/parts.hpp"
#include "quern/distributed/functions.hpp"
#include "quern/error.hpp"
#include "quern/manipulation.hpp"

namespace quern::distributed {
namespace {

// Real and imaginary numbers are added up separately.
struct Elements {
  bool is_single = false;
  std::size_t parts = 1;
};

Elements elements_type(const DType& dtype) {
  if (dtype.lanes == 1) {
    switch (dtype.scalar) {
      case Scalar::float32:
        return {true, 1};
      case Scalar::float64:
        return {false, 1};
      case Scalar::complex64:
        return {true, 2};
      case Scalar::complex128:
        return {false, 2};
      default:
        break;
    }
  }
  throw ArgumentError(ArgumentError::Kind::type,
                      "a reproducible sum needs float32, float64 or complex numbers, not " + dtype.name());
}

// Neighbouring elements go to different sums, because an addition waits for the one before to the same limbs.
constexpr std::size_t kLanes = 4;

template <class Real, std::size_t parts>
void add_rows(const std::byte* at, std::size_t rows, std::size_t columns, ExactSum* sums) {
  const auto next = [&at] {
    Real value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return static_cast<double>(value);
  };
  for (std::size_t row = 0; row < rows; ++row, sums += parts) {
    std::size_t rest = columns;
    if (columns >= 1024) {  // enough for a sum of the lanes
      std::array<ExactSum, kLanes * parts> lanes;
      for (; rest >= kLanes; rest -= kLanes)
        for (ExactSum& lane : lanes) lane.add(next());
      for (std::size_t i = 0; i < lanes.size(); ++i) sums[i % parts].add(lanes[i]);
    }
    for (; rest > 0; --rest)
      for (std::size_t part = 0; part < parts; ++part) sums[part].add(next());
  }
}

// Sums of rows of this many elements.
std::vector<ExactSum> sums_of(const Bytes& bytes, const Elements& type, std::size_t rows,
                              std::size_t columns) {
  std::vector<ExactSum> sums(rows * type.parts);
  const auto add = type.is_single ? (type.parts == 1 ? add_rows<float, 1> : add_rows<float, 2>)
                                  : (type.parts == 1 ? add_rows<double, 1> : add_rows<double, 2>);
  add(bytes.data(), rows, columns, sums.data());
  return sums;
}

Array array_of_sums(const Queue& queue, const std::vector<ExactSum>& sums, const Elements& type,
                    const Shape& shape, const DType& dtype) {
  Bytes bytes(sums.size() * (type.is_single ? sizeof(float) : sizeof(double)));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (type.is_single) {
      const float value = sums[i].to_float();
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    } else {
      const double value = sums[i].to_double();
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
  }
  return array_of(queue, bytes, shape, dtype);
}

DistributedArray sum_of_all(const DistributedArray& array, const Elements& type, const Shape& shape) {
  CommunicatorState& communicator = *array.communicator().state();
  std::vector<ExactSum> own(type.parts);
  if (array.layout().is_first_replica(communicator.rank())) {
    Bytes bytes(array.local().nbytes());
    read(array.local(), bytes);
    own = sums_of(bytes, type, 1, array.local().size());
  }
  const Bytes all =
      all_gather(communicator, call_of("reproducible sum", agreed(array)), std::as_bytes(std::span(own)));
  std::vector<ExactSum> total(type.parts);
  for (int rank = 0; rank < communicator.size(); ++rank) {
    std::vector<ExactSum> given(type.parts);
    const std::size_t nbytes = given.size() * sizeof(ExactSum);
    std::memcpy(static_cast<void*>(given.data()), all.data() + static_cast<std::size_t>(rank) * nbytes,
                nbytes);
    for (std::size_t i = 0; i < total.size(); ++i) total[i].add(given[i]);
  }
  return {array.communicator(), Layout::replicated(communicator.size(), shape),
          array_of_sums(array.local().queue(), total, type, shape, array.dtype())};
}

}  // namespace

DistributedArray reproducible_sum(const DistributedArray& array, const std::optional<std::vector<int>>& axes,
                                  bool keepdims) {
  const Elements type = elements_type(array.dtype());
  const std::size_t ndim = array.shape().size();
  std::vector<bool> is_reduced(ndim, !axes.has_value());
  if (axes)
    for (const int axis : *axes) is_reduced[checked_axis(axis, ndim)] = true;
  Shape kept, with_ones;
  std::vector<int> order;
  for (std::size_t i = 0; i < ndim; ++i) {
    with_ones.push_back(is_reduced[i] ? 1 : array.shape()[i]);
    if (is_reduced[i]) continue;
    kept.push_back(array.shape()[i]);
    order.push_back(static_cast<int>(i));
  }
  if (std::all_of(is_reduced.begin(), is_reduced.end(), [](bool is) { return is; }))
    return sum_of_all(array, type, keepdims ? with_ones : kept);

  // The axes that are added up become whole on each rank; the others are split.
  const int ranks = array.communicator().size(), rank = array.communicator().rank();
  const Layout after = Layout::for_shape(ranks, kept);
  std::vector<AxisLayout> before, lasting;
  for (std::size_t i = 0, next = 0; i < ndim; ++i) {
    before.push_back(is_reduced[i] ? AxisLayout::whole(array.shape()[i]) : after.axes()[next]);
    if (keepdims || !is_reduced[i])
      lasting.push_back(is_reduced[i] ? AxisLayout::whole(1) : after.axes()[next]);
    if (!is_reduced[i]) ++next;
  }
  const DistributedArray moved = redistribute(array, Layout(after.grid(), std::move(before)));
  for (std::size_t i = 0; i < ndim; ++i)
    if (is_reduced[i]) order.push_back(static_cast<int>(i));
  const Array rows = quern::permute_dims(moved.local(), order);
  Bytes bytes(rows.nbytes());
  read(rows, bytes);
  const auto count = static_cast<std::size_t>(elements_of(after.local_shape(rank)));
  const Layout result(after.grid(), std::move(lasting));
  const auto sums = sums_of(bytes, type, count, count == 0 ? 0 : rows.size() / count);
  return {array.communicator(), result,
          array_of_sums(moved.local().queue(), sums, type, result.local_shape(rank), array.dtype())};
}

}  // namespace quern::distributed
