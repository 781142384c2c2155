// SPDX-License-Identifier: MIT
// Transposes a matrix tile by tile, on devices that compile kernels.
#include "algorithms/transpose_tiles.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/loop.hpp"
#include "codegen/type_text.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {

Event transpose_tiles(const Queue& queue, const Array& source, const Array& target) {
  const auto rows = static_cast<std::size_t>(target.shape()[1]);
  const auto columns = static_cast<std::size_t>(target.shape()[0]);
  const Buffer from = source.buffer().sub_buffer(source.offset(), source.size() * source.dtype().itemsize);
  const codegen::RawElementType element = codegen::raw_element_type(target.dtype(), "element_t");
  const bool groups = codegen::loop_style(queue.device().properties()) == codegen::LoopStyle::grid;
  const std::size_t size = target.dtype().itemsize;
  // Tiles with whole cache lines on both sides, of at most 17 KiB, which fits the local memory of every GPU.
  const auto tuned = [&](const char* parameter, std::size_t otherwise) {
    return static_cast<std::size_t>(tuning::value_of(
        queue.device().properties(), groups ? "transpose_tiles" : "transpose_rows",
        [&] { return std::to_string(size); }, parameter, static_cast<std::int64_t>(otherwise)));
  };
  std::size_t tile = tuned("tile", size <= 2 ? 64 : 32);
  while (groups && tile > 4 && tile * (tile + 1) * size > (std::size_t{17} << 10)) tile /= 2;
  const std::size_t most = std::min<std::size_t>(256, queue.device().properties().max_work_group_size);
  while (groups && tile > most) tile /= 2;
  std::size_t side = std::min<std::size_t>(
      tile, std::max<std::size_t>(std::bit_floor(most) / tile, 1));  // rows of work-items
  if (groups) side = std::min(tuned("rows", side), side);
  const LibraryKernel kernel = kernel_of({"transpose"}, "transpose",
                                         {{"ELEMENT", element.name},
                                          {"TILE", std::to_string(tile)},
                                          {"ROWS", std::to_string(side)},
                                          {"GROUPS", groups ? "1" : "0"}},
                                         element.definition);
  const std::size_t down = divided_up(rows, tile), across = divided_up(columns, tile);
  if (!groups)
    return kernel(queue, target.size(), range(down).with_local(1), from, target.elements(), rows, columns);
  return kernel(queue, target.size(), range(down * across * tile, side).with_local(tile, side), from,
                target.elements(), rows, columns, across);
}

}  // namespace quern::algorithms
