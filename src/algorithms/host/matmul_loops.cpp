// SPDX-License-Identifier: MIT
// Matrix products on the host. A group computes one block of a result: it packs parts of both operands into
// panels of the type of the sums, small enough to stay in the caches, and multiplies them tile by tile.
#include "algorithms/host/matmul_loops.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/matmul_blas.hpp"
#include "algorithms/host/matmul_call.hpp"
#include "algorithms/host/matmul_epilogue.hpp"
#include "algorithms/host/matmul_tile.hpp"
#include "base/dtype_kinds.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

// Bytes of packed rows, which stay in the second cache, of packed columns, which stay in the third, and of
// the sums of a block that are wider than the elements of the result.
constexpr std::size_t kLeftBytes = std::size_t{384} << 10, kRightBytes = std::size_t{1} << 20,
                      kSumBytes = std::size_t{512} << 10;
constexpr std::size_t kScratch = kLeftBytes + kRightBytes + kMostTileBytes;

// Packs lines into panels of `width` lines. Missing lines are zero.
template <class Type, class Item>
void pack(const Part& part, std::int64_t width, Item* to) {
  const auto item = [&](std::int64_t line, std::int64_t k) {
    return converted<Item>(load<Type>(part.at + line * part.line_step + k * part.depth_step));
  };
  for (std::int64_t first = 0; first < part.lines; first += width, to += part.depth * width) {
    const std::int64_t count = std::min(width, part.lines - first);
    if (count < width) std::fill_n(to, part.depth * width, Item{});
    if (part.line_step == std::int64_t{sizeof(Type)}) {
      for (std::int64_t k = 0; k < part.depth; ++k)
        for (std::int64_t i = 0; i < count; ++i) to[k * width + i] = item(first + i, k);
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k < part.depth; ++k) to[k * width + i] = item(first + i, k);
    }
  }
}

template <class Item, class Sum>
void add_tile(const Item* tile, std::int64_t width, const Target<Sum>& to, std::int64_t rows,
              std::int64_t columns, bool is_first) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const Item* const from = tile + i * width;
    Sum* const row = to.at + i * to.pitch;
    if (is_first) {
      for (std::int64_t j = 0; j < columns; ++j) row[j] = converted<Sum>(from[j]);
    } else {
      for (std::int64_t j = 0; j < columns; ++j)
        row[j] = converted<Sum>(added(converted<Item>(row[j]), from[j]));
    }
  }
}

// The product of some rows and some columns, written to `to`.
template <class Type, class Item, class Sum>
void multiply_block(const Part& a, const Part& b, const Target<Sum>& to, std::byte* scratch) {
  const TileProduct<Item>& product = best_tile<Item>();
  auto* const left = reinterpret_cast<Item*>(scratch);
  auto* const right = reinterpret_cast<Item*>(scratch + kLeftBytes);
  auto* const tile = reinterpret_cast<Item*>(scratch + kLeftBytes + kRightBytes);
  const auto lines_in = [&](std::size_t bytes, std::int64_t width) {
    const std::int64_t lines = static_cast<std::int64_t>(bytes / sizeof(Item)) / product.depth;
    return lines / width * width;
  };
  const std::int64_t most_rows = lines_in(kLeftBytes, product.rows);
  const std::int64_t most_columns = lines_in(kRightBytes, product.columns);
  const auto part_of = [](const Part& whole, std::int64_t line, std::int64_t lines, std::int64_t k,
                          std::int64_t depth) {
    return Part{whole.at + line * whole.line_step + k * whole.depth_step, whole.line_step, whole.depth_step,
                std::min(lines, whole.lines - line), depth};
  };
  for (std::int64_t column = 0; column < b.lines; column += most_columns) {
    for (std::int64_t k = 0; k < a.depth; k += product.depth) {
      const std::int64_t depth = std::min(product.depth, a.depth - k);
      const Part some_columns = part_of(b, column, most_columns, k, depth);
      pack<Type>(some_columns, product.columns, right);
      for (std::int64_t row = 0; row < a.lines; row += most_rows) {
        const Part some_rows = part_of(a, row, most_rows, k, depth);
        pack<Type>(some_rows, product.rows, left);
        for (std::int64_t j = 0; j < some_columns.lines; j += product.columns) {
          for (std::int64_t i = 0; i < some_rows.lines; i += product.rows) {
            product.sum(left + i * depth, right + j * depth, depth, tile);
            add_tile(tile, product.columns, Target<Sum>{to.at + (row + i) * to.pitch + column + j, to.pitch},
                     std::min(product.rows, some_rows.lines - i),
                     std::min(product.columns, some_columns.lines - j), k == 0);
          }
        }
      }
    }
  }
}

// The product of matrices that are much smaller than a tile.
constexpr std::int64_t kMostSmallColumns = 16, kMostSmallWork = 256;

template <class Type, class Item>
void multiply_small(const Part& a, const Part& b, const Target<Type>& to) {
  std::array<Item, kMostSmallColumns> sums;
  for (std::int64_t i = 0; i < a.lines; ++i) {
    std::fill_n(sums.begin(), b.lines, Item{});
    for (std::int64_t k = 0; k < a.depth; ++k) {
      const auto left = converted<Item>(load<Type>(a.at + i * a.line_step + k * a.depth_step));
      const std::byte* const right = b.at + k * b.depth_step;
      for (std::int64_t j = 0; j < b.lines; ++j) {
        Item& sum = sums[static_cast<std::size_t>(j)];
        sum = added(sum, multiplied(left, converted<Item>(load<Type>(right + j * b.line_step))));
      }
    }
    for (std::int64_t j = 0; j < b.lines; ++j)
      to.at[i * to.pitch + j] = converted<Type>(sums[static_cast<std::size_t>(j)]);
  }
}

template <class Type, class Item>
void multiply_blocks(const quern_launch* launch, std::int64_t first, std::int64_t last) {
  const auto& call = call_of<ProductCall>(launch);
  auto* const scratch = static_cast<std::byte*>(launch->local_memory);
  const std::int64_t matrices = call.stack[0] * call.stack[1] * call.stack[2];
  ProductBlock block(call, first);
  for (std::int64_t number = first; number < last; ++number) {
    const std::int64_t k = block.part * call.chunk, depth = std::min(call.chunk, call.depth - k);
    const std::int64_t rows = std::min(call.block_rows, call.m - block.row);
    const std::int64_t columns = std::min(call.block_columns, call.n - block.column);
    const Part a =
        lines_of(memory_of(launch, 0), sizeof(Type), call.a, block.place, block.row, rows, k, depth);
    const Part b =
        lines_of(memory_of(launch, 1), sizeof(Type), call.b, block.place, block.column, columns, k, depth);
    Type* const at = memory_of<Type>(launch, 2) +
                     ((block.part * matrices + block.matrix) * call.m + block.row) * call.n + block.column;
    constexpr bool takes_epilogue = std::is_floating_point_v<Type>;
    if (call.is_small) {
      multiply_small<Type, Item>(a, b, Target<Type>{at, call.n});
      if constexpr (takes_epilogue)
        if (!call.ending.is_empty)
          finish_block<Type>(launch, call, block, Target<Type>{at, call.n}, rows, columns);
      block.next_matrix(call);
      continue;
    }
    if constexpr (kIsShortFloat<Type>) {
      // Sums are rounded once, at the end.
      auto* const sums = reinterpret_cast<float*>(scratch + kScratch);
      multiply_block<Type, Item>(a, b, Target<float>{sums, columns}, scratch);
      if (!call.ending.is_empty)
        finish_block<Type>(launch, call, block, Target<float>{sums, columns}, rows, columns);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          at[i * call.n + j] = converted<Type>(sums[i * columns + j]);
    } else {
      const Target<Type> to = {at, call.n};
      if constexpr (requires { typename BlasType<Type>::type; }) {
        if (call.blas != nullptr) {
          multiply_by_blas<Type>(*call.blas, a, b, to);
        } else {
          multiply_block<Type, Item>(a, b, to, scratch);
        }
      } else {
        multiply_block<Type, Item>(a, b, to, scratch);
      }
      if constexpr (takes_epilogue)
        if (!call.ending.is_empty)
          finish_block<Type>(launch, call, block, Target<Type>{at, call.n}, rows, columns);
    }
    if (call.is_symmetric && block.row != block.column)
      mirror_block(Target<Type>{at, call.n},
                   at + (block.column - block.row) * call.n + block.row - block.column, rows, columns);
    if (number + 1 < last) block = ProductBlock(call, number + 1);
  }
}

void multiply(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  with_types(call_of<ProductCall>(launch).scalar, [&](auto type, auto item) {
    multiply_blocks<decltype(type), decltype(item)>(launch, static_cast<std::int64_t>(first_group),
                                                    static_cast<std::int64_t>(last_group));
  });
}

struct SumCall {
  Scalar scalar;
  std::int64_t parts, size;
};

// out[i] = parts[0][i] + parts[1][i] + ...
void sum_parts(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto& call = call_of<SumCall>(launch);
  const Elements elements(launch, first_group, last_group);
  with_types(call.scalar, [&](auto type, auto item) {
    using Type = decltype(type);
    using Item = decltype(item);
    const auto* const parts = memory_of<const Type>(launch, 0);
    auto* const out = memory_of<Type>(launch, 1);
    for (std::uint64_t i = elements.begin; i < elements.end; ++i) {
      auto sum = converted<Item>(parts[i]);
      for (std::int64_t p = 1; p < call.parts; ++p)
        sum = added(sum, converted<Item>(parts[static_cast<std::uint64_t>(p * call.size) + i]));
      out[i] = converted<Type>(sum);
    }
  });
}

// The names differ because each has a scratch memory of its own.
constexpr HandWrittenKernel kMultiply = {"matmul", &multiply, kScratch},
                            kMultiplyByBlas = {"matmul_blas", &multiply},
                            kMultiplySmall = {"matmul_small", &multiply},
                            kMultiplyHalf = {"matmul_half", &multiply, kScratch + kSumBytes},
                            kSumParts = {"sum_parts", &sum_parts};

struct Blocks {
  std::int64_t rows, columns, chunk;
};

// Divides a product into blocks for all threads. Blocks are as large as possible, because each packs its rows
// and columns itself.
Blocks blocks_of(const MatmulSize& size, Scalar scalar, std::int64_t units, bool is_symmetric) {
  std::int64_t tile_rows = 1, tile_columns = 1, depth = 1;
  with_types(scalar, [&](auto, auto item) {
    const auto& product = best_tile<decltype(item)>();
    tile_rows = product.rows;
    tile_columns = product.columns;
    depth = product.depth;
  });
  if (is_symmetric) tile_rows = tile_columns = std::lcm(tile_rows, tile_columns);
  const auto whole_tiles = [](std::int64_t count, std::int64_t tile) {
    return divided_up(count, tile) * tile;
  };
  Blocks blocks = {whole_tiles(size.m, tile_rows), whole_tiles(size.n, tile_columns), size.depth};
  if (detail::is_short_float(scalar)) {  // the sums of a block fit their memory
    blocks.rows = std::min(blocks.rows, 16 * tile_rows);
    blocks.columns = std::min(blocks.columns, static_cast<std::int64_t>(kSumBytes / sizeof(float)) /
                                                  blocks.rows / tile_columns * tile_columns);
  }
  // The fewest multiplications for which another thread is woken: about ten microseconds of work.
  constexpr std::int64_t kLeast = std::int64_t{1} << 19;
  const auto count = [&] {
    return divided_up(size.m, blocks.rows) * divided_up(size.n, blocks.columns) * size.matrices();
  };
  const std::int64_t wanted = units == 1 ? 1 : 4 * units;
  while (count() < wanted && blocks.rows * blocks.columns * size.depth >= 2 * kLeast) {
    // Halves the longer side.
    const bool can_rows = blocks.rows > tile_rows, can_columns = blocks.columns > tile_columns;
    if (is_symmetric && can_rows) {
      blocks.rows = blocks.columns = whole_tiles(divided_up(blocks.rows, 2), tile_rows);
      continue;
    }
    if (!can_rows && !can_columns) break;
    if (can_rows && (blocks.rows >= blocks.columns || !can_columns)) {
      blocks.rows = whole_tiles(divided_up(blocks.rows, 2), tile_rows);
    } else {
      blocks.columns = whole_tiles(divided_up(blocks.columns, 2), tile_columns);
    }
  }
  // The sums of float16 and bfloat16 are rounded once, so their axis is not divided.
  if (count() < units && !detail::is_short_float(scalar)) {
    const std::int64_t parts = std::clamp<std::int64_t>(size.depth * blocks.rows * blocks.columns / kLeast, 1,
                                                        divided_up(2 * units, count()));
    blocks.chunk = whole_tiles(divided_up(size.depth, parts), depth);
  }
  return blocks;
}

ProductOperand operand_of(const MatrixStack& stack) {
  return {stack.start, stack.matrix_step, stack.line_step, stack.depth_step, stack.steps};
}

// Whether a matrix of the stack is too small for panels.
bool is_small_product(const MatmulSize& size) {
  return size.n <= kMostSmallColumns && size.m * size.n * size.depth <= kMostSmallWork;
}

Blocks divided(const Queue& queue, const MatmulSize& size, Scalar scalar, bool is_symmetric = false) {
  if (is_small_product(size)) return {size.m, size.n, size.depth};
  const std::int64_t units = queue.state()->properties().compute_units;
  return blocks_of(size, scalar, units, is_symmetric);
}

// Whether the product is x @ x.T or x.T @ x, whose result is symmetric, and large enough to gain from it.
// Blocks of float16 and bfloat16 have sums of their own, whose memory limits rows and columns separately.
bool is_symmetric_product(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size, Scalar scalar) {
  constexpr std::int64_t kLeast = 128;
  return !detail::is_short_float(scalar) && size.m == size.n && size.m >= kLeast &&
         a.buffer.allocation() == b.buffer.allocation() && a.buffer.offset() == b.buffer.offset() &&
         a.start == b.start && a.line_step == b.line_step && a.depth_step == b.depth_step &&
         a.matrix_step == b.matrix_step && a.steps == b.steps;
}

// The library that multiplies the blocks, or null: it must compute on the calling thread. It is searched for
// products that take longer than the search; smaller ones run as fast without it.
const libraries::Blas* blas_for(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                                Scalar scalar) {
  constexpr std::int64_t kLeast = std::int64_t{1} << 21;
  const bool has_type = scalar == Scalar::float32 || scalar == Scalar::float64 ||
                        scalar == Scalar::complex64 || scalar == Scalar::complex128;
  if (!has_type || size.m * size.n * size.depth < kLeast) return nullptr;
  if (!blas_operand(a.line_step, a.depth_step, size.m, size.depth) ||
      !blas_operand(b.line_step, b.depth_step, size.n, size.depth))
    return nullptr;
  const libraries::Blas& blas = libraries::blas();
  const bool fits = blas.found() && blas.is_private() &&
                    blas.fits(std::max({a.line_step, a.depth_step, size.n})) &&
                    blas.fits(std::max({b.line_step, b.depth_step, size.m, size.depth}));
  return fits ? &blas : nullptr;
}

Ending ending_of(const Epilogue& epilogue) {
  Ending ending = {epilogue.factor,  epilogue.constant,  std::ssize(epilogue.addends), {},
                   epilogue.is_relu, epilogue.is_empty()};
  for (std::size_t k = 0; k < epilogue.addends.size(); ++k) {
    const Addend& addend = epilogue.addends[k];
    ending.term[k] = {addend.start, addend.row_step, addend.column_step, addend.steps, addend.factor};
  }
  return ending;
}

}  // namespace

bool function_takes_epilogue(const Queue& queue, const MatmulSize& size, Scalar scalar) {
  // The elements of small matrices of short types are rounded before the epilogue would see them.
  if (is_small_product(size) && detail::is_short_float(scalar)) return false;
  return divided(queue, size, scalar).chunk >= size.depth;
}

void multiply_by_function(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                          const MatmulSize& size, const Array& out, const Epilogue& epilogue) {
  const Scalar scalar = out.dtype().scalar;
  const bool is_small = is_small_product(size);
  const libraries::Blas* const blas = is_small ? nullptr : blas_for(a, b, size, scalar);
  const bool is_symmetric = !is_small && epilogue.is_empty() && is_symmetric_product(a, b, size, scalar);
  const Blocks blocks = divided(queue, size, scalar, is_symmetric);
  const ProductCall call = {scalar,        size.m,        size.n,       size.depth,         size.stack,
                            operand_of(a), operand_of(b), blocks.rows,  blocks.columns,     blocks.chunk,
                            is_small,      blas,          is_symmetric, ending_of(epilogue)};
  const std::int64_t parts = divided_up(size.depth, blocks.chunk);
  const std::int64_t groups = ProductBlock::count(call) * size.matrices() * parts;
  // The thread pool measures the time per element: here, a multiplication.
  const auto work = static_cast<std::size_t>(blocks.rows * blocks.columns * blocks.chunk);
  const Array target =
      parts == 1 ? out : empty(queue, {parts, static_cast<std::int64_t>(out.size())}, out.dtype());
  const Buffer to = target.elements();
  const HandWrittenKernel& kernel = is_small                         ? kMultiplySmall
                                    : blas != nullptr                ? kMultiplyByBlas
                                    : detail::is_short_float(scalar) ? kMultiplyHalf
                                                                     : kMultiply;
  InlineVector<HandWrittenKernel::Memory, 5> memory = {
      HandWrittenKernel::reads(a.buffer), HandWrittenKernel::reads(b.buffer), HandWrittenKernel::writes(to)};
  for (const Addend& addend : epilogue.addends) memory.push_back(HandWrittenKernel::reads(addend.buffer));
  kernel.launch(queue, static_cast<std::size_t>(groups) * work, work, call,
                std::span<const HandWrittenKernel::Memory>(memory.begin(), memory.size()));
  if (parts == 1) return;
  const Buffer sums = out.elements();
  constexpr std::size_t kGroup = 4096;
  kSumParts.launch(queue, out.size(), kGroup, SumCall{scalar, parts, static_cast<std::int64_t>(out.size())},
                   {HandWrittenKernel::reads(to), HandWrittenKernel::writes(sums)});
}

}  // namespace quern::algorithms
