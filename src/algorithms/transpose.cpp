// SPDX-License-Identifier: MIT
// Transposes a matrix.
#include "algorithms/transpose.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "algorithms/copy.hpp"
#include "algorithms/launch/checks.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "codegen/type_text.hpp"
#include "quern/error.hpp"
#include "quern/gather.hpp"

namespace quern {
namespace {

using namespace algorithms;

void check_matrix(const char* name, const Array& array, const Queue& queue) {
  if (array.shape().size() != 2)
    throw ArgumentError(ArgumentError::Kind::value, "transpose: " + std::string(name) + " has " +
                                                        std::to_string(array.shape().size()) +
                                                        " dimensions, expected two");
  check_contiguous("transpose", name, array, queue);
}

}  // namespace

Event algorithms::transpose_tiles(const Queue& queue, const Array& source, const Array& target) {
  const auto rows = static_cast<std::size_t>(target.shape()[1]);
  const auto columns = static_cast<std::size_t>(target.shape()[0]);
  const Buffer from = source.buffer().sub_buffer(source.offset(), source.size() * source.dtype().itemsize);
  const codegen::OpaqueType element = codegen::opaque_type(target.dtype(), "element_t");
  const bool groups = queue.device().properties().kind != DeviceKind::cpu;
  const std::size_t size = target.dtype().itemsize;
  // Tiles with whole cache lines on both sides, of at most 17 KiB, which fits the local memory of every GPU.
  std::size_t tile = size <= 2 ? 64 : 32;
  while (groups && tile > 4 && tile * (tile + 1) * size > (std::size_t{17} << 10)) tile /= 2;
  const std::size_t most = std::min<std::size_t>(256, queue.device().properties().max_work_group_size);
  while (groups && tile > most) tile /= 2;
  const std::size_t side = std::min<std::size_t>(
      tile, std::max<std::size_t>(std::bit_floor(most) / tile, 1));  // rows of work-items
  const LibraryKernel kernel = kernel_of({"transpose"}, "transpose",
                                         {{"ELEMENT", element.name},
                                          {"TILE", std::to_string(tile)},
                                          {"ROWS", std::to_string(side)},
                                          {"GROUPS", groups ? "1" : "0"}},
                                         element.definition);
  const std::size_t down = (rows + tile - 1) / tile, across = (columns + tile - 1) / tile;
  if (!groups)
    return kernel(queue, target.size(), range(down).with_local(1), from, target.elements(), rows, columns);
  return kernel(queue, target.size(), range(down * across * tile, side).with_local(tile, side), from,
                target.elements(), rows, columns, across);
}

Event transpose(const Queue& queue, const Array& matrix, const Array& out, WaitList wait_for) {
  check_matrix("matrix", matrix, queue);
  check_matrix("out", out, queue);
  check_dtype("transpose", "out", out, matrix.dtype());
  if (out.shape()[0] != matrix.shape()[1] || out.shape()[1] != matrix.shape()[0])
    throw ArgumentError(ArgumentError::Kind::value, "transpose: out has the shape (" +
                                                        std::to_string(out.shape()[0]) + ", " +
                                                        std::to_string(out.shape()[1]) + "), expected (" +
                                                        std::to_string(matrix.shape()[1]) + ", " +
                                                        std::to_string(matrix.shape()[0]) + ")");
  check_apart("transpose", "out", out, "matrix", matrix);
  if (!wait_for.empty()) queue.barrier(wait_for);
  if (matrix.size() == 0) return {};
  const auto size = static_cast<std::int64_t>(matrix.dtype().itemsize);
  const Array turned(matrix.buffer(), matrix.dtype(), out.shape(), {size, matrix.shape()[1] * size},
                     matrix.offset());
  return copy_elements(queue, turned, out);
}

Array transpose(const Queue& queue, const Array& matrix) {
  check_matrix("matrix", matrix, queue);
  Array out = empty(queue, {matrix.shape()[1], matrix.shape()[0]}, matrix.dtype());
  transpose(queue, matrix, out);
  return out;
}

}  // namespace quern
