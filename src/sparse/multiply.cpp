// SPDX-License-Identifier: MIT
// Products of compressed rows with vectors and matrices, and sums of rows.
#include "sparse/multiply.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/loop.hpp"
#include "codegen/sparse_form.hpp"
#include "quern/indexing.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

using algorithms::Defines;
using algorithms::KernelMemo;
using algorithms::LibraryKernel;

constexpr std::int64_t kThreads = 256;
constexpr std::int64_t kSpan = 2048;                // of tiles without long rows
constexpr std::int64_t kLongSpan = 1024;            // of tiles with them
constexpr std::int64_t kShort = 32, kMedium = 512;  // greatest lengths of rows for which tiles have room

bool is_in_groups(const Queue& queue) {
  return codegen::loop_style(queue.device().properties()) == codegen::LoopStyle::grid;
}

std::uint64_t code_of(const DType& dtype, const DType& index) {
  return static_cast<std::uint64_t>(dtype.scalar) << 1 | (index.itemsize == 8 ? 1U : 0U);
}

LibraryKernel chunk_kernel(const char* name, std::uint64_t number, const DType& dtype, const DType& index) {
  static auto* const known = new KernelMemo;  // never destroyed
  return known->get(code_of(dtype, index) | number << 8, [&] {
    return algorithms::kernel_of({"sparse_values", "sparse_rows"}, name,
                                 codegen::sparse_defines(dtype, index));
  });
}

// How a kernel of sparse_tiles.cl is built.
struct TileForm {
  std::int64_t span = kSpan, room = kSpan + kShort, per_row = 1;
  bool has_long = false, has_dot = false;
};

LibraryKernel tile_kernel(const char* name, std::uint64_t number, const DType& dtype, const DType& index,
                          const TileForm& form = {}) {
  static auto* const known = new KernelMemo;  // never destroyed
  const auto bits = static_cast<std::uint64_t>(form.per_row | form.span << 8 | form.room << 24);
  const std::uint64_t code = code_of(dtype, index) << 54 | number << 50 | bits << 2 |
                             (form.has_long ? 2U : 0U) | (form.has_dot ? 1U : 0U);
  return known->get(code, [&] {
    Defines defines = codegen::sparse_defines(dtype, index);
    defines.insert(defines.end(), {{"GROUPS", "1"},
                                   {"THREADS", std::to_string(kThreads)},
                                   {"SPAN", std::to_string(form.span)},
                                   {"ROOM", std::to_string(form.room)},
                                   {"PER_ROW", std::to_string(form.per_row)},
                                   {"WIDE", form.room > form.span + kShort ? "1" : "0"},
                                   {"LONG", form.has_long ? "1" : "0"},
                                   {"DOT", form.has_dot ? "1" : "0"}});
    return algorithms::kernel_of({"sparse_values", "sparse_tiles"}, name, defines);
  });
}

// How many chunks the host's threads share: several for each, so that all end at the same time.
struct Chunks {
  std::int64_t count, weight;
};
Chunks chunks_for(const Queue& queue, std::int64_t rows, std::int64_t entries) {
  constexpr std::int64_t kLeast = 4096;
  const std::int64_t work = rows + entries;
  const std::int64_t wanted = std::int64_t{queue.device().properties().compute_units} * 8;
  const std::int64_t weight = std::max(divided_up(work, wanted), kLeast);
  return {std::max<std::int64_t>(divided_up(work, weight), 1), weight};
}

Range lone(std::int64_t count) {
  return range(static_cast<std::size_t>(count)).with_local(1);
}

RowTiles tiles_of(const Csr& matrix) {
  const Queue queue = matrix.queue();
  const Array lengths =
      view(matrix.indptr(), {Index::slice(1)}) - view(matrix.indptr(), {Index::slice(0, -1)});
  RowTiles result{.starts = matrix.indptr()};
  result.longest = read_integer(max(lengths));
  result.span = result.longest > kMedium ? kLongSpan : kSpan;
  if (result.longest > result.span) {
    result.long_rows = flatnonzero(lengths > result.span);
    result.long_rows->evaluate();
  }
  result.count = std::max<std::int64_t>(divided_up(matrix.nnz() + matrix.rows(), result.span), 1);
  result.starts = empty(queue, {result.count + 1}, matrix.indptr().dtype());
  TileForm form;
  form.span = result.span;
  tile_kernel("split_rows", 0, matrix.dtype(), matrix.indptr().dtype(), form)(
      queue, static_cast<std::uint64_t>(result.count), range(static_cast<std::size_t>(result.count + 1)),
      matrix.indptr().elements(), result.starts.elements(), matrix.rows(), result.count);
  return result;
}

const RowTiles& tiles_once(const Csr& matrix) {
  detail::Structure& structure = *matrix.state().structure;
  const std::lock_guard lock(structure.mutex);
  if (!structure.tiles) structure.tiles = tiles_of(matrix);
  return *structure.tiles;
}

// Returns the number of groups, each of which writes a part of the dot product.
std::int64_t multiply_tiles(const Csr& matrix, const Array& x, const Array& y, const Array* sums) {
  const Queue queue = matrix.queue();
  const RowTiles& tiles = tiles_once(matrix);
  const std::int64_t mean = matrix.nnz() / std::max<std::int64_t>(matrix.rows(), 1);
  TileForm form;
  form.span = tiles.span;
  form.has_long = tiles.long_rows.has_value();
  form.has_dot = sums != nullptr;
  form.room = tiles.span + (form.has_long || tiles.longest > kMedium ? tiles.span
                            : tiles.longest > kShort                 ? kMedium
                                                                     : kShort);
  while (form.per_row < 32 && form.per_row * 8 < mean) form.per_row *= 2;
  const std::int64_t groups = std::min(tiles.count, dot_parts(queue));
  const Buffer data = matrix.data().elements(), indices = matrix.indices().elements(),
               indptr = matrix.indptr().elements(), starts = tiles.starts.elements(), from = x.elements(),
               to = y.elements();
  std::vector<KernelArgument> arguments = {data, indices, indptr, from, to, starts, tiles.count};
  const Buffer parts = sums != nullptr ? sums->elements() : Buffer();
  if (sums != nullptr) arguments.emplace_back(parts);
  const DType& type = matrix.indices().dtype();
  const auto launch_groups = static_cast<std::size_t>(sums != nullptr ? groups : tiles.count);
  tile_kernel("multiply_tiles", 1, matrix.dtype(), type, form)
      .launch(queue, static_cast<std::uint64_t>(matrix.nnz()),
              range(launch_groups * kThreads).with_local(kThreads), arguments);
  if (tiles.long_rows) {
    const auto count = static_cast<std::int64_t>(tiles.long_rows->size());
    const std::int64_t units = queue.device().properties().compute_units;
    const std::int64_t shares = std::clamp<std::int64_t>(4 * units / count, 1, 64);
    const Buffer partial(queue, static_cast<std::size_t>(count * shares) * matrix.dtype().itemsize);
    const Buffer rows = tiles.long_rows->elements();
    tile_kernel("multiply_long", 2, matrix.dtype(), type)(
        queue, static_cast<std::uint64_t>(matrix.nnz()),
        range(static_cast<std::size_t>(count * shares * kThreads)).with_local(kThreads), data, indices,
        indptr, from, rows, partial, static_cast<std::uint32_t>(shares));
    tile_kernel("finish_long", 3, matrix.dtype(), type)(
        queue, static_cast<std::uint64_t>(count), range(static_cast<std::size_t>(count)), rows, partial, to,
        static_cast<std::uint32_t>(shares), static_cast<std::uint32_t>(count));
  }
  return groups;
}

void multiply_into(const Csr& matrix, const Array& x, const Array& y, std::int64_t columns) {
  const Queue queue = matrix.queue();
  const DType& type = matrix.indices().dtype();
  const Buffer data = matrix.data().elements(), indices = matrix.indices().elements(),
               indptr = matrix.indptr().elements(), from = x.elements(), to = y.elements();
  if (is_in_groups(queue)) {
    if (columns == 1) {
      multiply_tiles(matrix, x, y, nullptr);
      return;
    }
    tile_kernel("multiply_elements", 4, matrix.dtype(), type)(
        queue, static_cast<std::uint64_t>(matrix.nnz() * columns), range(y.size()), data, indices, indptr,
        from, to, static_cast<std::int64_t>(y.size()), columns);
    return;
  }
  const Chunks chunks = chunks_for(queue, matrix.rows(), matrix.nnz());
  if (columns == 1) {
    chunk_kernel("multiply_rows", 0, matrix.dtype(), type)(queue, static_cast<std::uint64_t>(matrix.nnz()),
                                                           lone(chunks.count), data, indices, indptr, from,
                                                           to, matrix.rows(), chunks.weight);
  } else {
    chunk_kernel("multiply_matrix", 1, matrix.dtype(), type)(
        queue, static_cast<std::uint64_t>(matrix.nnz() * columns), lone(chunks.count), data, indices, indptr,
        from, to, matrix.rows(), chunks.weight, columns);
  }
}

}  // namespace

std::int64_t dot_parts(const Queue& queue) {
  // A GPU does not run all of these groups at once, so there are enough of them to end at the same time.
  return std::int64_t{queue.device().properties().compute_units} * (is_in_groups(queue) ? 16 : 8);
}

std::int64_t multiply_with_dot(const Csr& matrix, const Array& x, const Array& y, const Array& sums) {
  const Queue queue = matrix.queue();
  // Rows that several groups sum are not part of the dot product of multiply_tiles.
  if (is_in_groups(queue)) return tiles_once(matrix).long_rows ? 0 : multiply_tiles(matrix, x, y, &sums);
  const std::int64_t work = matrix.rows() + matrix.nnz();
  const std::int64_t weight = divided_up(work, dot_parts(queue)), count = divided_up(work, weight);
  chunk_kernel("multiply_rows_dot", 2, matrix.dtype(), matrix.indices().dtype())(
      queue, static_cast<std::uint64_t>(matrix.nnz()), lone(count), matrix.data().elements(),
      matrix.indices().elements(), matrix.indptr().elements(), x.elements(), y.elements(), matrix.rows(),
      weight, sums.elements());
  return count;
}

algorithms::LibraryKernel triangular_kernel(const Queue& queue, const DType& dtype, const DType& index) {
  return is_in_groups(queue) ? tile_kernel("solve_level", 6, dtype, index)
                             : chunk_kernel("solve_rows", 4, dtype, index);
}

bool solves_by_levels(const Queue& queue) {
  return is_in_groups(queue);
}

Array segment_of_each(const Array& starts, std::int64_t count) {
  const Queue queue = starts.queue();
  Array result = empty(queue, {count}, starts.dtype());
  if (count == 0) return result;
  const std::int64_t rows = static_cast<std::int64_t>(starts.size()) - 1;
  const LibraryKernel kernel = algorithms::kernel_of({"sparse_structure"}, "fill_rows",
                                                     codegen::sparse_structure_defines(starts.dtype()));
  const std::int64_t chunk = is_in_groups(queue) ? 8 : chunks_for(queue, 0, count).weight;
  const auto items = static_cast<std::size_t>(divided_up(count, chunk));
  const Range shape = is_in_groups(queue) ? range(items) : range(items).with_local(1);
  kernel(queue, static_cast<std::uint64_t>(count), shape, starts.elements(), result.elements(), rows, count,
         chunk);
  return result;
}

Array row_indices(const Csr& matrix) {
  return segment_of_each(matrix.indptr(), matrix.nnz());
}

Array segment_sums(const Array& values, const Array& starts) {
  const Queue queue = values.queue();
  const std::int64_t rows = static_cast<std::int64_t>(starts.size()) - 1;
  Array result = empty(queue, {rows}, values.dtype());
  if (rows == 0) return result;
  if (is_in_groups(queue)) {
    tile_kernel("sum_elements", 5, values.dtype(), starts.dtype())(
        queue, values.size(), range(static_cast<std::size_t>(rows)), values.elements(), starts.elements(),
        result.elements(), rows);
    return result;
  }
  const Chunks chunks = chunks_for(queue, rows, static_cast<std::int64_t>(values.size()));
  chunk_kernel("sum_rows", 3, values.dtype(), starts.dtype())(queue, values.size(), lone(chunks.count),
                                                              values.elements(), starts.elements(),
                                                              result.elements(), rows, chunks.weight);
  return result;
}

Array row_sums(const Csr& matrix) {
  return segment_sums(matrix.data(), matrix.indptr());
}

Array multiply(const Csr& matrix, const Array& x) {
  const Shape& shape = x.shape();
  if (shape.empty() || shape.size() > 2) value_error("matmul: expected a vector or a matrix");
  if (shape[0] != matrix.columns())
    value_error("matmul: dimension mismatch: " + std::to_string(matrix.columns()) + " columns and " +
                std::to_string(shape[0]) + " rows");
  const DType dtype = result_type(matrix.dtype(), value_type(x.dtype()));
  const std::int64_t columns = shape.size() == 1 ? 1 : shape[1];
  Shape out = {matrix.rows()};
  if (shape.size() == 2) out = {matrix.rows(), columns};
  if (matrix.rows() == 0 || columns == 0 || matrix.nnz() == 0) return zeros(matrix.queue(), out, dtype);
  const Array from = vector_of(reshape(x, {-1}), dtype);
  Array y = empty(matrix.queue(), out, dtype);
  multiply_into(astype(matrix, dtype), from, y, columns);
  return y;
}

}  // namespace quern::sparse
