// SPDX-License-Identifier: MIT
// Divides the product of a triangle into products of blocks that leave out zeros.
#include "algorithms/matmul_triangle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>

#include "algorithms/copy.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/matmul_library.hpp"
#include "algorithms/triangle_steps.hpp"
#include "base/arithmetic.hpp"
#include "codegen/expression.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

// Blocks start and end at multiples of these: of lines, so that tiles are full, of steps, for aligned loads.
constexpr std::int64_t kLineUnit = 128, kStepUnit = 64;

// Each of the p blocks leaves out steps, so (p + 1) / (2 p) of the work is left.
std::int64_t lines_of_block(std::int64_t lines) {
  constexpr std::int64_t kLeastLines = 1024, kFewest = 4, kMost = 8;
  const std::int64_t blocks = std::clamp(lines / kLeastLines, kFewest, kMost);
  return divided_up(divided_up(lines, blocks), kLineUnit) * kLineUnit;
}

// The steps that a block multiplies: those that one of its lines keeps, and up to the next unit, where the
// triangle has zeros. At least one step, so that a block without elements is written, too.
TriangleSteps::Range used_steps(const KeptPart& kept, std::int64_t line, std::int64_t lines,
                                std::int64_t depth) {
  const TriangleSteps steps(kept, line, lines, depth);
  if (kept.side == KeptPart::Side::from_diagonal)
    return {std::min(steps.none.end / kStepUnit * kStepUnit, depth - 1), depth};
  return {0, std::clamp<std::int64_t>(divided_up(steps.none.begin, kStepUnit) * kStepUnit, 1, depth)};
}

Defines spoil_defines(Scalar scalar, const Array& out) {
  const auto kind = [](const DType& dtype) {
    return dtype.scalar == Scalar::bfloat16                     ? "2"
           : codegen::kind_of(dtype) == codegen::Kinds::complex ? "1"
                                                                : "0";
  };
  const auto name = [](const DType& dtype) {
    return codegen::type_name(dtype.scalar == Scalar::bfloat16 ? codegen::storage_of(dtype) : dtype);
  };
  const DType type = DType::of(scalar);
  return {{"TYPE", name(type)},
          {"KIND", kind(type)},
          {"OUT", name(out.dtype())},
          {"OUT_KIND", kind(out.dtype())}};
}

// Finds the infinities and NaN of an operand that are opposite zeros, and writes NaN where they belong.
class Spoiler {
 public:
  // `none` are the steps that at least one block leaves out.
  Spoiler(const Queue& queue, const MatrixStack& other, std::int64_t lines, TriangleSteps::Range none,
          bool is_first_nearest, const Array& out)
      : queue_(queue),
        lines_(lines),
        sign_(is_first_nearest ? 1 : -1),
        out_(out),
        defines_(spoil_defines(other.scalar, out)),
        nearest_(empty(queue, {lines}, DType::of(Scalar::int32)).elements()) {
    constexpr std::int32_t kNothing = std::numeric_limits<std::int32_t>::max();
    queue_.fill(nearest_, std::as_bytes(std::span(&kNothing, 1)));
    if (none.size() <= 0) return;
    // Neighbouring work-items read neighbours in memory.
    const bool is_along_lines = std::abs(other.line_step) <= std::abs(other.depth_step);
    const std::int64_t inner = is_along_lines ? lines : none.size();
    const std::int64_t outer = is_along_lines ? none.size() : lines;
    constexpr std::int64_t kGroup = 128, kEach = 64;
    const LibraryKernel kernel = kernel_of({"matmul_triangle"}, "find_nearest", defines_);
    Range range{2,
                {static_cast<std::size_t>(divided_up(inner, kGroup) * kGroup),
                 static_cast<std::size_t>(divided_up(outer, kEach)), 1}};
    kernel(queue_, static_cast<std::uint64_t>(inner * outer), range.with_local(kGroup, 1, 1), other.buffer,
           other.start + none.begin * other.depth_step, other.line_step, other.depth_step,
           static_cast<std::uint64_t>(inner), static_cast<std::uint64_t>(outer),
           static_cast<std::int32_t>(is_along_lines), static_cast<std::int32_t>(none.begin), sign_, nearest_);
  }

  // Writes NaN to the results of `lines` lines of the triangle, for each line of the other operand that has
  // an infinity or NaN before `used`, or from its end on. Steps count elements of the result.
  void spoil(std::int64_t start, std::int64_t lines, std::int64_t line_step, std::int64_t other_step,
             TriangleSteps::Range used) const {
    const auto bound = static_cast<std::int32_t>(sign_ > 0 ? used.begin : 1 - used.end);
    const LibraryKernel kernel = kernel_of({"matmul_triangle"}, "spoil", defines_);
    constexpr std::int64_t kGroup = 128;
    kernel(queue_, static_cast<std::uint64_t>(lines_),
           range(static_cast<std::size_t>(divided_up(lines_, kGroup) * kGroup)).with_local(kGroup),
           out_.elements(), start, static_cast<std::uint64_t>(lines), line_step, other_step,
           static_cast<std::uint64_t>(lines_), bound, nearest_);
  }

 private:
  Queue queue_;
  std::int64_t lines_;
  std::int32_t sign_;
  Array out_;
  Defines defines_;
  Buffer nearest_;  // of each line: the least step, or the greatest with the other sign
};

// Writes the product of a block to columns of `out` from `column` on, by rows whose copy takes little memory.
void multiply_to_columns(const Queue& queue, MatrixStack a, const MatrixStack& b, const MatmulSize& size,
                         const Array& out, std::int64_t column) {
  constexpr std::int64_t kMostBytes = std::int64_t{32} << 20;
  const auto item = static_cast<std::int64_t>(out.dtype().itemsize);
  const std::int64_t pitch = out.shape().back();
  const std::int64_t rows = std::clamp<std::int64_t>(kMostBytes / (size.n * item), 1, size.m);
  const Array copy = empty(queue, {rows, size.n}, out.dtype());
  for (std::int64_t row = 0; row < size.m; row += rows) {
    MatmulSize part = size;
    part.m = std::min(rows, size.m - row);
    const Array block(copy.elements(), out.dtype(), {part.m, size.n}, {size.n * item, item}, 0);
    matmul(queue, a, b, part, block);
    a.start += part.m * a.line_step;
    copy_elements(queue, block,
                  Array(out.elements(), out.dtype(), {part.m, size.n}, {pitch * item, item},
                        static_cast<std::size_t>((row * pitch + column) * item)));
  }
}

}  // namespace

bool pays_to_skip_blocks(const MatmulSize& size, Scalar scalar, bool is_fast, bool uses_panels) {
  const DType dtype = DType::of(scalar);
  const auto kind = codegen::kind_of(dtype);
  if (kind != codegen::Kinds::floating && kind != codegen::Kinds::complex) return false;
  const std::int64_t least_side = uses_panels ? 4 * kLineUnit : 1024;
  const std::int64_t least_work = uses_panels ? 0 : std::int64_t{1} << (is_fast ? 36 : 33);
  return std::min({size.m, size.n, size.depth}) >= least_side && size.m * size.n >= least_work / size.depth &&
         std::max({size.m, size.n, size.depth}) < std::numeric_limits<std::int32_t>::max();
}

void multiply_triangle(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                       const Array& out) {
  const bool is_left = is_triangular(a);
  const KeptPart kept = is_left ? a.kept : b.kept;
  const bool is_upper = kept.side == KeptPart::Side::from_diagonal;
  const std::int64_t lines = is_left ? size.m : size.n, step = lines_of_block(lines);
  // The steps that the block with the fewest uses leaves out.
  const std::int64_t last = (lines - 1) / step * step;
  const TriangleSteps::Range fewest = is_upper ? used_steps(kept, last, lines - last, size.depth)
                                               : used_steps(kept, 0, std::min(step, lines), size.depth);
  const TriangleSteps::Range none =
      is_upper ? TriangleSteps::Range{0, fewest.begin} : TriangleSteps::Range{fewest.end, size.depth};
  const Spoiler spoiler(queue, is_left ? b : a, is_left ? size.n : size.m, none, is_upper, out);
  const auto item = static_cast<std::int64_t>(out.dtype().itemsize);
  for (std::int64_t line = 0; line < lines; line += step) {
    MatrixStack left = a, right = b;
    left.kept = right.kept = {};
    MatrixStack& triangle = is_left ? left : right;
    MatmulSize part = size;
    (is_left ? part.m : part.n) = std::min(step, lines - line);
    const std::int64_t count = is_left ? part.m : part.n;
    const TriangleSteps::Range used = used_steps(kept, line, count, size.depth);
    part.depth = used.size();
    triangle.start += line * triangle.line_step;
    for (MatrixStack* const operand : {&left, &right}) operand->start += used.begin * operand->depth_step;
    const std::int64_t start = is_left ? line * size.n : line;
    if (!multiply_block_by_library(queue, left, right, part, out, start, size.n)) {
      if (is_left)
        matmul(queue, left, right, part,
               Array(out.elements(), out.dtype(), {part.m, part.n}, {part.n * item, item},
                     static_cast<std::size_t>(start * item)));
      else
        multiply_to_columns(queue, left, right, part, out, line);
    }
    if (used.size() < size.depth)
      spoiler.spoil(start, count, is_left ? size.n : 1, is_left ? 1 : size.n, used);
  }
}

}  // namespace quern::algorithms
