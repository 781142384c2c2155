// SPDX-License-Identifier: MIT
// Layouts: which rank owns which elements of an array. Arithmetic on indices only; nothing communicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace quern {
namespace QUERN_API distributed {

// Ranks as a grid with any number of dimensions, in C order.
class ProcessGrid {
 public:
  explicit ProcessGrid(std::vector<int> lengths);
  // A grid of this many dimensions for all ranks. It cuts longer axes of the array into more parts, so that
  // the blocks are as nearly cubes as the number of ranks allows.
  static ProcessGrid for_shape(int ranks, const Shape& shape);

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const std::vector<int>& lengths() const noexcept { return lengths_; }
  [[nodiscard]] int rank_at(const std::vector<int>& coordinates) const noexcept;
  [[nodiscard]] std::vector<int> coordinates_of(int rank) const;
  friend bool operator==(const ProcessGrid&, const ProcessGrid&) = default;

 private:
  std::vector<int> lengths_;
  int size_ = 1;
};

struct Interval {
  std::int64_t start = 0, stop = 0;
  [[nodiscard]] std::int64_t length() const noexcept { return stop - start; }
  [[nodiscard]] bool empty() const noexcept { return stop <= start; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// How the indices of one axis are dealt to the coordinates of one axis of the grid.
class AxisLayout {
 public:
  // All indices on every coordinate.
  static AxisLayout whole(std::int64_t length);
  // One interval for each coordinate; the first ones are longer by one if the length does not divide.
  static AxisLayout block(std::int64_t length, int grid_axis, int parts);
  // Intervals of given lengths.
  static AxisLayout irregular(std::vector<std::int64_t> lengths, int grid_axis);
  // Intervals of `block` indices, dealt round robin.
  static AxisLayout cyclic(std::int64_t length, int grid_axis, int parts, std::int64_t block);

  [[nodiscard]] std::int64_t length() const noexcept { return length_; }
  [[nodiscard]] bool is_split() const noexcept { return grid_axis_ >= 0; }
  [[nodiscard]] int grid_axis() const noexcept { return grid_axis_; }
  [[nodiscard]] int parts() const noexcept { return parts_; }
  [[nodiscard]] std::int64_t cyclic_block() const noexcept { return cyclic_block_; }  // 0 unless cyclic
  [[nodiscard]] int owner(std::int64_t index) const noexcept;
  [[nodiscard]] std::int64_t local_index(std::int64_t index) const noexcept;
  [[nodiscard]] std::int64_t local_length(int coordinate) const noexcept;
  // The indices of a coordinate, in order, as few intervals as possible.
  [[nodiscard]] std::vector<Interval> intervals(int coordinate) const;
  friend bool operator==(const AxisLayout&, const AxisLayout&) = default;

 private:
  std::int64_t length_ = 0;
  int grid_axis_ = -1, parts_ = 1;
  std::vector<std::int64_t> starts_;  // parts + 1 for intervals
  std::int64_t cyclic_block_ = 0;
};

// The layout of an array: one AxisLayout for each axis. Along axes of the grid that no axis of the array is
// split over, the elements are replicated; with `root`, one rank owns all elements.
class Layout {
 public:
  Layout(ProcessGrid grid, std::vector<AxisLayout> axes);
  static Layout block(const ProcessGrid& grid, const Shape& shape);
  // Blocks on a grid that suits the shape; a 0-d array is replicated.
  static Layout for_shape(int ranks, const Shape& shape);
  static Layout replicated(int ranks, const Shape& shape);
  static Layout owned(int ranks, const Shape& shape, int root);
  // Axis d of the array with this layout is axis axes[d] of the array with this one.
  [[nodiscard]] Layout permuted(const std::vector<std::size_t>& axes) const;
  // The same with another layout of one axis, with an axis less, and with one more before `axis`.
  [[nodiscard]] Layout with_axis(std::size_t axis, AxisLayout layout) const;
  [[nodiscard]] Layout without_axis(std::size_t axis) const;
  [[nodiscard]] Layout with_new_axis(std::size_t axis, AxisLayout layout) const;

  [[nodiscard]] const ProcessGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] const std::vector<AxisLayout>& axes() const noexcept { return axes_; }
  [[nodiscard]] Shape shape() const;
  [[nodiscard]] int root() const noexcept { return root_; }  // -1 unless one rank owns all elements
  [[nodiscard]] bool is_replicated() const noexcept;         // every rank has all elements
  // Whether the rank takes part; false if another one owns all elements.
  [[nodiscard]] bool holds(int rank) const noexcept { return root_ < 0 || rank == root_; }
  [[nodiscard]] Shape local_shape(int rank) const;  // lengths of 0 for a rank that does not take part
  // The lowest rank that has the element.
  [[nodiscard]] int owner(const std::vector<std::int64_t>& index) const;
  // Whether this rank is the lowest of those that have the same elements.
  [[nodiscard]] bool is_first_replica(int rank) const;
  // The intervals of a rank along each axis; its elements are their products.
  [[nodiscard]] std::vector<std::vector<Interval>> intervals(int rank) const;
  [[nodiscard]] std::string text() const;  // "block(2, 3)", "replicated", "owned by rank 1"
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  ProcessGrid grid_;
  std::vector<AxisLayout> axes_;
  int root_ = -1;
};

}  // namespace distributed
}  // namespace quern
