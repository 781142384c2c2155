// SPDX-License-Identifier: MIT
// Copies strided elements on the host: row by row, or tile by tile if source and target are contiguous along
// different axes.
#include "algorithms/host/copy_elements.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include "algorithms/host/strided_walk.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kTarget = 0, kSource = 1;  // operand numbers

void copy_rows(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const Elements elements(launch, first_group, last_group);
  StridedWalk walk(launch);
  walk.seek(elements.begin);
  with_word(static_cast<std::size_t>(walk.own()[0]), [&](auto* word) {
    using W = std::remove_pointer_t<decltype(word)>;
    for (std::uint64_t left = elements.end - elements.begin; left != 0;) {
      const StridedWalk::Block block = walk.block(left);
      for (std::int64_t row = 0; row < block.rows; ++row)
        copy_row<W>(walk.at(kTarget) + row * walk.row_stride(kTarget), walk.stride(kTarget, 0),
                    walk.at(kSource) + row * walk.row_stride(kSource), walk.stride(kSource, 0),
                    block.columns);
      walk.skip(block);
      left -= static_cast<std::uint64_t>(block.rows * block.columns);
    }
  });
}

// Rows of the target run along the first loop, rows of the source along the second. A tile in the cache
// allows reads and writes of whole cache lines on both sides. Without it, rows whose distance is a power of
// two evict each other from the cache.
constexpr std::int64_t tile_side(std::size_t word) {
  return std::min<std::int64_t>(64, 256 / static_cast<std::int64_t>(word));
}

template <class W>
void copy_tile(StridedWalk& walk, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = tile_side(sizeof(W)), kPitch = kSide + 16 / std::int64_t{sizeof(W)};
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(W));
  std::array<W, static_cast<std::size_t>(kSide * kPitch)> tile;
  auto* const bytes = reinterpret_cast<std::byte*>(tile.data());
  for (std::int64_t i = 0; i < columns; ++i)
    copy_row<W>(bytes + i * kPitch * kSize, kSize, walk.at(kSource) + i * walk.stride(kSource, 0),
                walk.stride(kSource, 1), rows);
  for (std::int64_t i = 0; i < rows; ++i)
    copy_row<W>(walk.at(kTarget) + i * walk.stride(kTarget, 1), walk.stride(kTarget, 0), bytes + i * kSize,
                kPitch * kSize, columns);
}

// A group copies tiles.
void copy_tiles(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  StridedWalk walk(launch);
  with_word(static_cast<std::size_t>(walk.own()[0]), [&](auto* word) {
    using W = std::remove_pointer_t<decltype(word)>;
    constexpr auto kSide = static_cast<std::uint64_t>(tile_side(sizeof(W)));
    const auto columns = static_cast<std::uint64_t>(walk.length(0));
    const auto rows = static_cast<std::uint64_t>(walk.length(1));
    const std::uint64_t across = (columns + kSide - 1) / kSide, down = (rows + kSide - 1) / kSide;
    for (std::uint64_t number = first_group; number < last_group; ++number) {
      const std::uint64_t column = number % across * kSide, row = number / across % down * kSide;
      walk.seek(number / across / down, 2);
      walk.step(0, static_cast<std::int64_t>(column));
      walk.step(1, static_cast<std::int64_t>(row));
      copy_tile<W>(walk, static_cast<std::int64_t>(std::min(kSide, rows - row)),
                   static_cast<std::int64_t>(std::min(kSide, columns - column)));
    }
  });
}

constexpr HandWrittenKernel kCopyRows = {"copy_rows", &copy_rows}, kCopyTiles = {"copy_tiles", &copy_tiles};

// Returns the loop along which the source is contiguous, if that is not the first loop; otherwise 0.
std::size_t loop_of_source(const codegen::IndexSpace& space, std::size_t word) {
  const auto least = static_cast<std::int64_t>(64 / word);  // shorter rows fit a cache line
  const codegen::Lengths& strides = space.strides[kSource];
  std::size_t best = 0;
  for (std::size_t d = 1; d < space.rank(); ++d)
    if (strides[d] != 0 && space.lengths[d] >= least && std::abs(strides[d]) < std::abs(strides[best]))
      best = d;
  return best;
}

}  // namespace

Event copy_by_function(const Queue& queue, const Array& source, const Array& target) {
  const std::size_t itemsize = target.dtype().itemsize, word = word_size(itemsize);
  const std::array<StridedOperand, 2> operands = {{{&target, true}, {&source}}};
  codegen::IndexSpace space = bytewise_space(target.shape(), operands);
  if (itemsize != word) {
    // Elements are copied as rows of words. Adjacent elements form one longer row.
    const auto step = static_cast<std::int64_t>(word), size = static_cast<std::int64_t>(itemsize);
    if (space.strides[kTarget][0] == size && space.strides[kSource][0] == size) {
      space.lengths[0] *= size / step;
      for (codegen::Lengths& strides : space.strides) strides[0] = step;
    } else {
      space.lengths.insert(space.lengths.begin(), 1, size / step);
      for (codegen::Lengths& strides : space.strides) strides.insert(strides.begin(), 1, step);
    }
  }
  const std::array<std::int64_t, 1> own = {static_cast<std::int64_t>(word)};
  const auto count = static_cast<std::size_t>(space.size());
  if (const std::size_t other = loop_of_source(space, word); other != 0) {
    std::swap(space.lengths[1], space.lengths[other]);
    for (codegen::Lengths& strides : space.strides) std::swap(strides[1], strides[other]);
    const std::int64_t side = tile_side(word);
    std::int64_t tiles = ((space.lengths[0] + side - 1) / side) * ((space.lengths[1] + side - 1) / side);
    for (std::size_t d = 2; d < space.rank(); ++d) tiles *= space.lengths[d];
    return StridedCall(own, space, operands).launch(kCopyTiles, queue, static_cast<std::size_t>(tiles), 1);
  }
  constexpr std::size_t kGroupItems = 4096;
  return StridedCall(own, space, operands).launch(kCopyRows, queue, count, kGroupItems);
}

}  // namespace quern::algorithms
