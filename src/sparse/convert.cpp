// SPDX-License-Identifier: MIT
// Conversions between the formats, and the order of entries.
#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/launch/operation.hpp"
#include "linalg/cuda_parts.hpp"
#include "quern/cumulative.hpp"
#include "quern/gather.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/scan.hpp"
#include "quern/search.hpp"
#include "quern/sort.hpp"
#include "quern/sorting.hpp"
#include "quern/views.hpp"
#include "sparse/host/functions.hpp"
#include "sparse/kernels.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

Array wide(const Array& array) {
  return quern::astype(array, int64_type());
}

// Throws unless all indices are in [0, count). Waits.
void check_range(const char* what, const Array& indices, std::int64_t count) {
  if (indices.size() == 0) return;
  const std::int64_t least = read_integer(min(indices)), most = read_integer(max(indices));
  if (least < 0 || most >= count)
    value_error(std::string(what) + " index " + std::to_string(least < 0 ? least : most) +
                " is out of bounds for length " + std::to_string(count));
}

bool is_integer(const Array& array) {
  return array.dtype().lanes == 1 && array.dtype().scalar >= Scalar::int8 &&
         array.dtype().scalar <= Scalar::uint64;
}

// Entries by row, then by column; entries of the same place keep their order.
std::pair<Array, Array> sorted_places(const Queue& queue, const Array& rows, const Array& columns) {
  const Array count = arange(queue, 0, 1, static_cast<std::int64_t>(rows.size()), int64_type());
  count.evaluate();
  const Array by_column = sort_by_key(queue, columns, count).second;
  const auto [sorted_rows, order] = sort_by_key(queue, gather(queue, rows, by_column), by_column);
  return {sorted_rows, order};
}

// Sums values of equal neighbours in the dtype of the values.
std::pair<Array, Array> summed(const Queue& queue, const Array& keys, const Array& values) {
  auto [unique_keys, sums] = reduce_by_key(queue, keys, values);
  return {unique_keys, vector_of(sums, values.dtype())};
}

// Whether no key repeats and none is less than that before it. Waits.
bool is_increasing(const Array& keys) {
  if (keys.size() < 2) return true;
  const Array steps = apply("less", {view(keys, {Index::slice(0, -1)}), view(keys, {Index::slice(1)})});
  return read_integer(quern::astype(all(steps), int64_type())) != 0;
}

Csr csr_of_keys(const Queue& queue, const Size& size, const Array& keys, const Array& data,
                const DType& type) {
  const Array starts =
      vector_of(arange(queue, 0, 1, size.rows + 1, int64_type()) * size.columns, int64_type());
  const Array indices = apply("remainder", {keys, size.columns});
  return Csr::unchecked(size, data, quern::astype(indices, type),
                        quern::astype(lower_bound(queue, keys, starts), type));
}

}  // namespace

bool has_keys(const Size& size) {
  return size.columns == 0 || size.rows <= std::numeric_limits<std::int64_t>::max() / 2 / size.columns;
}

Array keys_of(const Csr& matrix) {
  if (!has_keys(matrix.size())) value_error("the matrix has more than 2**62 places");
  return vector_of(wide(row_indices(matrix)) * matrix.columns() + wide(matrix.indices()), int64_type());
}

Csr csr_of_sorted_keys(const Size& size, const Array& keys, const Array& data, const DType& type) {
  if (keys.size() == 0) {
    const Csr none(keys.queue(), size, data.dtype());
    return Csr::unchecked(size, none.data(), quern::astype(none.indices(), type),
                          quern::astype(none.indptr(), type));
  }
  return csr_of_keys(keys.queue(), size, keys, data, type);
}

void check(const Coo& matrix) {
  if (matrix.data.shape().size() != 1 || matrix.rows.shape().size() != 1 ||
      matrix.columns.shape().size() != 1 || matrix.data.size() != matrix.rows.size() ||
      matrix.data.size() != matrix.columns.size())
    value_error("data, row and column indices must be vectors of the same length");
  if (!is_integer(matrix.rows) || !is_integer(matrix.columns))
    type_error("row and column indices must be integers");
  check_range("row", matrix.rows, matrix.size.rows);
  check_range("column", matrix.columns, matrix.size.columns);
}

void check(const Bsr& matrix) {
  const Shape& shape = matrix.data.shape();
  if (shape.size() != 3) value_error("data of a bsr_array has three dimensions: blocks, rows and columns");
  if (shape[1] < 1 || shape[2] < 1 || matrix.size.rows % shape[1] != 0 || matrix.size.columns % shape[2] != 0)
    value_error("the block size (" + std::to_string(shape[1]) + ", " + std::to_string(shape[2]) +
                ") must divide the shape (" + std::to_string(matrix.size.rows) + ", " +
                std::to_string(matrix.size.columns) + ")");
  // The blocks are the entries of a matrix in compressed rows, whose constructor checks them.
  static_cast<void>(Csr({matrix.size.rows / shape[1], matrix.size.columns / shape[2]},
                        arange(matrix.data.queue(), 0, 1, shape[0], int64_type()), matrix.indices,
                        matrix.indptr));
}

void check(const Dia& matrix) {
  if (matrix.data.shape().size() != 2) value_error("data of a dia_array has two dimensions");
  if (matrix.offsets.shape().size() != 1 || matrix.data.shape()[0] != matrix.offsets.shape()[0])
    value_error("number of diagonals (" + std::to_string(matrix.data.shape()[0]) +
                ") does not match the number of offsets (" + std::to_string(matrix.offsets.size()) + ")");
  if (!is_integer(matrix.offsets)) type_error("offsets must be integers");
  const Array wide_offsets = vector_of(matrix.offsets, int64_type());
  std::vector<std::int64_t> offsets = wide_offsets.to_vector<std::int64_t>(wide_offsets.queue());
  std::sort(offsets.begin(), offsets.end());
  if (std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end())
    value_error("offset array contains duplicate values");
}

namespace {

// The values have the dtype of the result.
Csr csr_by_kernels(const Queue& queue, const Coo& matrix, const DType& type) {
  const Size& size = matrix.size;
  const Array& data = matrix.data;
  if (has_keys(size)) {
    // Few digits make a short sort.
    const bool is_small = size.rows <= std::numeric_limits<std::int32_t>::max() / size.columns;
    const Array key = wide(matrix.rows) * size.columns + wide(matrix.columns);
    const Array keys = vector_of(key, is_small ? DType::of(Scalar::int32) : int64_type());
    // The values are a copy, as those of a sort are.
    if (is_increasing(keys))
      return csr_of_keys(queue, size, vector_of(keys, int64_type()), linalg::own_copy(data, queue), type);
    const auto [sorted, values] = sort_by_key(queue, keys, data);
    const auto [places, sums] = summed(queue, sorted, values);
    return csr_of_keys(queue, size, vector_of(places, int64_type()), sums, type);
  }
  const auto [rows, order] =
      sorted_places(queue, vector_of(matrix.rows, int64_type()), vector_of(matrix.columns, int64_type()));
  const Array columns = gather(queue, vector_of(matrix.columns, int64_type()), order);
  const Array values = gather(queue, data, order);
  // Runs of equal places are numbered, so that one key has both indices.
  const Index head = Index::slice(0, -1), tail = Index::slice(1);
  const Array differs =
      apply("logical_or", {apply("not_equal", {view(rows, {head}), view(rows, {tail})}),
                           apply("not_equal", {view(columns, {head}), view(columns, {tail})})});
  const Array steps = concat(std::vector<Array>{zeros(queue, {1}, int64_type()), wide(differs)});
  const Array runs = vector_of(cumsum(steps), int64_type());
  const auto [numbers, sums] = summed(queue, runs, values);
  const Array firsts = lower_bound(queue, runs, numbers);
  const Array starts = vector_of(arange(queue, 0, 1, size.rows + 1, int64_type()), int64_type());
  return Csr::unchecked(size, sums, quern::astype(gather(queue, columns, firsts), type),
                        quern::astype(lower_bound(queue, gather(queue, rows, firsts), starts), type));
}

Csr csr_by_kernels(const Queue& /*queue*/, const Dia& matrix, const DType& /*type*/) {
  return csr_of(coo_of(matrix));
}

Csr sorted_by_kernels(const Queue& queue, const Csr& matrix) {
  const Array order = sorted_places(queue, row_indices(matrix), matrix.indices()).second;
  return Csr::unchecked(matrix.size(), gather(queue, matrix.data(), order),
                        gather(queue, matrix.indices(), order), matrix.indptr());
}

}  // namespace

Csr csr_of(const Coo& matrix) {
  const Size& size = matrix.size;
  const DType dtype = value_type(matrix.data.dtype());
  const Queue queue = matrix.data.queue();
  const bool has_wide_index =
      matrix.rows.dtype().scalar == Scalar::int64 || matrix.columns.dtype().scalar == Scalar::int64;
  const DType narrow = index_type(std::max({size.rows, size.columns, std::int64_t(matrix.data.size())}));
  const DType type = has_wide_index ? int64_type() : narrow;
  if (matrix.data.size() == 0) {
    const Csr none(queue, size, dtype);
    return Csr::unchecked(size, none.data(), quern::astype(none.indices(), type),
                          quern::astype(none.indptr(), type));
  }
  constexpr algorithms::Operation<Csr, const Coo&, const DType&> kSorted(&host::csr_of_coordinates,
                                                                         &csr_by_kernels);
  return kSorted(queue, {size, vector_of(matrix.data, dtype), matrix.rows, matrix.columns}, type);
}

Csr csr_of(const Array& dense) {
  if (dense.shape().size() != 2) value_error("expected a matrix of two dimensions");
  const DType dtype = value_type(dense.dtype());
  const Size size = {dense.shape()[0], dense.shape()[1]};
  const Array all = vector_of(reshape(dense, {-1}), dtype);
  const Array places = flatnonzero(all);
  return csr_of_sorted_keys(size, places, gather(all.queue(), all, places),
                            index_type(std::max({size.rows, size.columns, std::int64_t(places.size())})));
}

Csr csr_of(const Bsr& matrix) {
  return csr_of(coo_of(matrix));
}

Csr csr_of(const Dia& matrix) {
  constexpr algorithms::Operation<Csr, const Dia&, const DType&> kDiagonals(&host::csr_of_diagonals,
                                                                            &csr_by_kernels);
  const std::int64_t width = matrix.data.shape()[1];
  const DType type = index_type(std::max({matrix.size.rows, matrix.size.columns, width}));
  const bool is_empty = matrix.data.size() == 0 || matrix.size.rows == 0;
  return is_empty ? Csr(matrix.data.queue(), matrix.size, value_type(matrix.data.dtype()))
                  : kDiagonals(matrix.data.queue(), matrix, type);
}

Coo coo_of(const Csr& matrix) {
  return {matrix.size(), matrix.data(), row_indices(matrix), matrix.indices()};
}

Coo coo_of(const Bsr& matrix) {
  // Blocks after the last row are spare.
  const Index used = Index::slice(0, read_integer(view(matrix.indptr, {Index::slice(-1)})));
  const Array data = view(matrix.data, {used}), indices = view(matrix.indices, {used});
  const Shape& shape = data.shape();
  const Queue queue = matrix.data.queue();
  const Csr blocks = Csr::unchecked({matrix.size.rows / shape[1], matrix.size.columns / shape[2]},
                                    arange(queue, 0, 1, shape[0], int64_type()), indices, matrix.indptr);
  const bool has_wide_index = blocks.indices().dtype().scalar == Scalar::int64;
  const DType type =
      has_wide_index ? int64_type() : index_type(std::max(matrix.size.rows, matrix.size.columns));
  const Array row = reshape(wide(row_indices(blocks)), {-1, 1, 1}) * shape[1] +
                    reshape(arange(queue, 0, 1, shape[1], int64_type()), {1, -1, 1});
  const Array column = reshape(wide(blocks.indices()), {-1, 1, 1}) * shape[2] +
                       reshape(arange(queue, 0, 1, shape[2], int64_type()), {1, 1, -1});
  const auto flat = [&](const Array& array) {
    return vector_of(reshape(copy(broadcast_to(array, shape)), {-1}), type);
  };
  return {matrix.size, vector_of(reshape(data, {-1}), value_type(data.dtype())), flat(row), flat(column)};
}

Coo coo_of(const Dia& matrix) {
  const Shape& shape = matrix.data.shape();
  const Queue queue = matrix.data.queue();
  const DType type = index_type(std::max({matrix.size.rows, matrix.size.columns, shape[1]}));
  const Array column = arange(queue, 0, 1, shape[1], int64_type());
  const Array row = column - reshape(wide(matrix.offsets), {-1, 1});
  const Array data = quern::astype(matrix.data, value_type(matrix.data.dtype()));
  Array is_inside = apply("logical_and", {row >= 0, row < matrix.size.rows});
  is_inside = apply("logical_and", {is_inside, broadcast_to(column < matrix.size.columns, shape)});
  is_inside = apply("logical_and", {is_inside, apply("not_equal", {data, 0})});
  const Array places = flatnonzero(is_inside);
  const auto gathered = [&](const Array& array, const DType& dtype) {
    return vector_of(
        gather(queue, vector_of(reshape(copy(broadcast_to(array, shape)), {-1}), array.dtype()), places),
        dtype);
  };
  return {matrix.size, gathered(data, data.dtype()), gathered(row, type), gathered(column, type)};
}

Bsr bsr_of(const Csr& matrix, std::int64_t block_rows, std::int64_t block_columns) {
  const Size& size = matrix.size();
  if (block_rows < 1 || block_columns < 1 || size.rows % block_rows != 0 || size.columns % block_columns != 0)
    value_error("the block size (" + std::to_string(block_rows) + ", " + std::to_string(block_columns) +
                ") must divide the shape (" + std::to_string(size.rows) + ", " +
                std::to_string(size.columns) + ")");
  const Csr whole = sum_duplicates(matrix);
  const Queue queue = whole.queue();
  const Size blocks = {size.rows / block_rows, size.columns / block_columns};
  const DType& type = matrix.indices().dtype();
  if (whole.nnz() == 0)
    return {size, zeros(queue, {0, block_rows, block_columns}, matrix.dtype()), empty(queue, {0}, type),
            zeros(queue, {blocks.rows + 1}, type)};
  const Array row = wide(row_indices(whole)), column = wide(whole.indices());
  const Array key = apply("floor_divide", {row, block_rows}) * blocks.columns +
                    apply("floor_divide", {column, block_columns});
  const Array keys = unique_values(key);
  const Array numbers = lower_bound(queue, keys, vector_of(key, int64_type()));
  const Array inner =
      apply("remainder", {row, block_rows}) * block_columns + apply("remainder", {column, block_columns});
  const Array data =
      zeros(queue, {static_cast<std::int64_t>(keys.size()) * block_rows * block_columns}, matrix.dtype());
  scatter(queue, data, vector_of(numbers * (block_rows * block_columns) + inner, int64_type()), whole.data());
  const Csr places = csr_of_keys(queue, blocks, keys, keys, type);
  return {size, reshape(data, {-1, block_rows, block_columns}), places.indices(), places.indptr()};
}

Dia dia_of(const Csr& matrix) {
  const Csr whole = sum_duplicates(matrix);
  const Queue queue = whole.queue();
  const DType type = index_type(std::max(matrix.rows(), matrix.columns()));
  if (whole.nnz() == 0) return {matrix.size(), zeros(queue, {0, 0}, matrix.dtype()), empty(queue, {0}, type)};
  const Array column = wide(whole.indices());
  const Array offset = vector_of(column - wide(row_indices(whole)), int64_type());
  const Array offsets = unique_values(offset);
  const std::int64_t width = read_integer(max(column)) + 1;
  const Array data = zeros(queue, {static_cast<std::int64_t>(offsets.size()) * width}, matrix.dtype());
  const Array place = lower_bound(queue, offsets, offset) * width + column;
  scatter(queue, data, vector_of(place, int64_type()), whole.data());
  return {matrix.size(), reshape(data, {-1, width}), vector_of(offsets, type)};
}

Array dense_of(const Csr& matrix) {
  const Csr whole = sum_duplicates(matrix);
  Array result = zeros(matrix.queue(), {matrix.rows(), matrix.columns()}, matrix.dtype());
  if (whole.nnz() != 0) scatter(matrix.queue(), reshape(result, {-1}), keys_of(whole), whole.data());
  return result;
}

Csr sorted_indices(const Csr& matrix) {
  constexpr algorithms::Operation kSorted(&host::sorted_rows, &sorted_by_kernels);
  return matrix.has_sorted_indices() ? matrix : kSorted(matrix.queue(), matrix);
}

Csr sum_duplicates(const Csr& matrix) {
  return matrix.has_canonical_format() ? matrix : csr_of(coo_of(matrix));
}

Csr astype(const Csr& matrix, const DType& dtype) {
  return matrix.dtype() == dtype ? matrix : matrix.with_data(quern::astype(matrix.data(), dtype));
}

}  // namespace quern::sparse
