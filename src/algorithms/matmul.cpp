// SPDX-License-Identifier: MIT
// Matrix products for stacks of matrices. The host calls a function, other devices a library. Otherwise GPUs
// compute tiles in local memory, other CPUs use packed panels, and small matrices have a kernel of their own.
#include "algorithms/matmul.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/host/matmul_loops.hpp"
#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/operation.hpp"
#include "algorithms/matmul_finish.hpp"
#include "algorithms/matmul_library.hpp"
#include "algorithms/matmul_triangle.hpp"
#include "base/arithmetic.hpp"
#include "codegen/bfloat16.hpp"
#include "codegen/expression.hpp"
#include "codegen/loop.hpp"
#include "codegen/ops.hpp"
#include "codegen/type_text.hpp"
#include "quern/elementwise.hpp"
#include "runtime/allocation.hpp"
#include "runtime/argument_types.hpp"
#include "runtime/queue_state.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

using codegen::Kinds;
using codegen::type_name;

// Whether kernels read and write elements as their bits: bfloat16, and float16 on devices that have no half
// precision.
bool is_bits(const Queue& queue, const DType& dtype) {
  return dtype.scalar == Scalar::bfloat16 ||
         (dtype.scalar == Scalar::float16 && !queue.state()->properties().has_fp16);
}
// The name of a type of elements in memory.
std::string memory_name(const Queue& queue, const DType& dtype) {
  return type_name(is_bits(queue, dtype) ? codegen::storage_of(dtype) : dtype);
}
// The array with elements of that type.
Array in_memory(const Queue& queue, const Array& array) {
  if (!is_bits(queue, array.dtype())) return array;
  return {array.buffer(), codegen::storage_of(array.dtype()), array.shape(), array.strides(), array.offset()};
}

// Returns the type of sums: small types use wider ones, and integers use unsigned ones, whose overflow is
// defined.
DType item_type(const DType& dtype) {
  switch (codegen::kind_of(dtype)) {
    case Kinds::boolean:
      return DType::of(Scalar::uint8);
    case Kinds::integer:
      return DType::of(dtype.itemsize == 8 ? Scalar::uint64 : Scalar::uint32);
    case Kinds::floating:
      return dtype.itemsize == 2 ? DType::of(Scalar::float32) : dtype;
    default:
      return dtype;
  }
}

// The definitions that the kernels use: how elements are converted, and how they are multiplied.
std::string definitions_of(const Queue& queue, const DType& dtype, const std::string& item,
                           const DType& out) {
  const Kinds kind = codegen::kind_of(dtype);
  std::string load = "(ITEM)", store = "(OUT)", head;
  if (is_bits(queue, dtype)) {
    const codegen::ShortFloatFunctions functions(dtype);
    head = functions.definitions;
    load = functions.load;
    if (out == dtype) store = functions.store;
  }
  head += "#define LOAD(x) " + load + "(x)\n#define STORE(x) " + store + "(x)\n" + "inline " + item +
          " multiply_add(" + item + " c, " + item + " a, " + item + " b) {\n";
  if (kind == Kinds::boolean) return head + "  return c | (a & b);\n}\n";
  // Allows fused multiply-add.
  const std::string contract = "#pragma OPENCL FP_CONTRACT ON\n";
  if (kind == Kinds::complex)
    return contract + head +
           "  c.x += a.x * b.x;\n  c.y += a.x * b.y;\n  c.x -= a.y * b.y;\n  c.y += a.y * b.x;\n  return "
           "c;\n}\n";
  return contract + head + "  return c + a * b;\n}\n";
}

// Returns the number of parts into which the summed axis is divided. A small result needs several parts to
// give all compute units work.
std::int64_t splits_for(std::int64_t pieces, std::int64_t wanted, std::int64_t depth, std::int64_t least) {
  if (pieces * 2 > wanted) return 1;
  return std::clamp<std::int64_t>(depth / least, 1, divided_up(wanted, pieces));
}

// out = parts[0] + parts[1] + ..., converted to the dtype of out.
void sum_parts(const Queue& queue, const Array& parts, const Array& out) {
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::unordered_map<std::string, std::unique_ptr<ElementwiseKernel>>;
  const bool is_boolean = out.dtype().scalar == Scalar::boolean;
  const std::string item = type_name(parts.dtype()), type = memory_name(queue, out.dtype());
  const ElementwiseKernel* kernel = nullptr;
  {
    const std::lock_guard lock(*mutex);
    std::unique_ptr<ElementwiseKernel>& made =
        (*known)[item + "/" + out.dtype().name() + "/" + type + (is_boolean ? "|" : "+")];
    if (!made) {
      const bool has_bits = is_bits(queue, out.dtype());
      const codegen::ShortFloatFunctions functions(
          DType::of(has_bits ? out.dtype().scalar : Scalar::float16));
      made = std::make_unique<ElementwiseKernel>(
          "const " + item + " *parts, long count, long size, " + type + " *out",
          item + " sum = parts[(long)i]; for (long p = 1; p < count; ++p) sum = sum " +
              (is_boolean ? "|" : "+") + " parts[(long)i + p * size]; out[i] = " +
              (has_bits ? functions.store : "(" + type + ")") + "(sum)",
          GeneratorOptions{"sum_parts", has_bits ? functions.definitions : "", {}});
    }
    kernel = made.get();
  }
  (*kernel)(queue, parts, parts.shape()[0], static_cast<std::int64_t>(out.size()), in_memory(queue, out));
}

struct Tile {
  int rows, columns, strip, own_rows, own_columns;
};

// The tiles of a group of 256 work-items by the item size of the sums, the largest first. A work-item of a
// large tile loads less for each multiplication, but few large tiles leave compute units without work.
std::vector<Tile> tiles_for(std::size_t item_size) {
  if (item_size == 4) return {{128, 256, 8, 8, 16}, {128, 128, 8, 8, 8}, {64, 64, 8, 4, 4}};
  if (item_size < 4) return {{128, 128, 8, 8, 8}, {64, 64, 8, 4, 4}};
  if (item_size == 8) return {{128, 64, 8, 8, 4}, {64, 64, 8, 4, 4}};
  return {{64, 64, 4, 4, 4}};
}

// The number of neighbours along its contiguous axis that a work-item loads at once from an operand: four, if
// they are aligned, and no matrix ends between them.
int load_width(const MatrixStack& stack, const MatmulSize& size, const Tile& tile, bool is_left,
               bool has_vectors) {
  const int lines = is_left ? tile.rows : tile.columns;
  const int threads = tile.rows / tile.own_rows * (tile.columns / tile.own_columns);
  const bool is_along_depth = std::abs(stack.depth_step) <= std::abs(stack.line_step);
  const std::int64_t along = is_along_depth ? stack.depth_step : stack.line_step;
  const std::int64_t across = is_along_depth ? stack.line_step : stack.depth_step;
  const std::int64_t length = is_along_depth ? size.depth : is_left ? size.m : size.n;
  const std::size_t item = DType::of(stack.scalar).itemsize;
  const auto is_whole = [](std::int64_t count) { return count % 4 == 0; };
  // Memory of other libraries has any alignment.
  const bool is_aligned =
      detail::is_aligned(stack.buffer, static_cast<std::size_t>(stack.start) * item, 4 * item);
  return has_vectors && lines * tile.strip % (4 * threads) == 0 && along == 1 && is_whole(across) &&
                 is_whole(length) && is_whole(stack.matrix_step) && is_aligned
             ? 4
             : 1;
}

// Whether offsets within a tile and a strip fit 31 bits.
bool is_narrow(const MatrixStack& stack, const Tile& tile) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const std::int64_t lines = std::max(tile.rows, tile.columns);
  return std::abs(stack.line_step) * lines < kMost && std::abs(stack.depth_step) * tile.strip < kMost;
}

// How a product is divided into tiles, and its summed axis into chunks.
struct Tiling {
  Tile tile;
  std::int64_t tiles, chunk;
};

// Products of one order of magnitude, which have about as many tiles.
std::string tiling_class(const MatmulSize& size, const DType& item) {
  const auto elements =
      static_cast<std::uint64_t>(std::max<std::int64_t>(size.m * size.n * size.matrices(), 1));
  return std::to_string(item.itemsize) + " 2^" + std::to_string(std::bit_width(elements) / 2 * 2);
}

Tiling tiling_of(const Queue& queue, const MatmulSize& size, const DType& item) {
  const std::int64_t units = queue.state()->properties().compute_units;
  const auto tiles_of = [&](const Tile& tile) {
    return divided_up(size.m, tile.rows) * divided_up(size.n, tile.columns) * size.matrices();
  };
  const std::vector<Tile> tiles = tiles_for(item.itemsize);
  Tile tile = tiles.back();
  for (std::size_t k = tiles.size() - 1; k-- > 0;)
    if (tiles_of(tiles[k]) >= (tiles[k].columns > 128 ? 2 : 1) * units) tile = tiles[k];
  const auto tuned = [&](const char* parameter, std::int64_t otherwise) {
    return tuning::value_of(
        queue.state()->properties(), "matmul_tiles", [&] { return tiling_class(size, item); }, parameter,
        otherwise);
  };
  // The tiles are numbered from 1.
  if (const std::int64_t number = tuned("tile", 0); number > 0 && number <= std::ssize(tiles))
    tile = tiles[static_cast<std::size_t>(number - 1)];
  const std::int64_t splits = splits_for(tiles_of(tile), 2 * units, size.depth, tuned("least_depth", 256));
  const std::int64_t chunk = divided_up(divided_up(size.depth, splits), tile.strip) * tile.strip;
  return {tile, tiles_of(tile), chunk};
}

// The first arguments of matmul_tiles.cl and matmul_small.cl.
std::vector<KernelArgument> operand_arguments(const MatrixStack& a, const MatrixStack& b, const Buffer& to) {
  std::vector<KernelArgument> arguments = {a.buffer, b.buffer, to};
  for (const MatrixStack* const one : {&a, &b}) {
    arguments.emplace_back(one->start);
    for (const std::int64_t step : one->steps) arguments.emplace_back(step * one->matrix_step);
    arguments.emplace_back(one->line_step);
    arguments.emplace_back(one->depth_step);
  }
  return arguments;
}

// Whether a tile would be mostly empty.
bool is_small(const MatmulSize& size, std::int64_t most = 32) {
  return size.m <= most && size.n <= most && size.depth <= most;
}

void multiply_small(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                    const Array& out, const DType& item, const ProductExpression* expression) {
  const DType type = DType::of(a.scalar);
  const Defines defines = {{"TYPE", memory_name(queue, type)},
                           {"ITEM", type_name(item)},
                           {"OUT", memory_name(queue, out.dtype())}};
  const LibraryKernel kernel =
      kernel_of({"matmul_small"}, "matmul", defines,
                finish_definitions(expression) + definitions_of(queue, type, type_name(item), out.dtype()));
  const Buffer to = out.elements();
  std::vector<KernelArgument> arguments = operand_arguments(a, b, to);
  for (const std::int64_t length : {size.stack[1], size.stack[2], size.matrices()})
    arguments.emplace_back(static_cast<std::uint64_t>(length));
  for (const std::int64_t length : {size.m, size.n, size.depth})
    arguments.emplace_back(static_cast<std::uint32_t>(length));
  add_finish_arguments(expression, arguments);
  constexpr std::size_t kGroup = 128;
  const std::size_t groups = (out.size() + kGroup - 1) / kGroup;
  kernel.launch(queue, out.size(), range(groups * kGroup).with_local(kGroup), arguments);
}

void multiply_tiles(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                    const Array& out, const DType& item, const ProductExpression* expression) {
  const auto [tile, tiles, chunk] = tiling_of(queue, size, item);
  const std::int64_t parts = divided_up(size.depth, chunk);

  const DType type = DType::of(a.scalar);
  const Kinds kind = codegen::kind_of(type);
  const std::string name = type_name(item);
  const bool has_vectors = kind != Kinds::complex && item.itemsize >= 4;
  const auto along_k = [](const MatrixStack& stack) {
    return std::abs(stack.depth_step) <= std::abs(stack.line_step) ? "1" : "0";
  };
  const Array result = parts == 1 ? out : empty(queue, {parts, size.matrices(), size.m, size.n}, item);
  const Defines defines = {
      {"TYPE", memory_name(queue, type)},
      {"ITEM", name},
      {"OUT", memory_name(queue, result.dtype())},
      {"QUAD", has_vectors ? name + "4" : name},
      {"VECTOR", has_vectors ? "1" : "0"},
      {"BM", std::to_string(tile.rows)},
      {"BN", std::to_string(tile.columns)},
      {"BK", std::to_string(tile.strip)},
      {"TM", std::to_string(tile.own_rows)},
      {"TN", std::to_string(tile.own_columns)},
      {"A_ALONG_K", along_k(a)},
      {"B_ALONG_K", along_k(b)},
      {"A_WIDTH", std::to_string(load_width(a, size, tile, true, has_vectors && type == item))},
      {"B_WIDTH", std::to_string(load_width(b, size, tile, false, has_vectors && type == item))},
      {"INDEX", is_narrow(a, tile) && is_narrow(b, tile) ? "int" : "long"}};
  const LibraryKernel kernel =
      kernel_of({"matmul_tiles"}, "matmul", defines,
                finish_definitions(expression) + definitions_of(queue, type, name, result.dtype()));
  const Buffer to = result.elements();
  std::vector<KernelArgument> arguments = operand_arguments(a, b, to);
  for (const std::int64_t length :
       {size.stack[1], size.stack[2], size.matrices(), size.m, size.n, size.depth, chunk})
    arguments.emplace_back(static_cast<std::uint64_t>(length));
  add_finish_arguments(expression, arguments);
  constexpr std::size_t kGroup = 256;
  kernel.launch(queue, out.size(), range(static_cast<std::size_t>(tiles * parts) * kGroup).with_local(kGroup),
                arguments);
  if (parts > 1) sum_parts(queue, result, out);
}

// Copies both operands into panels and multiplies those.
class PanelProduct {
 public:
  PanelProduct(const Queue& queue, const MatmulSize& size, const DType& type, const DType& item,
               const DType& out)
      : queue_(queue),
        size_(size),
        item_(item),
        converts_(item.itemsize != out.itemsize),
        columns_(std::max<std::int64_t>(64 / static_cast<std::int64_t>(item.itemsize), 4)),
        block_rows_(tuned("block_rows", 96)),
        block_columns_(tuned("block_columns", 256)),
        block_depth_(tuned("block_depth", 256)),
        defines_({{"TYPE", memory_name(queue, type)},
                  {"ITEM", type_name(item)},
                  {"ROWS", std::to_string(kRows)},
                  {"COLUMNS", std::to_string(columns_)},
                  {"BLOCK_ROWS", std::to_string(block_rows_)},
                  {"BLOCK_COLUMNS", std::to_string(block_columns_)},
                  {"BLOCK_DEPTH", std::to_string(block_depth_)}}),
        definitions_(definitions_of(queue, type, type_name(item), item)) {
    if (codegen::kind_of(type) == Kinds::boolean) defines_.emplace_back("BOOLEAN", "1");
  }

  // The bytes of the panels for so many rows, steps and columns of each matrix, and of sums that are
  // converted or belong to some of the columns.
  [[nodiscard]] std::int64_t bytes(std::int64_t a_count, std::int64_t b_count, std::int64_t rows,
                                   std::int64_t steps, std::int64_t columns) const {
    const std::int64_t lines =
        divided_up(rows, kRows) * kRows * a_count + divided_up(columns, columns_) * columns_ * b_count;
    const std::int64_t sums = converts_ || columns < size_.n ? rows * columns * size_.matrices() : 0;
    return (lines * steps + sums) * static_cast<std::int64_t>(item_.itemsize);
  }

  // Multiplies all rows, steps and columns at once, or blocks of them whose panels take little memory.
  void run(const MatrixStack& a, const MatrixStack& b, const Array& out) const {
    std::int64_t rows = size_.m, steps = size_.depth, columns = size_.n;
    if (size_.matrices() == 1) {
      while (steps > block_depth_ && bytes(0, 1, 0, steps, columns) > kMostBytes / 2)
        steps = divided_up(steps, 2);
      while (columns > block_columns_ &&
             bytes(0, 1, std::min(rows, block_rows_), steps, columns) > kMostBytes / 2)
        columns = divided_up(divided_up(columns, 2), block_columns_) * block_columns_;
      while (rows > block_rows_ && bytes(1, 1, rows, steps, columns) > kMostBytes)
        rows = divided_up(divided_up(rows, 2), block_rows_) * block_rows_;
      while (steps > kRows && bytes(1, 1, rows, steps, columns) > kMostBytes) steps = divided_up(steps, 2);
    }
    const std::int64_t blocks =
        divided_up(rows, block_rows_) * divided_up(columns, block_columns_) * size_.matrices();
    const auto units = static_cast<std::int64_t>(queue_.device().properties().compute_units);
    const std::int64_t chunk = divided_up(steps, splits_for(blocks, 2 * units, steps, 4096));
    const std::int64_t parts = divided_up(steps, chunk);
    const bool is_direct = parts == 1 && !converts_ && columns == size_.n;
    const auto itemsize = static_cast<std::int64_t>(out.dtype().itemsize);
    for (std::int64_t row = 0; row < size_.m; row += rows) {
      for (std::int64_t column = 0; column < size_.n; column += columns) {
        MatmulSize part = size_;
        part.m = std::min(rows, size_.m - row);
        part.n = std::min(columns, size_.n - column);
        const Array block(out.elements(), out.dtype(), {size_.matrices(), part.m, part.n},
                          {size_.m * size_.n * itemsize, size_.n * itemsize, itemsize},
                          static_cast<std::size_t>((row * size_.n + column) * itemsize));
        const Array sums =
            is_direct ? block : empty(queue_, {parts, size_.matrices(), part.m, part.n}, item_);
        for (std::int64_t step = 0; step < size_.depth; step += steps) {
          part.depth = std::min(steps, size_.depth - step);
          MatrixStack left = a, right = b;
          left.start += row * a.line_step + step * a.depth_step;
          right.start += column * b.line_step + step * b.depth_step;
          multiply(left, right, part, sums.elements(), chunk, parts, step != 0);
        }
        if (!is_direct) sum_parts(queue_, sums, block);
      }
    }
  }

  static constexpr std::int64_t kMostBytes = std::int64_t{40} << 20;

 private:
  static constexpr std::int64_t kRows = 4;

  [[nodiscard]] std::int64_t tuned(const char* parameter, std::int64_t otherwise) const {
    return tuning::value_of(
        queue_.device().properties(), "matmul_panels", [&] { return std::to_string(item_.itemsize); },
        parameter, otherwise);
  }

  [[nodiscard]] LibraryKernel kernel(const char* what) const {
    return kernel_of({"matmul_panels"}, what, defines_, definitions_);
  }

  [[nodiscard]] Array packed(const MatrixStack& stack, std::int64_t lines, std::int64_t depth,
                             std::int64_t width) const {
    const std::int64_t panels = divided_up(lines, width) * stack.count;
    Array to = empty(queue_, {panels, depth, width}, item_);
    const std::vector<KernelArgument> arguments = {stack.buffer,
                                                   to,
                                                   stack.start,
                                                   static_cast<std::uint64_t>(lines),
                                                   static_cast<std::uint64_t>(depth),
                                                   stack.matrix_step,
                                                   stack.line_step,
                                                   stack.depth_step,
                                                   static_cast<std::int32_t>(width)};
    kernel("pack").launch(queue_, to.size(), range(static_cast<std::size_t>(panels)).with_local(1),
                          arguments);
    return to;
  }

  void multiply(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size, const Buffer& to,
                std::int64_t chunk, std::int64_t parts, bool adds) const {
    const Array left = packed(a, size.m, size.depth, kRows), right = packed(b, size.n, size.depth, columns_);
    std::vector<KernelArgument> arguments = {left, right, to};
    for (const MatrixStack* const one : {&a, &b})
      for (const std::int64_t step : one->steps) arguments.emplace_back(static_cast<std::uint64_t>(step));
    for (const std::int64_t length :
         {size.stack[1], size.stack[2], size.matrices(), size.m, size.n, size.depth, chunk})
      arguments.emplace_back(static_cast<std::uint64_t>(length));
    arguments.emplace_back(static_cast<std::int32_t>(adds));
    const std::int64_t blocks =
        divided_up(size.m, block_rows_) * divided_up(size.n, block_columns_) * size.matrices();
    kernel("matmul").launch(queue_, static_cast<std::uint64_t>(size.m * size.n * size.matrices()),
                            range(static_cast<std::size_t>(blocks * parts)).with_local(1), arguments);
  }

  Queue queue_;
  MatmulSize size_;
  DType item_;
  bool converts_;
  std::int64_t columns_, block_rows_, block_columns_, block_depth_;
  Defines defines_;
  std::string definitions_;
};

// Divides a stack, along its first axis of several matrices, until the panels take little memory.
void multiply_panels(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                     const Array& out, const DType& item) {
  const PanelProduct product(queue, size, DType::of(a.scalar), item, out.dtype());
  const auto is_long = [](std::int64_t length) { return length > 1; };
  const auto axis = std::find_if(size.stack.begin(), size.stack.end(), is_long);
  if (axis == size.stack.end() ||
      product.bytes(a.count, b.count, size.m, size.depth, size.n) <= PanelProduct::kMostBytes) {
    product.run(a, b, out);
    return;
  }
  const auto d = static_cast<std::size_t>(axis - size.stack.begin());
  const std::int64_t half = divided_up(*axis, 2), each = size.matrices() / *axis * size.m * size.n;
  const auto itemsize = static_cast<std::int64_t>(out.dtype().itemsize);
  for (const std::int64_t first : {std::int64_t{0}, half}) {
    MatmulSize part = size;
    part.stack[d] = first == 0 ? half : *axis - half;
    const auto taken = [&](MatrixStack stack) {
      stack.start += first * stack.steps[d] * stack.matrix_step;
      // The matrices that the part reads, from the first to the last.
      stack.count = 1;
      for (std::size_t k = 0; k < part.stack.size(); ++k) stack.count += (part.stack[k] - 1) * stack.steps[k];
      return stack;
    };
    const Array block(out.elements(), out.dtype(), {part.stack[d], each}, {each * itemsize, itemsize},
                      static_cast<std::size_t>(first * each * itemsize));
    multiply_panels(queue, taken(a), taken(b), part, block, item);
  }
}

bool uses_panels(const Queue& queue) {
  const DeviceProperties& properties = queue.state()->properties();
  return codegen::loop_style(properties) == codegen::LoopStyle::chunks ||
         properties.max_work_group_size < 256;
}

// Applies the epilogue to the product in `out`, if a library takes it but has no memory for its workspace.
void apply_epilogue(const Queue& queue, const MatmulSize& size, const Array& out, const Epilogue& epilogue) {
  const auto item = static_cast<std::int64_t>(out.dtype().itemsize);
  const Shape shape = {size.stack[0], size.stack[1], size.stack[2], size.m, size.n};
  const DType stored = in_memory(queue, out).dtype();
  const bool has_bits = !(stored == out.dtype());
  const codegen::ShortFloatFunctions functions(DType::of(has_bits ? out.dtype().scalar : Scalar::float16));
  const std::string type = type_name(stored), load = has_bits ? functions.load : "(double)",
                    store = has_bits ? functions.store : "(" + type + ")";
  std::string parameters = type + " *out, double factor, double number";
  std::string sum = "factor * " + load + "(out[i]) + number";
  std::vector<Array> arrays = {Array(out.elements(), stored, shape)};
  for (std::size_t k = 0; k < epilogue.addends.size(); ++k) {
    const Addend& addend = epilogue.addends[k];
    const std::string number = std::to_string(k);
    parameters += ", const " + type + " *x" + number + ", double f" + number;
    sum += " + f" + number + " * " + load + "(x" + number + "[i])";
    Strides strides;
    for (const std::int64_t step : addend.steps) strides.push_back(step * item);
    strides.push_back(addend.row_step * item);
    strides.push_back(addend.column_step * item);
    arrays.emplace_back(addend.buffer, stored, shape, strides, static_cast<std::size_t>(addend.start * item));
  }
  std::vector<KernelArgument> arguments = {arrays[0], epilogue.factor, epilogue.constant};
  for (std::size_t k = 0; k < epilogue.addends.size(); ++k) {
    arguments.emplace_back(arrays[1 + k]);
    arguments.emplace_back(epilogue.addends[k].factor);
  }
  const std::string value = epilogue.is_relu ? "value < 0 ? 0 : value" : "value";
  const ElementwiseKernel kernel(parameters,
                                 "double value = " + sum + "; out[i] = " + store + "(" + value + ")",
                                 GeneratorOptions{"epilogue", has_bits ? functions.definitions : "", {}});
  kernel.launch(queue, arguments);
}

bool kernels_take_triangle(const Queue& queue, const MatmulSize& size, Scalar scalar) {
  if (scalar == Scalar::float16 && !queue.state()->properties().has_fp16) return false;
  const bool is_short = scalar == Scalar::float16 || scalar == Scalar::bfloat16;
  const bool has_tensor_cores =
      (is_short || (scalar == Scalar::float32 && size.may_round)) && library_takes(queue, scalar);
  return pays_to_skip_blocks(size, scalar, has_tensor_cores, uses_panels(queue));
}

bool functions_take_expression(const Queue& /*queue*/, const MatrixStack& /*a*/, const MatrixStack& /*b*/,
                               const MatmulSize& /*size*/, const DType& /*dtype*/) {
  return true;
}

bool kernels_take_expression(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                             const MatmulSize& size, const DType& dtype) {
  if (uses_panels(queue) || a.scalar != dtype.scalar) return false;
  if (is_small(size)) return is_small(size, 8) || !library_takes(queue, a, b, size, dtype);
  // The expression takes registers from the product: on an H200 a product of 2048 x 2048 took 834 us with it
  // and 527 us without, so a separate pass, whose time does not depend on the depth, pays for all but short
  // sums. The parts of a summed axis that is divided are added by another kernel.
  constexpr std::int64_t kMostDepth = 128;
  return size.depth <= kMostDepth && !library_takes(queue, a, b, size, dtype) &&
         tiling_of(queue, size, item_type(dtype)).chunk >= size.depth;
}

bool kernels_take_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                           const MatmulSize& size, const DType& dtype, const Epilogue& epilogue) {
  if (is_triangular(a) || is_triangular(b)) return false;  // several products of blocks compute it
  if (epilogue.expression)
    return kernels_take_expression(queue, a, b, size, dtype) && takes_finish(*epilogue.expression);
  return a.scalar == dtype.scalar && library_takes_epilogue(queue, a, b, size, dtype, epilogue);
}

void multiply_by_kernels(const Queue& queue, const MatrixStack& a, const MatrixStack& b,
                         const MatmulSize& size, const Array& out, const Epilogue& epilogue) {
  // A triangle of a stack has its zeros in memory, and is multiplied whole.
  if ((is_triangular(a) || is_triangular(b)) && size.matrices() == 1)
    return multiply_triangle(queue, a, b, size, out);
  // For tiny matrices our kernel is several times faster than cuBLAS.
  const bool is_library_slower = is_small(size, 8) && epilogue.is_empty();
  if (!is_library_slower && !epilogue.expression && multiply_by_library(queue, a, b, size, out, epilogue))
    return;
  const DType item = item_type(DType::of(a.scalar));
  const ProductExpression* const expression = epilogue.expression.get();
  if (is_small(size)) {
    multiply_small(queue, a, b, size, out, item, expression);
  } else if (uses_panels(queue)) {
    multiply_panels(queue, a, b, size, out, item);
  } else {
    multiply_tiles(queue, a, b, size, out, item, expression);
  }
  if (!epilogue.is_empty() && expression == nullptr) apply_epilogue(queue, size, out, epilogue);
}

}  // namespace

bool is_symmetric_product(const MatrixStack& a, const MatrixStack& b, const MatmulSize& size) {
  return size.m == size.n && a.buffer.allocation() == b.buffer.allocation() &&
         a.buffer.offset() == b.buffer.offset() && a.start == b.start && a.line_step == b.line_step &&
         a.depth_step == b.depth_step && (size.matrices() == 1 || a.matrix_step == b.matrix_step) &&
         a.steps == b.steps && a.kept.side == b.kept.side;
}

bool is_wider_result(Scalar narrow, Scalar wide) {
  const DType from = DType::of(narrow), to = DType::of(wide);
  if (narrow == Scalar::float16) return wide == Scalar::float32;
  return codegen::kind_of(from) == Kinds::integer && codegen::kind_of(to) == Kinds::integer &&
         from.itemsize <= 2 && to.itemsize == 4;
}

bool takes_triangle(const Queue& queue, const MatmulSize& size, Scalar scalar) {
  constexpr Operation kTakes(&function_takes_triangle, &kernels_take_triangle);
  return kTakes(queue, size, scalar);
}

bool takes_expression(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                      const DType& dtype) {
  constexpr Operation kTakes(&functions_take_expression, &kernels_take_expression);
  return kTakes(queue, a, b, size, dtype);
}

bool takes_epilogue(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
                    const DType& dtype, const Epilogue& epilogue) {
  // Both would use the same scratch memory.
  if (epilogue.expression && (is_triangular(a) || is_triangular(b))) return false;
  constexpr Operation kTakes(&function_takes_epilogue, &kernels_take_epilogue);
  return kTakes(queue, a, b, size, dtype, epilogue);
}

void matmul(const Queue& queue, const MatrixStack& a, const MatrixStack& b, const MatmulSize& size,
            const Array& out, const Epilogue& epilogue) {
  constexpr Operation kMultiply(&multiply_by_function, &multiply_by_kernels);
  kMultiply(queue, a, b, size, out, epilogue);
}

}  // namespace quern::algorithms
