// SPDX-License-Identifier: MIT
// Patterns of rows, tiles and shares of a matrix in compressed rows.
#include "sparse/row_plan.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "base/arithmetic.hpp"
#include "codegen/loop.hpp"
#include "codegen/sparse_form.hpp"
#include "quern/indexing.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// As in sparse_structure.cl.
constexpr std::int64_t kSlots = kPatternSlots, kMostPatterns = 192, kMostEntries = kPatternEntries;
// The entries of smaller matrices are in caches, where fewer bytes do not help.
constexpr std::int64_t kLeastEntries = std::int64_t{1} << 16;

std::optional<RowPatterns> find_patterns(const Csr& matrix) {
  const std::int64_t rows = matrix.rows(), entries = matrix.nnz();
  if (entries < kLeastEntries || rows >= std::numeric_limits<std::int32_t>::max() ||
      entries > rows * kMostEntries)
    return std::nullopt;
  const Queue queue = matrix.queue();
  const DType& index = matrix.indices().dtype();
  const DType int32 = DType::of(Scalar::int32);
  const Array table = zeros(queue, {kSlots}, int32), found = zeros(queue, {1}, int32);
  table.evaluate();
  found.evaluate();
  RowPatterns result{0,
                     empty(queue, {rows}, DType::of(Scalar::uint8)),
                     empty(queue, {divided_up(rows, kPatternBlock)}, int32),
                     empty(queue, {kSlots + 1}, int32),
                     empty(queue, {kSlots * kMostEntries}, index),
                     table};
  const Buffer indptr = matrix.indptr().elements(), indices = matrix.indices().elements();
  const bool in_groups = is_in_groups(queue);
  const std::int64_t chunk = in_groups ? 1 : divided_up(rows, chunks_for(queue, rows, entries).count);
  const auto items = static_cast<std::size_t>(divided_up(rows, chunk));
  structure_kernel("find_patterns", index)(
      queue, static_cast<std::uint64_t>(entries), in_groups ? range(items) : range(items).with_local(1),
      indptr, indices, table.elements(), found.elements(), result.codes.elements(), rows, chunk);
  structure_kernel("store_patterns", index)(
      queue, static_cast<std::uint64_t>(kSlots + 1), range(static_cast<std::size_t>(kSlots + 1)), indptr,
      indices, table.elements(), found.elements(), result.lengths.elements(), result.offsets.elements());
  const std::vector<std::int32_t> lengths = result.lengths.to_vector<std::int32_t>(queue);
  if (lengths.back() > kMostPatterns) return std::nullopt;
  result.longest = *std::max_element(lengths.begin(), lengths.end() - 1);
  structure_kernel("mark_blocks", index)(queue, static_cast<std::uint64_t>(rows), range(result.blocks.size()),
                                         result.codes.elements(), result.blocks.elements(), rows,
                                         kPatternBlock);
  return result;
}

RowSplit split_of(const Csr& matrix, std::int64_t span, bool has_whole_rows) {
  const Queue queue = matrix.queue();
  const std::int64_t count = std::max<std::int64_t>(divided_up(matrix.nnz() + matrix.rows(), span), 1);
  RowSplit result{span, count, empty(queue, {count + 1}, matrix.indptr().dtype())};
  structure_kernel("split_rows", matrix.indptr().dtype())(
      queue, static_cast<std::uint64_t>(count), range(static_cast<std::size_t>(count + 1)),
      matrix.indptr().elements(), result.starts.elements(), matrix.rows(), count, span,
      static_cast<std::int32_t>(has_whole_rows));
  return result;
}

const RowSplit& split_once(const Csr& matrix, std::int64_t span, bool has_whole_rows) {
  detail::Structure& structure = *matrix.state().structure;
  const std::lock_guard lock(structure.mutex);
  auto& known = has_whole_rows ? structure.plan.tiles : structure.plan.shares;
  const auto found = known.find(span);
  if (found != known.end()) return found->second;
  return known.emplace(span, split_of(matrix, span, has_whole_rows)).first->second;
}

}  // namespace

algorithms::LibraryKernel structure_kernel(const char* name, const DType& index) {
  return algorithms::kernel_of({"sparse_search", "sparse_structure"}, name,
                               codegen::sparse_structure_defines(index));
}

bool is_in_groups(const Queue& queue) {
  return codegen::loop_style(queue.device().properties()) == codegen::LoopStyle::grid;
}

Chunks chunks_for(const Queue& queue, std::int64_t rows, std::int64_t entries) {
  constexpr std::int64_t kLeast = 4096;
  const std::int64_t work = rows + entries;
  const std::int64_t wanted = std::int64_t{queue.device().properties().compute_units} * 8;
  const std::int64_t weight = std::max(divided_up(work, wanted), kLeast);
  return {std::max<std::int64_t>(divided_up(work, weight), 1), weight};
}

const RowPatterns* patterns_of(const Csr& matrix) {
  detail::Structure& structure = *matrix.state().structure;
  const std::lock_guard lock(structure.mutex);
  if (!structure.plan.patterns) structure.plan.patterns = find_patterns(matrix);
  return *structure.plan.patterns ? &**structure.plan.patterns : nullptr;
}

std::int64_t longest_row(const Csr& matrix) {
  detail::Structure& structure = *matrix.state().structure;
  const std::lock_guard lock(structure.mutex);
  if (!structure.plan.longest) {
    const Array& starts = matrix.indptr();
    structure.plan.longest =
        read_integer(max(view(starts, {Index::slice(1)}) - view(starts, {Index::slice(0, -1)})));
  }
  return *structure.plan.longest;
}

const RowSplit& tiles_of(const Csr& matrix, std::int64_t span) {
  return split_once(matrix, span, true);
}

const RowSplit& shares_of(const Csr& matrix, std::int64_t span) {
  return split_once(matrix, span, false);
}

}  // namespace quern::sparse
