// SPDX-License-Identifier: MIT
// Sparse matrices made from diagonals, random entries and other matrices.
#include "quern/sparse/construct.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/dtype_kinds.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/sort.hpp"
#include "quern/views.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// The sum of the lengths before each block, and of all.
std::vector<std::int64_t> starts_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> starts = {0};
  for (const std::int64_t length : lengths) starts.push_back(starts.back() + length);
  return starts;
}

// The length that the blocks of row or column `index` have in common.
class CommonLength {
 public:
  CommonLength(const char* what, std::size_t index)
      : text_(std::string(what) + " " + std::to_string(index)) {}
  void add(std::int64_t length) {
    if (length_ && *length_ != length)
      value_error("block_array: blocks of " + text_ + " have the lengths [" +
                  std::to_string(std::min(*length_, length)) + ", " +
                  std::to_string(std::max(*length_, length)) + "]");
    length_ = length;
  }
  [[nodiscard]] std::int64_t get() const {
    if (!length_) value_error("block_array: " + text_ + " has only None, so its length is not known");
    return *length_;
  }

 private:
  std::string text_;
  std::optional<std::int64_t> length_;
};

// `count` different integers below `total`, in increasing order.
Array random_places(random::Generator& generator, const Queue& queue, std::int64_t total,
                    std::int64_t count) {
  constexpr std::int64_t kFew = std::int64_t{1} << 20;
  if (total <= kFew || count > total / 4) return sort(queue, generator.choice(queue, total, {count}, false));
  // Of a few more draws than are needed the repeated ones are dropped, and some others at random.
  std::int64_t drawn = count + count / 4 + 64;
  for (;; drawn += drawn / 4) {
    const Array draws = generator.integers<std::int64_t>({drawn}, queue, 0, total - 1);
    draws.evaluate();
    const Array sorted = sort(queue, draws);
    const Array is_new =
        apply("not_equal", {view(sorted, {Index::slice(1)}), view(sorted, {Index::slice(0, -1)})});
    const std::array<ItemIndex, 1> chosen = {is_new};
    const Array unique = concat(std::vector<Array>{view(sorted, {Index::slice(0, 1)}),
                                                   get_item(view(sorted, {Index::slice(1)}), chosen)});
    const auto found = static_cast<std::int64_t>(unique.size());
    if (found < count) continue;
    const std::array<ItemIndex, 1> kept = {sort(queue, generator.choice(queue, found, {count}, false))};
    return get_item(unique, kept);
  }
}

Csr with_values(const Csr& matrix, const Array& values) {
  values.evaluate();
  return matrix.with_data(values);
}

}  // namespace

Csr csr_of(const Csc& matrix) {
  const Size turned = {matrix.size.columns, matrix.size.rows};
  return Csr::unchecked(turned, matrix.data, matrix.indices, matrix.indptr).transposed(false);
}

Csc csc_of(const Csr& matrix) {
  const Csr turned = matrix.transposed(false);
  return {matrix.size(), turned.data(), turned.indices(), turned.indptr()};
}

void check(const Csc& matrix) {
  static_cast<void>(Csr({matrix.size.columns, matrix.size.rows}, matrix.data, matrix.indices, matrix.indptr));
}

Dia diags(std::span<const Array> diagonals, std::span<const std::int64_t> offsets, std::optional<Size> size) {
  if (diagonals.empty() || diagonals.size() != offsets.size())
    value_error("diags: expected one offset for each diagonal, got " + std::to_string(diagonals.size()) +
                " diagonals and " + std::to_string(offsets.size()) + " offsets");
  DType dtype = value_type(diagonals[0].dtype());
  for (const Array& diagonal : diagonals) {
    if (diagonal.shape().size() > 1) value_error("diags: a diagonal has one dimension");
    dtype = result_type(dtype, value_type(diagonal.dtype()));
  }
  if (!size) {
    const std::int64_t side = static_cast<std::int64_t>(diagonals[0].size()) + std::abs(offsets[0]);
    size = Size{side, side};
  }
  const auto length_at = [&](std::int64_t offset) {
    return std::min({size->rows + offset, size->columns - offset, size->rows, size->columns});
  };
  std::int64_t width = 0;
  for (const std::int64_t offset : offsets)
    width = std::max(width, length_at(offset) + std::max<std::int64_t>(offset, 0));
  const Queue queue = diagonals[0].queue();
  const Array data = zeros(queue, {static_cast<std::int64_t>(offsets.size()), width}, dtype);
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const std::int64_t length = length_at(offsets[k]), start = std::max<std::int64_t>(offsets[k], 0);
    const auto given = static_cast<std::int64_t>(diagonals[k].size());
    if (length < 0)
      value_error("diags: offset " + std::to_string(offsets[k]) + " is out of bounds for the shape (" +
                  std::to_string(size->rows) + ", " + std::to_string(size->columns) + ")");
    if (given < length && given != 1)
      value_error("diags: the diagonal at offset " + std::to_string(offsets[k]) + " has " +
                  std::to_string(length) + " places, got " + std::to_string(given) + " elements");
    if (length == 0) continue;
    const Array line = reshape(diagonals[k], {given});
    assign(view(data, {Index(static_cast<std::int64_t>(k)), Index::slice(start, start + length)}),
           given == 1 ? line : view(line, {Index::slice(0, length)}));
  }
  data.evaluate();
  return {*size, data, asarray(queue, std::vector<std::int64_t>(offsets.begin(), offsets.end()))};
}

Coo random(random::Generator& generator, const Queue& queue, Size size, double density, const DType& dtype) {
  if (!(density >= 0 && density <= 1))
    value_error("random: density must be between 0 and 1, got " + std::to_string(density));
  if (dtype.scalar != Scalar::float32 && dtype.scalar != Scalar::float64)
    type_error("random: expected float32 or float64, got " + dtype.name());
  if (size.rows < 0 || size.columns < 0) value_error("the shape of a sparse matrix must not be negative");
  const std::int64_t total = size.rows * size.columns;
  const std::int64_t count = std::llround(density * static_cast<double>(total));
  const DType type = index_type(std::max(size.rows, size.columns));
  if (count == 0) return {size, zeros(queue, {0}, dtype), zeros(queue, {0}, type), zeros(queue, {0}, type)};
  const Array places = random_places(generator, queue, total, count);
  return {size, vector_of(generator.draw(queue, {count}, dtype, random::Uniform{}), dtype),
          vector_of(apply("floor_divide", {places, size.columns}), type),
          vector_of(apply("remainder", {places, size.columns}), type)};
}

Csr block_array(const Blocks& blocks) {
  const std::size_t width = blocks.empty() ? 0 : blocks[0].size();
  for (const auto& row : blocks)
    if (row.size() != width || width == 0)
      value_error("block_array: expected rows of the same number of blocks");
  if (width == 0) value_error("block_array: expected rows of the same number of blocks");
  std::vector<std::int64_t> heights, widths;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CommonLength length("row", i);
    for (const auto& block : blocks[i])
      if (block) length.add(block->rows());
    heights.push_back(length.get());
  }
  for (std::size_t j = 0; j < width; ++j) {
    CommonLength length("column", j);
    for (const auto& row : blocks)
      if (row[j]) length.add(row[j]->columns());
    widths.push_back(length.get());
  }
  const std::vector<std::int64_t> tops = starts_of(heights), lefts = starts_of(widths);
  std::vector<Placed> parts;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t j = 0; j < width; ++j)
      if (blocks[i][j]) parts.push_back({*blocks[i][j], tops[i], lefts[j]});
  return assemble({tops.back(), lefts.back()}, parts);
}

Csr vstack(std::span<const Csr> matrices) {
  Blocks blocks;
  for (const Csr& matrix : matrices) blocks.push_back({matrix});
  return block_array(blocks);
}

Csr hstack(std::span<const Csr> matrices) {
  return block_array({std::vector<std::optional<Csr>>(matrices.begin(), matrices.end())});
}

Csr block_diag(std::span<const Csr> matrices) {
  if (matrices.empty()) value_error("block_diag: expected at least one matrix");
  std::vector<Placed> parts;
  Size size;
  for (const Csr& matrix : matrices) {
    parts.push_back({matrix, size.rows, size.columns});
    size.rows += matrix.rows();
    size.columns += matrix.columns();
  }
  return assemble(size, parts);
}

Csr kronsum(const Csr& a, const Csr& b) {
  if (a.rows() != a.columns() || b.rows() != b.columns()) value_error("kronsum: expected square matrices");
  const DType dtype = result_type(a.dtype(), b.dtype());
  const Queue queue = a.queue();
  return kron(eye(queue, b.size(), 0, dtype), a) + kron(b, eye(queue, a.size(), 0, dtype));
}

Csr slice_rows(const Csr& matrix, const Index& rows) {
  const Array all = arange(matrix.queue(), 0, 1, matrix.rows(), int64_type());
  all.evaluate();
  return take_rows(matrix, vector_of(view(all, {rows}), int64_type()));
}

Csr take_columns(const Csr& matrix, const Array& columns) {
  return take_rows(matrix.transposed(false), columns).transposed(false);
}

Csr operator+(const Csr& a, const Csr& b) {
  return elementwise("add", a, b);
}
Csr operator-(const Csr& a, const Csr& b) {
  return elementwise("subtract", a, b);
}
Csr operator-(const Csr& a) {
  return with_values(a, apply("negative", {a.data()}));
}
Csr operator*(const Csr& a, const Csr& b) {
  return elementwise("multiply", a, b);
}
Csr operator*(const Csr& a, const Number& factor) {
  return with_values(a, apply("multiply", {a.data(), factor}));
}
Csr operator*(const Number& factor, const Csr& a) {
  return a * factor;
}
Csr operator/(const Csr& a, const Number& divisor) {
  return with_values(a, apply("divide", {a.data(), divisor}));
}

Csr multiply_elements(const Csr& matrix, const Array& dense) {
  const Csr whole = sum_duplicates(matrix);
  if (whole.nnz() == 0) return astype(whole, result_type(whole.dtype(), dense.dtype()));
  const Array all = broadcast_to(dense, {matrix.rows(), matrix.columns()});
  const std::array<ItemIndex, 2> places = {row_indices(whole), whole.indices()};
  return with_values(whole, whole.data() * get_item(all, places));
}

}  // namespace quern::sparse
