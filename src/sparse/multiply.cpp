// SPDX-License-Identifier: MIT
// Products of compressed rows with vectors and matrices, and sums of rows.
#include "sparse/multiply.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/launch/policy.hpp"
#include "algorithms/matmul.hpp"
#include "array/build.hpp"
#include "base/arithmetic.hpp"
#include "codegen/sparse_form.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/kernels.hpp"
#include "sparse/row_plan.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

using algorithms::Defines;
using algorithms::Epilogue;
using algorithms::KernelMemo;
using algorithms::LibraryKernel;

constexpr std::int64_t kCarryThreads = 32;          // as in sparse_shares.cl
constexpr std::int64_t kMostGroups = 20;            // of a compute unit, in products with a dot product
constexpr std::int64_t kShort = 32, kMedium = 512;  // greatest lengths of rows for which tiles have room

std::uint64_t code_of(const DType& dtype, const DType& index) {
  return static_cast<std::uint64_t>(dtype.scalar) << 1 | (index.itemsize == 8 ? 1U : 0U);
}

LibraryKernel chunk_kernel(const char* name, std::uint64_t number, const DType& dtype, const DType& index) {
  static auto* const known = new KernelMemo;  // never destroyed
  return known->get(code_of(dtype, index) | number << 8, [&] {
    return algorithms::kernel_of({"sparse_search", "sparse_values", "sparse_rows"}, name,
                                 codegen::sparse_defines(dtype, index));
  });
}

// A kernel for work-groups. All but the names tell kernels apart.
struct GroupForm {
  const char* file;
  const char* name;
  std::uint64_t number;
  const char* size_name = "CAPACITY";
  std::int64_t size = 1, threads = kRowThreads, per_row = 1;
  bool has_dot = false;
  bool has_direction = false;  // its program needs sparse_cg.cl
};

LibraryKernel group_kernel(const DType& dtype, const DType& index, const GroupForm& form) {
  static auto* const known = new KernelMemo;  // never destroyed
  const auto sizes = static_cast<std::uint64_t>(form.per_row | form.threads << 6 | form.size << 16);
  const std::uint64_t code =
      code_of(dtype, index) << 54 | form.number << 50 | sizes << 1 | (form.has_dot ? 1U : 0U);
  return known->get(code, [&] {
    Defines defines = codegen::sparse_defines(dtype, index);
    defines.insert(defines.end(), {{"GROUPS", "1"},
                                   {"THREADS", std::to_string(form.threads)},
                                   {form.size_name, std::to_string(form.size)},
                                   {"PER_ROW", std::to_string(form.per_row)},
                                   {"DOT", form.has_dot ? "1" : "0"},
                                   {"DIRECTION", form.has_direction ? "1" : "0"}});
    if (form.has_direction)
      return algorithms::kernel_of({"sparse_values", "sparse_cg", form.file}, form.name, defines);
    return algorithms::kernel_of({"sparse_values", form.file}, form.name, defines);
  });
}

Range lone(std::int64_t count) {
  return range(static_cast<std::size_t>(count)).with_local(1);
}

bool has_epilogue(const DType& dtype) {
  return dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::float64;
}

void add_buffers(std::vector<KernelArgument>& arguments, std::initializer_list<const Buffer*> buffers) {
  for (const Buffer* const buffer : buffers) arguments.emplace_back(*buffer);
}

void add_epilogue(std::vector<KernelArgument>& arguments, const DType& dtype, const Epilogue& epilogue) {
  if (!has_epilogue(dtype)) return;
  const bool has_addend = !epilogue.addends.empty();
  arguments.emplace_back(epilogue.factor);
  if (has_addend) {
    const algorithms::Addend& addend = epilogue.addends[0];
    arguments.emplace_back(addend.buffer, static_cast<std::size_t>(addend.start) * dtype.itemsize);
  } else {
    arguments.emplace_back(nullptr);
  }
  arguments.emplace_back(has_addend ? epilogue.addends[0].factor : 0.0);
  arguments.emplace_back(std::int32_t{has_addend ? 2 : epilogue.factor != 1 ? 1 : 0});
}

// One product with a vector: what its kernels read and write.
class VectorProduct {
 public:
  VectorProduct(const Csr& matrix, const Array& x, const Array& y, const Epilogue& epilogue,
                const Array* sums)
      : matrix_(matrix),
        queue_(matrix.queue()),
        data_(matrix.data().elements()),
        indices_(matrix.indices().elements()),
        indptr_(matrix.indptr().elements()),
        x_(x.elements()),
        y_(y.elements()),
        epilogue_(epilogue) {
    if (sums != nullptr) sums_ = sums->elements();
  }

  // Returns the number of parts of the dot product.
  [[nodiscard]] std::int64_t run() const {
    const bool is_floating = matrix_.dtype().scalar >= Scalar::float32;
    const RowPatterns* const patterns = is_floating ? patterns_of(matrix_) : nullptr;
    if (!is_in_groups(queue_)) return in_chunks(patterns);
    if (patterns != nullptr)
      if (const std::int64_t threads = pattern_threads(*patterns)) return by_patterns(*patterns, threads);
    const std::int64_t longest = longest_row(matrix_), mean = matrix_.nnz() / matrix_.rows();
    const bool is_even = longest <= kShort || (longest <= kMedium && longest <= 4 * mean);
    const std::int64_t row_capacity = longest > kShort ? kMedium : kShort;
    if (is_even)
      if (const std::int64_t span = tile_span(row_capacity)) return by_tiles(span, row_capacity, mean);
    return by_shares();
  }

  // Of the next direction of conjugate gradients; 0 if the rows have no patterns.
  [[nodiscard]] std::int64_t run(const Direction& direction) const {
    const RowPatterns* const patterns = is_in_groups(queue_) ? patterns_of(matrix_) : nullptr;
    const std::int64_t threads = patterns != nullptr ? pattern_threads(*patterns) : 0;
    return threads != 0 ? by_patterns(*patterns, threads, &direction) : 0;
  }

 private:
  [[nodiscard]] const DType& dtype() const { return matrix_.dtype(); }
  [[nodiscard]] const DType& index() const { return matrix_.indices().dtype(); }
  [[nodiscard]] std::uint64_t entries() const { return static_cast<std::uint64_t>(matrix_.nnz()); }
  [[nodiscard]] bool fits(std::int64_t elements, std::int64_t other_bytes = 0) const {
    const std::int64_t bytes = elements * static_cast<std::int64_t>(dtype().itemsize) + other_bytes;
    return static_cast<std::size_t>(bytes) <= queue_.device().properties().local_memory;
  }

  // Launches groups for `tiles` parts of the rows; with a dot product, at most `most` groups loop over them.
  [[nodiscard]] std::int64_t launch(GroupForm form, std::int64_t tiles, std::vector<KernelArgument> arguments,
                                    std::int64_t most) const {
    form.has_dot = sums_.has_value();
    const std::int64_t groups = form.has_dot ? std::min(tiles, most) : tiles;
    if (sums_) arguments.emplace_back(*sums_);
    if (!form.has_direction) add_epilogue(arguments, dtype(), epilogue_);
    const auto threads = static_cast<std::size_t>(form.threads);
    group_kernel(dtype(), index(), form)
        .launch(queue_, entries(), range(static_cast<std::size_t>(groups) * threads).with_local(threads),
                arguments);
    return groups;
  }

  [[nodiscard]] std::int64_t launch(const GroupForm& form, std::int64_t tiles,
                                    std::vector<KernelArgument> arguments) const {
    return launch(form, tiles, std::move(arguments), dot_parts(queue_));
  }

  [[nodiscard]] std::int64_t in_chunks(const RowPatterns* patterns) const {
    const Chunks chunks = chunks_for(queue_, matrix_.rows(), matrix_.nnz());
    std::vector<KernelArgument> arguments;
    Buffer codes, lengths, offsets;
    if (patterns != nullptr) {
      codes = patterns->codes.elements();
      lengths = patterns->lengths.elements();
      offsets = patterns->offsets.elements();
      add_buffers(arguments, {&data_, &indptr_, &codes, &lengths, &offsets, &x_, &y_});
    } else {
      add_buffers(arguments, {&data_, &indices_, &indptr_, &x_, &y_});
    }
    arguments.emplace_back(matrix_.rows());
    arguments.emplace_back(chunks.weight);
    arguments.emplace_back(std::int32_t{sums_.has_value()});
    if (sums_) {
      arguments.emplace_back(*sums_);
    } else {
      arguments.emplace_back(nullptr);
    }
    add_epilogue(arguments, dtype(), epilogue_);
    const LibraryKernel kernel = patterns != nullptr ? chunk_kernel("multiply_patterns", 2, dtype(), index())
                                                     : chunk_kernel("multiply_rows", 0, dtype(), index());
    kernel.launch(queue_, entries(), lone(chunks.count), arguments);
    return chunks.count;
  }

  // Work-items of a group, each of which has room for a row in local memory; 0 if there is not enough.
  [[nodiscard]] std::int64_t pattern_threads(const RowPatterns& patterns) const {
    constexpr std::int64_t kGoodBytes = 20 << 10;  // so that several groups run at once
    std::int64_t threads = kPatternBlock;
    const auto item = static_cast<std::int64_t>(dtype().itemsize);
    while (threads > 32 && threads * patterns.longest * item > kGoodBytes) threads /= 2;
    return fits(threads * patterns.longest) ? threads : 0;
  }

  [[nodiscard]] std::int64_t by_patterns(const RowPatterns& patterns, std::int64_t threads,
                                         const Direction* direction = nullptr) const {
    const Buffer codes = patterns.codes.elements(), blocks = patterns.blocks.elements(),
                 lengths = patterns.lengths.elements(), offsets = patterns.offsets.elements();
    GroupForm form = {.file = "sparse_patterns",
                      .name = "multiply_patterns",
                      .number = 1,
                      .size_name = "LONGEST",
                      .size = patterns.longest,
                      .threads = threads};
    const bool is_constant = direction != nullptr && direction->constants.has_value();
    const Buffer values = is_constant ? direction->constants->elements() : data_;
    std::vector<KernelArgument> arguments;
    add_buffers(arguments, {&values});
    if (!is_constant) add_buffers(arguments, {&indptr_});
    add_buffers(arguments, {&codes, &blocks, &lengths, &offsets});
    if (direction == nullptr) {
      arguments.insert(arguments.end(), {x_, y_, matrix_.rows()});
      return launch(form, divided_up(matrix_.rows(), threads), std::move(arguments));
    }
    // It needs more registers, so groups are smaller, and only as many as run at once. On an H200 these took
    // 403 us where groups of 256 took 480 to 557, and 244 us instead of 268 to 320 without values.
    form.threads = std::min<std::int64_t>(threads, is_constant ? 128 : 64);
    const std::int64_t groups_of_unit = is_constant ? 12 : kMostGroups;
    form.file = is_constant ? "sparse_constants" : "sparse_patterns";
    form.name = is_constant ? "multiply_constants" : "multiply_direction";
    form.number = is_constant ? 9 : 8;
    form.has_direction = true;
    const Buffer p_new = direction->p_new.elements(), p = direction->p.elements(),
                 r = direction->r.elements(), x = direction->x.elements(),
                 rr_new = direction->rr_new.elements(), rr = direction->rr.elements(),
                 alpha = direction->alpha.elements();
    arguments.insert(arguments.end(),
                     {r, p, p_new, x, rr_new, rr, alpha, direction->parts, y_, matrix_.rows()});
    return launch(form, divided_up(matrix_.rows(), form.threads), std::move(arguments),
                  std::int64_t{queue_.device().properties().compute_units} * groups_of_unit);
  }

  // The largest tile that fits local memory together with the last row, or 0.
  [[nodiscard]] std::int64_t tile_span(std::int64_t row_capacity) const {
    for (std::int64_t span = 2048; span >= 512; span /= 2)
      if (fits(span + row_capacity + kRowThreads)) return span;
    return 0;
  }

  [[nodiscard]] std::int64_t by_tiles(std::int64_t span, std::int64_t row_capacity, std::int64_t mean) const {
    const RowSplit& tiles = tiles_of(matrix_, span);
    std::int64_t per_row = 1;
    while (per_row < 32 && per_row * 8 < mean) per_row *= 2;
    const Buffer starts = tiles.starts.elements();
    return launch({.file = "sparse_tiles",
                   .name = "multiply_tiles",
                   .number = 2,
                   .size = span + row_capacity,
                   .per_row = per_row},
                  tiles.count, {data_, indices_, indptr_, x_, y_, starts, tiles.count});
  }

  [[nodiscard]] std::int64_t by_shares() const {
    std::int64_t per_item = dtype().itemsize > 8 ? 4 : 8;
    // Products, two sums and marks of each work-item.
    while (per_item > 1 && !fits((per_item + 3) * kRowThreads, (per_item + 2) * kRowThreads)) per_item /= 2;
    const RowSplit& shares = shares_of(matrix_, per_item * kRowThreads);
    const Buffer starts = shares.starts.elements();
    const Buffer carries(queue_, static_cast<std::size_t>(shares.count) * dtype().itemsize);
    GroupForm form = {.file = "sparse_shares",
                      .name = "multiply_shares",
                      .number = 3,
                      .size_name = "PER_ITEM",
                      .size = per_item};
    const std::int64_t groups =
        launch(form, shares.count,
               {data_, indices_, indptr_, x_, y_, starts, carries, matrix_.rows(), shares.count});
    form.name = "add_carries";
    form.number = 4;
    std::vector<KernelArgument> arguments = {starts, carries, y_, matrix_.rows(), shares.count};
    add_epilogue(arguments, dtype(), epilogue_);
    group_kernel(dtype(), index(), form)
        .launch(queue_, static_cast<std::uint64_t>(shares.count),
                range(static_cast<std::size_t>(shares.count * kCarryThreads)).with_local(kCarryThreads),
                arguments);
    return groups;
  }

  const Csr& matrix_;
  Queue queue_;
  Buffer data_, indices_, indptr_, x_, y_;
  const Epilogue& epilogue_;
  std::optional<Buffer> sums_;
};

void multiply_matrix(const Csr& matrix, const Array& x, const Array& y, std::int64_t columns,
                     const Epilogue& epilogue) {
  const Queue queue = matrix.queue();
  const DType& type = matrix.indices().dtype();
  const Buffer data = matrix.data().elements(), indices = matrix.indices().elements(),
               indptr = matrix.indptr().elements(), from = x.elements(), to = y.elements();
  const auto work = static_cast<std::uint64_t>(matrix.nnz() * columns);
  const bool in_groups = is_in_groups(queue);
  const Chunks chunks = chunks_for(queue, matrix.rows(), matrix.nnz());
  std::vector<KernelArgument> arguments;
  add_buffers(arguments, {&data, &indices, &indptr, &from, &to});
  if (in_groups) {
    arguments.emplace_back(static_cast<std::int64_t>(y.size()));
  } else {
    arguments.emplace_back(matrix.rows());
    arguments.emplace_back(chunks.weight);
  }
  arguments.emplace_back(columns);
  const bool has_addend = !epilogue.addends.empty();
  arguments.emplace_back(has_addend ? epilogue.addends[0].row_step : 0);
  arguments.emplace_back(has_addend ? epilogue.addends[0].column_step : 0);
  add_epilogue(arguments, matrix.dtype(), epilogue);
  const LibraryKernel kernel =
      in_groups ? group_kernel(matrix.dtype(), type, {"sparse_tiles", "multiply_elements", 5})
                : chunk_kernel("multiply_matrix", 1, matrix.dtype(), type);
  kernel.launch(queue, work, in_groups ? range(y.size()) : lone(chunks.count), arguments);
}

}  // namespace

std::int64_t dot_parts(const Queue& queue) {
  // A GPU does not run all of these groups at once, so there are enough of them to end at the same time.
  return std::int64_t{queue.device().properties().compute_units} * (is_in_groups(queue) ? kMostGroups : 8);
}

std::int64_t multiply_with_dot(const Csr& matrix, const Array& x, const Array& y, const Array& sums) {
  return VectorProduct(matrix, x, y, {}, &sums).run();
}

std::int64_t multiply_direction(const Csr& matrix, const Direction& direction, const Array& y,
                                const Array& sums) {
  return VectorProduct(matrix, direction.p_new, y, {}, &sums).run(direction);
}

std::optional<Array> constant_values(const Csr& matrix) {
  const Queue queue = matrix.queue();
  const RowPatterns* const patterns = is_in_groups(queue) ? patterns_of(matrix) : nullptr;
  if (patterns == nullptr) return std::nullopt;
  const auto kernel = [&](const char* name, std::uint64_t number) {
    return group_kernel(matrix.dtype(), matrix.indices().dtype(),
                        {.file = "sparse_constants",
                         .name = name,
                         .number = number,
                         .size_name = "LONGEST",
                         .size = patterns->longest,
                         .has_direction = true});
  };
  const Array differs = zeros(queue, {1}, DType::of(Scalar::int32));
  differs.evaluate();
  const Buffer data = matrix.data().elements(), indptr = matrix.indptr().elements(),
               table = patterns->table.elements();
  kernel("compare_values", 10)(queue, static_cast<std::uint64_t>(matrix.nnz()),
                               range(static_cast<std::size_t>(matrix.rows())), data, indptr,
                               patterns->codes.elements(), table, differs.elements(), matrix.rows());
  if (read_integer(differs) != 0) return std::nullopt;
  Array constants = empty(queue, {kPatternSlots * kPatternEntries}, matrix.dtype());
  kernel("store_values", 11)(queue, static_cast<std::uint64_t>(kPatternSlots),
                             range(static_cast<std::size_t>(kPatternSlots)), data, indptr, table,
                             patterns->lengths.elements(), constants.elements());
  return constants;
}

LibraryKernel triangular_kernel(const Queue& queue, const DType& dtype, const DType& index) {
  return is_in_groups(queue) ? group_kernel(dtype, index, {"sparse_tiles", "solve_level", 6})
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
  const LibraryKernel kernel = structure_kernel("fill_rows", starts.dtype());
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
    group_kernel(values.dtype(), starts.dtype(), {"sparse_tiles", "sum_elements", 7})(
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

ProductWithDot multiply_and_dot(const Csr& matrix, const Array& x) {
  if (x.shape().size() != 1 || x.shape()[0] != matrix.columns() || matrix.rows() != matrix.columns())
    value_error("expected a square matrix and a vector of its length");
  const DType dtype = result_type(matrix.dtype(), value_type(x.dtype()));
  const Queue queue = matrix.queue();
  if (matrix.nnz() == 0) return {zeros(queue, {matrix.rows()}, dtype), zeros(queue, {}, dtype)};
  const Array from = vector_of(x, dtype);
  Array y = empty(queue, {matrix.rows()}, dtype);
  const Array sums = empty(queue, {dot_parts(queue)}, dtype);
  const std::int64_t parts = multiply_with_dot(astype(matrix, dtype), from, y, sums);
  return {y, sum(view(sums, {Index::slice(0, parts)}), {.dtype = dtype})};
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
  const Csr converted = astype(matrix, dtype);
  // Runs the product of a matrix with these entries.
  const auto run = [columns, is_matrix = shape.size() == 2](const Csr& own, const Array& right,
                                                            const Array& y, const Epilogue& epilogue) {
    if (is_matrix)
      multiply_matrix(own, right, y, columns, epilogue);
    else
      static_cast<void>(VectorProduct(own, right, y, epilogue, nullptr).run());
  };
  if (converted.nnz() * columns < algorithms::policy(matrix.queue()).least_lazy_product) {
    // On the host a small product is done sooner than recorded.
    const Array y = empty(matrix.queue(), out, dtype);
    run(converted, from, y, {});
    return y;
  }
  auto form = std::make_shared<array::SparseForm>();
  // The node keeps the entries, whose memory may be written after it was evaluated.
  form->run = [run, structure = converted.state().structure](const Queue& queue, const Array& data,
                                                             const Array& right, const Array& y,
                                                             const Epilogue& epilogue) {
    const QueueScope scope(queue);
    run(Csr(std::make_shared<detail::CsrState>(structure, data)), right, y, epilogue);
  };
  return array::lazy(
      std::make_shared<array::Node>(matrix.queue(), converted.data(), from, out, std::move(form)));
}

}  // namespace quern::sparse
