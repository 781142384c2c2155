// SPDX-License-Identifier: MIT
// How a matrix product on the host is divided into blocks.
#include "algorithms/host/matmul_division.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/host/matmul_call.hpp"
#include "algorithms/host/matmul_pairs.hpp"
#include "base/arithmetic.hpp"
#include "base/dtype_kinds.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

Blocks blocks_of(const MatmulSize& size, const BlockRules& rules, std::int64_t units) {
  const bool is_symmetric = rules.is_symmetric;
  std::int64_t tile_rows = 1, tile_columns = 1, depth = 1;
  with_types(rules.scalar, [&](auto type, auto item) {
    using Item = PanelItem<decltype(type), decltype(item)>;
    const auto& product = best_tile<Item, SumOf<Item>>();
    tile_rows = product.rows;
    tile_columns = product.columns;
    depth = product.depth;
  });
  // Tiles of BLAS are its own; these numbers are multiples of usual ones. It packs the columns of each block
  // anew and writes long rows faster, so its blocks are few and wide.
  const bool is_by_library = rules.is_by_library && !is_symmetric;
  const std::int64_t per_unit = is_by_library ? 2 : 4, widest = is_by_library ? 2 : 1;
  if (is_by_library) tile_rows = 16, tile_columns = 32;
  if (is_symmetric) tile_rows = tile_columns = std::lcm(tile_rows, tile_columns);
  const auto whole_tiles = [](std::int64_t count, std::int64_t tile) {
    return divided_up(count, tile) * tile;
  };
  Blocks blocks = {whole_tiles(size.m, tile_rows), whole_tiles(size.n, tile_columns), size.depth};
  if (blocks.rows * blocks.columns > rules.most_elements) {
    blocks.rows = std::min(blocks.rows, 24 * tile_rows);
    blocks.columns =
        std::min(blocks.columns, rules.most_elements / blocks.rows / tile_columns * tile_columns);
  }
  blocks.rows = std::min(blocks.rows, rules.most_rows);
  blocks.columns = std::min(blocks.columns, rules.most_columns);
  // The fewest multiplications for which another thread is woken: about ten microseconds of work.
  constexpr std::int64_t kLeast = std::int64_t{1} << 19;
  const auto count = [&] {
    return divided_up(size.m, blocks.rows) * divided_up(size.n, blocks.columns) * size.matrices();
  };
  const std::int64_t wanted = units == 1 ? 1 : per_unit * units;
  // A long sum of a small result is divided before its rows and columns are: small blocks would pack every
  // element several times.
  constexpr std::int64_t kNarrow = 512, kLong = 16;
  const std::int64_t longer = std::max(size.m, size.n);
  const bool is_long = !rules.is_depth_whole && longer <= kNarrow && size.depth >= kLong * longer &&
                       size.depth >= kLong * depth;
  while (!is_long && count() < wanted && blocks.rows * blocks.columns * size.depth >= 2 * kLeast) {
    // Halves the longer side, columns if they are more than `widest` times the rows.
    const bool can_rows = blocks.rows > tile_rows, can_columns = blocks.columns > tile_columns;
    if (is_symmetric && can_rows) {
      blocks.rows = blocks.columns = whole_tiles(divided_up(blocks.rows, 2), tile_rows);
      continue;
    }
    if (!can_rows && !can_columns) break;
    if (can_rows && (widest * blocks.rows >= blocks.columns || !can_columns)) {
      blocks.rows = whole_tiles(divided_up(blocks.rows, 2), tile_rows);
    } else {
      blocks.columns = whole_tiles(divided_up(blocks.columns, 2), tile_columns);
    }
  }
  if (count() < (is_long ? wanted : units) && !rules.is_depth_whole) {
    const std::int64_t parts = std::clamp<std::int64_t>(size.depth * blocks.rows * blocks.columns / kLeast, 1,
                                                        divided_up(is_long ? wanted : 2 * units, count()));
    blocks.chunk = whole_tiles(divided_up(size.depth, parts), depth);
  }
  return blocks;
}

// The fewest multiplications of a block of a product with a vector, and the most lines: their sums stay in
// the first cache.
constexpr std::int64_t kLeastVectorWork = std::int64_t{1} << 16, kMostVectorLines = 4096;

// A matrix and a vector. Each block reads lines of the matrix, of which neighbours may follow each other in
// memory: blocks have at least so many that whole pages are read.
Blocks blocks_of_lines(const MatmulSize& size, const BlockRules& rules, std::int64_t units) {
  constexpr std::int64_t kLeastLines = 256;
  constexpr std::int64_t kWhole = 64;  // lines that fill vectors of any type
  // The speed of memory varies: more blocks balance the threads, if blocks of few lines are still long pieces
  // of memory.
  const std::int64_t lines = std::max(size.m, size.n);
  // Where neighbouring lines follow each other, smaller matrices have one block for each thread: a block
  // reads a piece of each step, and the longer the pieces are, the faster.
  const bool is_large = lines * size.depth >= kLargeMatrix;
  const std::int64_t per_unit = !rules.has_whole_lines ? (is_large ? 2 : 1) : is_large ? 8 : 2;
  const std::int64_t wanted = units == 1 ? 1 : divided_up(per_unit * units, size.matrices());
  std::int64_t per_block =
      std::max({divided_up(lines, wanted), divided_up(kLeastVectorWork, size.depth), kLeastLines});
  if (!rules.has_whole_lines) per_block = divided_up(per_block, kWhole) * kWhole;
  per_block = std::min({per_block, lines, kMostVectorLines, rules.most_elements});
  Blocks blocks = {size.n == 1 ? per_block : 1, size.n == 1 ? 1 : per_block, size.depth};
  const std::int64_t count = divided_up(lines, per_block) * size.matrices();
  if (count < units && !rules.is_depth_whole) {
    const std::int64_t parts =
        std::clamp<std::int64_t>(size.depth * per_block / kLeastVectorWork, 1, divided_up(2 * units, count));
    blocks.chunk = divided_up(size.depth, parts);
  }
  return blocks;
}

// The same where neighbouring lines follow each other. Blocks divide the summed axis first: each then reads
// one piece of memory, and the few sums of each block are added at the end.
Blocks blocks_of_steps(const MatmulSize& size, std::int64_t units) {
  constexpr std::int64_t kMostParts = 8, kLeastSteps = 64, kPerUnit = 2;
  const std::int64_t lines = std::max(size.m, size.n);
  const std::int64_t wanted = units == 1 ? 1 : divided_up(kPerUnit * units, size.matrices());
  const std::int64_t count = std::clamp<std::int64_t>(size.depth * lines / kLeastVectorWork, 1, wanted);
  const std::int64_t most_parts = std::clamp<std::int64_t>(size.depth / kLeastSteps, 1, kMostParts);
  const std::int64_t parts = std::min(divided_up(count, divided_up(lines, kMostVectorLines)), most_parts);
  const std::int64_t per_block = std::min(divided_up(lines, divided_up(count, parts)), kMostVectorLines);
  return {size.n == 1 ? per_block : 1, size.n == 1 ? 1 : per_block, divided_up(size.depth, parts)};
}

}  // namespace

bool is_small_product(const MatmulSize& size) {
  return size.n <= kMostSmallColumns && size.m * size.n * size.depth <= kMostSmallWork;
}

BlockRules rules_of(Scalar scalar, const DType& dtype, const Epilogue& epilogue) {
  BlockRules rules = {scalar};
  // Sums of float16 and bfloat16 are float32 until they are rounded, once.
  rules.is_depth_whole = detail::is_short_float(dtype);
  const auto item = rules.is_depth_whole ? sizeof(float) : dtype.itemsize;
  if (rules.is_depth_whole || epilogue.expression)
    rules.most_elements = static_cast<std::int64_t>(kSumBytes / item);
  return rules;
}

Blocks divided(const Queue& queue, const MatmulSize& size, const BlockRules& rules) {
  if (is_small_product(size)) return {size.m, size.n, size.depth};
  const auto units = static_cast<std::int64_t>(queue.state()->properties().compute_units);
  if (!is_vector_product(size.m, size.n)) return blocks_of(size, rules, units);
  return rules.divides_steps && !rules.is_depth_whole ? blocks_of_steps(size, units)
                                                      : blocks_of_lines(size, rules, units);
}

}  // namespace quern::algorithms
