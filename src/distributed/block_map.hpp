// SPDX-License-Identifier: MIT
// Where the elements of an array are in the memory of the ranks. Arithmetic on indices only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "quern/distributed/global_array.hpp"
#include "quern/distributed/layout.hpp"

namespace quern::distributed {

Shape shape_of(const Patch& patch);

// Bytes that are contiguous in the memory of a rank and in the memory of a patch.
struct Run {
  int rank = 0;
  std::size_t in_block = 0, in_patch = 0;  // offsets
  std::size_t nbytes = 0;
};

// Each rank has one block, in C order, with `widths` ghost cells before and after it along each axis.
class BlockMap {
 public:
  // Throws ArgumentError unless each element is on one rank, and each rank has one interval of each axis.
  BlockMap(const Layout& layout, std::vector<std::pair<std::int64_t, std::int64_t>> widths,
           std::size_t itemsize);

  [[nodiscard]] std::size_t axes() const noexcept { return axes_.size(); }
  [[nodiscard]] std::size_t itemsize() const noexcept { return itemsize_; }
  // The block of a rank without and with its ghost cells. A rank that does not take part has none.
  [[nodiscard]] Patch block_of(int rank) const;
  [[nodiscard]] Shape padded_shape(int rank) const;

  struct Place {
    int rank = 0;
    std::size_t offset = 0;
  };
  // Throws ArgumentError for an index outside the array.
  [[nodiscard]] Place place_of(std::span<const std::int64_t> index) const;
  void check(const Patch& patch, const char* operation) const;
  // Calls the function for the bytes of a patch, whose elements are in C order.
  void for_each_run(const Patch& patch, const std::function<void(const Run&)>& function) const;
  // The parts of a patch, by rank, in global indices.
  [[nodiscard]] std::vector<std::pair<int, Patch>> ranks_of(const Patch& patch) const;

 private:
  struct Axis {
    std::int64_t length = 0;
    std::vector<std::int64_t> starts;  // of the interval of each part, and the end of the last one
    int rank_step = 0;                 // between the ranks of neighbouring parts
    std::int64_t before = 0, after = 0;
    [[nodiscard]] std::size_t part_of(std::int64_t index) const noexcept;
  };
  // The part of a patch in one interval of an axis.
  struct Segment {
    std::size_t part = 0;
    std::int64_t start = 0, length = 0;  // in global indices
  };
  [[nodiscard]] std::vector<Segment> segments(const Axis& axis, const Interval& interval) const;
  // Calls the function for each rank that has elements of the patch, with one segment of each axis.
  template <class Function>
  void for_each_block(const Patch& patch, const Function& function) const;
  [[nodiscard]] std::size_t padded_length(std::size_t axis, std::size_t part) const noexcept;

  std::vector<Axis> axes_;
  std::size_t itemsize_;
  int ranks_ = 1;
  int first_rank_ = 0;  // of the block with the lowest indices
};

}  // namespace quern::distributed
