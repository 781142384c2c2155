// SPDX-License-Identifier: MIT
// Matrix products on the host. A group computes one block of a result: it packs parts of both operands into
// panels of the type of the sums, small enough to stay in the caches, and multiplies them tile by tile.
#include "algorithms/host/matmul_loops.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/matmul_blas.hpp"
#include "algorithms/host/matmul_call.hpp"
#include "algorithms/host/matmul_division.hpp"
#include "algorithms/host/matmul_epilogue.hpp"
#include "algorithms/host/matmul_expression.hpp"
#include "algorithms/host/matmul_pairs.hpp"
#include "algorithms/host/matmul_small.hpp"
#include "algorithms/host/matmul_tile.hpp"
#include "algorithms/host/matmul_triangle.hpp"
#include "algorithms/host/matmul_vector.hpp"
#include "algorithms/matmul_here.hpp"
#include "base/dtype_kinds.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

// Bytes of packed rows, which stay in the second cache, of packed columns, which stay in the third.
constexpr std::size_t kLeftBytes = std::size_t{384} << 10, kRightBytes = std::size_t{1} << 20;
constexpr std::size_t kScratch = kLeftBytes + kRightBytes + kMostTileBytes;
static_assert(kExpressionScratch == kScratch + kSumBytes && kTriangleBytes <= kSumBytes);

// Packs lines into panels of `width` lines. Missing lines and steps are zero.
template <class Type>
void pack(const Part& part, std::int64_t width, Pair* to) {
  const auto item = [&](std::int64_t line, std::int64_t k) {
    return k < part.depth
               ? static_cast<std::int16_t>(load<Type>(part.at + line * part.line_step + k * part.depth_step))
               : std::int16_t{0};
  };
  const std::int64_t pairs = divided_up(part.depth, 2);
  for (std::int64_t first = 0; first < part.lines; first += width, to += pairs * width) {
    const std::int64_t count = std::min(width, part.lines - first);
    if (count < width) std::fill_n(to, pairs * width, Pair{});
    if (part.line_step == std::int64_t{sizeof(Type)}) {
      for (std::int64_t k = 0; k < pairs; ++k)
        for (std::int64_t i = 0; i < count; ++i)
          to[k * width + i] = {item(first + i, 2 * k), item(first + i, 2 * k + 1)};
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k < pairs; ++k)
          to[k * width + i] = {item(first + i, 2 * k), item(first + i, 2 * k + 1)};
    }
  }
}

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

// Requests the cache lines of a tile, which add_tile() needs when its product is done.
template <class Sum>
void fetch_tile(const Target<Sum>& to, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kLine = std::max<std::int64_t>(1, 64 / std::int64_t{sizeof(Sum)});
  for (std::int64_t i = 0; i < rows; ++i) {
    const Sum* const row = to.at + i * to.pitch;
    for (std::int64_t j = 0; j < columns; j += kLine) __builtin_prefetch(row + j, 1);
    __builtin_prefetch(row + columns - 1, 1);
  }
}

// The product of some rows and some columns, written to `to`, or added to what is there if `adds`.
template <class Type, class Item, class Sum>
void multiply_block(const Part& a, const Part& b, const Target<Sum>& to, std::byte* scratch,
                    bool adds = false) {
  using Tile = SumOf<Item>;
  const TileProduct<Item, Tile>& product = best_tile<Item, Tile>();
  auto* const left = reinterpret_cast<Item*>(scratch);
  auto* const right = reinterpret_cast<Item*>(scratch + kLeftBytes);
  auto* const tile = reinterpret_cast<Tile*>(scratch + kLeftBytes + kRightBytes);
  const auto lines_in = [&](std::size_t bytes, std::int64_t width) {
    const std::int64_t lines =
        static_cast<std::int64_t>(bytes / sizeof(Item)) / (product.depth / steps_in<Item>);
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
      const std::int64_t steps = divided_up(depth, steps_in<Item>);
      const Part some_columns = part_of(b, column, most_columns, k, depth);
      pack<Type>(some_columns, product.columns, right);
      for (std::int64_t row = 0; row < a.lines; row += most_rows) {
        const Part some_rows = part_of(a, row, most_rows, k, depth);
        pack<Type>(some_rows, product.rows, left);
        for (std::int64_t j = 0; j < some_columns.lines; j += product.columns) {
          const std::int64_t width = std::min(product.columns, some_columns.lines - j);
          for (std::int64_t i = 0; i < some_rows.lines; i += product.rows) {
            const Target<Sum> target = {to.at + (row + i) * to.pitch + column + j, to.pitch};
            const std::int64_t height = std::min(product.rows, some_rows.lines - i);
            fetch_tile(target, height, width);
            product.sum(left + i * steps, right + j * steps, steps, tile);
            add_tile(tile, product.columns, target, height, width, k == 0 && !adds);
          }
        }
      }
    }
  }
}

// The product of matrices that are much smaller than a tile.
template <class Type, class Item, class Result>
void multiply_small(const Part& a, const Part& b, const Target<Result>& to) {
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
      to.at[i * to.pitch + j] = converted<Result>(sums[static_cast<std::size_t>(j)]);
  }
}

template <class Type, class Result>
inline constexpr bool kHasPanels = std::is_floating_point_v<Type>&& std::is_same_v<Type, Result>;

template <class Type, class Item, class Result>
void multiply_by_vector(const Part& a, const Part& b, Result* to, bool is_cached = true) {
  const bool is_left = b.lines == 1;
  multiply_vector<Type, Item>(is_left ? a : b, is_left ? b : a, to, is_cached);
}

// The product of whole matrices that needs no scratch memory, see multiplies_here().
template <class Type, class Item, class Result>
void multiply_whole(const Part& a, const Part& b, const Target<Result>& to) {
  if constexpr (kHasPanels<Type, Result>) {
    if (a.lines == 1 || b.lines == 1) return multiply_by_vector<Type, Item>(a, b, to.at);
    return multiply_small_panel<Type>(a, b, to, false);
  } else {
    multiply_small<Type, Item>(a, b, to);
  }
}

// Products of matrices that are blocks by themselves.
template <class Type, class Item, class Result>
void multiply_small_matrices(const quern_launch* launch, std::int64_t first, std::int64_t last) {
  const auto& call = call_of<ProductCall>(launch);
  for (ProductBlock block(call, first); first < last; ++first, block.next_matrix(call)) {
    const Part a =
        lines_of(memory_of(launch, 0), sizeof(Type), call.a, block.place, 0, call.m, 0, call.depth);
    const Part b =
        lines_of(memory_of(launch, 1), sizeof(Type), call.b, block.place, 0, call.n, 0, call.depth);
    const Target<Result> to = {memory_of<Result>(launch, 2) + block.matrix * call.m * call.n, call.n};
    multiply_whole<Type, Item>(a, b, to);
    if constexpr (std::is_floating_point_v<Result>)
      if (!call.ending.is_empty) finish_block<Result>(launch, call, block, to, call.m, call.n);
  }
}

// The product by BLAS if the call has one, otherwise by our loops.
template <class Type, class Item, class Result>
void multiply_parts(const ProductCall& call, const Part& a, const Part& b, const Target<Result>& to,
                    std::byte* scratch, bool adds = false) {
  if constexpr (requires { typename BlasType<Type>::type; }) {
    if (call.blas != nullptr) return multiply_by_blas<Type>(*call.blas, a, b, to, adds);
  }
  if constexpr (kHasPanels<Type, Result>)
    if (is_small_panel(b.lines, b.depth)) return multiply_small_panel<Type>(a, b, to, adds);
  multiply_block<Type, PanelItem<Type, Item>>(a, b, to, scratch, adds);
}

// The same if one operand is kept in part.
template <class Type, class Item>
void multiply_triangle(const ProductCall& call, const ProductBlock& block, const Part& a, const Part& b,
                       const Target<Type>& to, std::byte* scratch) {
  const bool is_left = call.a.kept.side != KeptPart::Side::all;
  const KeptPart& kept = is_left ? call.a.kept : call.b.kept;
  const Part &triangular = is_left ? a : b, &other = is_left ? b : a;
  const std::int64_t line = is_left ? block.row : block.column;
  const TriangleSteps steps(kept, line, triangular.lines, call.depth);
  const auto steps_of = [](const Part& part, TriangleSteps::Range range) {
    return Part{part.at + range.begin * part.depth_step, part.line_step, part.depth_step, part.lines,
                range.size()};
  };
  const auto multiply = [&](const Part& own, TriangleSteps::Range range, bool adds) {
    const Part fitting = steps_of(other, range);
    multiply_parts<Type, Item>(call, is_left ? own : fitting, is_left ? fitting : own, to, scratch, adds);
  };
  if (steps.some.size() > 0)
    multiply(copy_triangle<Type>(triangular, kept, line, steps.some, scratch + kScratch), steps.some, false);
  if (steps.all.size() > 0) multiply(steps_of(triangular, steps.all), steps.all, steps.some.size() > 0);
  if (steps.all.size() + steps.some.size() == 0)
    for (std::int64_t i = 0; i < a.lines; ++i) std::fill_n(to.at + i * to.pitch, b.lines, Type{});
  constexpr auto kNan = std::numeric_limits<double>::quiet_NaN();
  find_spoilt_lines<Type>(other, steps.none, [&](std::int64_t spoilt) {
    for (std::int64_t i = 0; i < triangular.lines; ++i) {
      Type& element = is_left ? to.at[i * to.pitch + spoilt] : to.at[spoilt * to.pitch + i];
      if constexpr (is_complex_item<Type>)
        element.x = element.y = kNan;
      else
        element = static_cast<Type>(kNan);
    }
  });
}

template <class Type, class Item, class Result>
void multiply_blocks(const quern_launch* launch, std::int64_t first, std::int64_t last) {
  const auto& call = call_of<ProductCall>(launch);
  if (call.is_small) return multiply_small_matrices<Type, Item, Result>(launch, first, last);
  auto* const scratch = static_cast<std::byte*>(launch->local_memory);
  const std::int64_t matrices = call.stack[0] * call.stack[1] * call.stack[2];
  const bool is_vector = is_vector_product(call.m, call.n);
  const bool is_cached = call.m * call.n * call.depth * matrices < kLargeMatrix;
  std::optional<ExpressionBlocks> expression;
  if (call.expression_pointers >= 0) expression.emplace(launch, call, scratch + kExpressionScratch);
  for (std::int64_t number = first; number < last; ++number) {
    const ProductBlock block(call, number);
    const std::int64_t k = block.part * call.chunk, depth = std::min(call.chunk, call.depth - k);
    const std::int64_t rows = std::min(call.block_rows, call.m - block.row);
    const std::int64_t columns = std::min(call.block_columns, call.n - block.column);
    const Part a =
        lines_of(memory_of(launch, 0), sizeof(Type), call.a, block.place, block.row, rows, k, depth);
    const Part b =
        lines_of(memory_of(launch, 1), sizeof(Type), call.b, block.place, block.column, columns, k, depth);
    Target<Result> to = {memory_of<Result>(launch, 2) +
                             ((block.part * matrices + block.matrix) * call.m + block.row) * call.n +
                             block.column,
                         call.n};
    if (call.is_in_scratch) to = {reinterpret_cast<Result*>(scratch + kScratch), call.pitch};
    if constexpr (kIsShortFloat<Result>) {
      // Sums are rounded once, at the end. They may share their memory with the result.
      const Target<float> sums = {reinterpret_cast<float*>(scratch + kScratch), call.pitch};
      if (is_vector)
        multiply_by_vector<Type, Item>(a, b, sums.at, is_cached);
      else
        multiply_block<Type, Item>(a, b, sums, scratch);
      if (!call.ending.is_empty) finish_block<Type>(launch, call, block, sums, rows, columns);
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j)
          to.at[i * to.pitch + j] = converted<Result>(sums.at[i * sums.pitch + j]);
    } else {
      bool is_done = is_vector;
      if (is_vector) multiply_by_vector<Type, Item>(a, b, to.at, is_cached);
      if constexpr (requires { typename BlasType<Type>::type; }) {
        const bool is_triangular =
            call.a.kept.side != KeptPart::Side::all || call.b.kept.side != KeptPart::Side::all;
        is_done |= is_triangular;
        if (is_triangular) multiply_triangle<Type, Item>(call, block, a, b, to, scratch);
      }
      if (!is_done) multiply_parts<Type, Item>(call, a, b, to, scratch);
      if constexpr (std::is_floating_point_v<Result> && std::is_same_v<Type, Result>)
        if (!call.ending.is_empty) finish_block<Type>(launch, call, block, to, rows, columns);
    }
    if (expression)
      expression->run(block, rows, columns,
                      reinterpret_cast<std::byte*>(to.at - block.row * to.pitch - block.column));
    if (call.is_symmetric && block.row != block.column)
      mirror_block(to, to.at + (block.column - block.row) * call.n + block.row - block.column, rows, columns);
  }
}

}  // namespace

void multiply_matrices(const quern_launch* launch, unsigned long long first_group,
                       unsigned long long last_group) {
  const auto& call = call_of<ProductCall>(launch);
  const auto first = static_cast<std::int64_t>(first_group), last = static_cast<std::int64_t>(last_group);
  with_types(call.scalar, [&](auto type, auto item) {
    using Type = decltype(type);
    using Item = decltype(item);
    if constexpr (sizeof(Type) < sizeof(Item))
      if (call.is_wide) return multiply_blocks<Type, Item, Item>(launch, first, last);
    multiply_blocks<Type, Item, Type>(launch, first, last);
  });
}

namespace {

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
    constexpr std::uint64_t kTogether = 256;
    std::array<Item, kTogether> sums;
    for (std::uint64_t first = elements.begin; first < elements.end; first += kTogether) {
      const std::uint64_t count = std::min(kTogether, elements.end - first);
      for (std::uint64_t i = 0; i < count; ++i) sums[i] = converted<Item>(parts[first + i]);
      for (std::int64_t p = 1; p < call.parts; ++p) {
        const Type* const part = parts + p * call.size + static_cast<std::int64_t>(first);
        for (std::uint64_t i = 0; i < count; ++i) sums[i] = added(sums[i], converted<Item>(part[i]));
      }
      for (std::uint64_t i = 0; i < count; ++i) out[first + i] = converted<Type>(sums[i]);
    }
  });
}

// The names differ because each has a scratch memory of its own.
constexpr HandWrittenKernel kMultiply = {"matmul", &multiply_matrices, kScratch},
                            kMultiplyByBlas = {"matmul_blas", &multiply_matrices},
                            kMultiplySmall = {"matmul_small", &multiply_matrices},
                            kMultiplyHalf = {"matmul_half", &multiply_matrices, kScratch + kSumBytes},
                            kMultiplyTriangle = {"matmul_triangle", &multiply_matrices,
                                                 kScratch + kTriangleBytes},
                            kSumParts = {"sum_parts", &sum_parts};

ProductOperand operand_of(const MatrixStack& stack) {
  return {stack.start, stack.matrix_step, stack.line_step, stack.depth_step, stack.steps, stack.kept};
}

// Whether a symmetric product is large enough to gain from it. Blocks of float16 and bfloat16 have sums of
// their own, whose memory limits rows and columns separately.
bool is_half_enough(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size) {
  constexpr std::int64_t kLeast = 128;
  return !detail::is_short_float(a.scalar) && size.m >= kLeast && is_symmetric_product(a, b, size);
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

bool function_takes_triangle(const Queue& /*queue*/, const MatmulSize& size, Scalar scalar) {
  constexpr std::int64_t kLeast = 256;
  const bool has_type = scalar == Scalar::float32 || scalar == Scalar::float64 ||
                        scalar == Scalar::complex64 || scalar == Scalar::complex128;
  return has_type && std::min({size.m, size.n, size.depth}) >= kLeast;
}

bool multiplies_here(const MatmulSize& size, Scalar scalar) {
  constexpr std::int64_t kMost = std::int64_t{1} << 17;  // multiplications: a few microseconds
  if (size.m * size.n * size.depth * size.matrices() > kMost) return false;
  if (is_small_product(size)) return true;
  return (scalar == Scalar::float32 || scalar == Scalar::float64) &&
         (is_vector_product(size.m, size.n) || is_small_panel(size.n, size.depth));
}

void multiply_here(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                   const std::byte* a_elements, const std::byte* b_elements, std::byte* out) {
  const ProductOperand left = operand_of(a), right = operand_of(b);
  with_types(a.scalar, [&](auto type, auto item) {
    using Type = decltype(type);
    using Item = decltype(item);
    auto* to = reinterpret_cast<Type*>(out);
    for (std::int64_t x = 0; x < size.stack[0]; ++x)
      for (std::int64_t y = 0; y < size.stack[1]; ++y)
        for (std::int64_t z = 0; z < size.stack[2]; ++z, to += size.m * size.n) {
          const std::array<std::int64_t, 3> place = {x, y, z};
          multiply_whole<Type, Item>(
              lines_of(a_elements, sizeof(Type), left, place, 0, size.m, 0, size.depth),
              lines_of(b_elements, sizeof(Type), right, place, 0, size.n, 0, size.depth),
              Target<Type>{to, size.n});
        }
  });
}

bool function_takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& /*b*/,
                             const MatmulSize& size, const DType& dtype, const Epilogue& epilogue) {
  // The elements of small matrices are rounded before the epilogue would see them, and too few for loops.
  if (is_small_product(size) && (detail::is_short_float(dtype) || epilogue.expression)) return false;
  return divided(queue, size, rules_of(a.scalar, dtype, epilogue)).chunk >= size.depth;
}

void multiply_by_function(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                          const MatmulSize& size, const Array& out, const Epilogue& epilogue) {
  const Scalar scalar = a.scalar;
  const DType& dtype = epilogue.expression ? epilogue.expression->dtype : out.dtype();
  const bool is_small = is_small_product(size);
  const bool is_vector = is_vector_product(size.m, size.n);
  const libraries::Blas* const blas = is_small || is_vector ? nullptr : blas_for(a, b, size, scalar);
  BlockRules rules = rules_of(scalar, dtype, epilogue);
  const bool is_left = a.kept.side != KeptPart::Side::all, is_right = b.kept.side != KeptPart::Side::all;
  const bool is_triangular = is_left || is_right;
  if (is_left) rules.most_rows = triangle_lines(dtype.itemsize);
  if (is_right) rules.most_columns = triangle_lines(dtype.itemsize);
  rules.is_depth_whole |= is_triangular;
  rules.is_by_library = blas != nullptr;
  const MatrixStack& matrix = size.n == 1 ? a : b;
  rules.has_whole_lines = matrix.depth_step == 1;
  // An epilogue reads the whole sums.
  rules.divides_steps = !rules.has_whole_lines && matrix.line_step == 1 && epilogue.is_empty();
  rules.is_symmetric = !is_small && !is_triangular && epilogue.is_empty() && is_half_enough(a, b, size);
  const Blocks blocks = divided(queue, size, rules);
  const std::int64_t pitch = std::min(blocks.columns, size.n);
  PackedExpression packed;
  if (epilogue.expression) packed = pack_expression(*epilogue.expression, out, pitch);
  const ProductCall call = {scalar,
                            dtype.scalar != scalar,
                            size.m,
                            size.n,
                            size.depth,
                            size.stack,
                            operand_of(a),
                            operand_of(b),
                            blocks.rows,
                            blocks.columns,
                            blocks.chunk,
                            is_small,
                            blas,
                            rules.is_symmetric,
                            ending_of(epilogue),
                            epilogue.expression ? std::ssize(packed.memory) : -1,
                            packed.is_in_scratch,
                            pitch};
  const std::int64_t parts = divided_up(size.depth, blocks.chunk);
  const std::int64_t groups = ProductBlock::count(call) * size.matrices() * parts;
  // The thread pool measures the time per element: here, a multiplication.
  const auto work = static_cast<std::size_t>(blocks.rows * blocks.columns * blocks.chunk);
  const std::size_t elements = static_cast<std::size_t>(groups) * work;
  const Array target =
      parts == 1 ? out : empty(queue, {parts, static_cast<std::int64_t>(out.size())}, out.dtype());
  const Buffer to = target.elements();
  InlineVector<HandWrittenKernel::Memory, 8> memory = {
      HandWrittenKernel::reads(a.buffer), HandWrittenKernel::reads(b.buffer), HandWrittenKernel::writes(to)};
  if (epilogue.expression) {
    std::vector<std::byte> bytes(sizeof call + packed.words.size() * sizeof(std::int64_t));
    std::memcpy(bytes.data(), &call, sizeof call);
    std::memcpy(bytes.data() + sizeof call, packed.words.data(), bytes.size() - sizeof call);
    for (const auto& part : packed.memory) memory.push_back(part);
    HandWrittenKernel::launch_bytes(epilogue.expression->loops->kernels(), queue, elements, work, bytes,
                                    std::span(memory.data(), memory.size()));
    return;
  }
  for (const Addend& addend : epilogue.addends) memory.push_back(HandWrittenKernel::reads(addend.buffer));
  const HandWrittenKernel& kernel = is_triangular                   ? kMultiplyTriangle
                                    : is_small                      ? kMultiplySmall
                                    : blas != nullptr               ? kMultiplyByBlas
                                    : detail::is_short_float(dtype) ? kMultiplyHalf
                                                                    : kMultiply;
  kernel.launch(queue, elements, work, call,
                std::span<const HandWrittenKernel::Memory>(memory.data(), memory.size()));
  if (parts == 1) return;
  const Buffer sums = out.elements();
  constexpr std::size_t kGroup = 4096;
  kSumParts.launch(queue, out.size(), kGroup,
                   SumCall{dtype.scalar, parts, static_cast<std::int64_t>(out.size())},
                   {HandWrittenKernel::reads(to), HandWrittenKernel::writes(sums)});
}

}  // namespace quern::algorithms
