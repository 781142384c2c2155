// SPDX-License-Identifier: MIT
// Operations on elements, selections of entries and rows, products of two sparse matrices.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/launch/operation.hpp"
#include "libraries/cusparse.hpp"
#include "quern/cumulative.hpp"
#include "quern/gather.hpp"
#include "quern/indexing.hpp"
#include "quern/manipulation.hpp"
#include "quern/reduce.hpp"
#include "quern/search.hpp"
#include "quern/select.hpp"
#include "quern/views.hpp"
#include "sparse/host/functions.hpp"
#include "sparse/host/number.hpp"
#include "sparse/kernels.hpp"
#include "sparse/libraries.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// Products of two sparse matrices are expanded before they are summed; more than these are computed in parts.
constexpr std::int64_t kMostProducts = std::int64_t{1} << 25;

std::string text_of(const Size& size) {
  return "(" + std::to_string(size.rows) + ", " + std::to_string(size.columns) + ")";
}

// The entries at these indices, which increase.
Csr entries_at(const Csr& matrix, const Array& places) {
  if (static_cast<std::int64_t>(places.size()) == matrix.nnz()) return matrix;
  const Queue queue = matrix.queue();
  const Array starts = quern::astype(matrix.indptr(), int64_type());
  starts.evaluate();
  return Csr::unchecked(matrix.size(), gather(queue, matrix.data(), places),
                        gather(queue, matrix.indices(), places),
                        quern::astype(lower_bound(queue, places, starts), matrix.indptr().dtype()));
}

Csr entries_where(const Csr& matrix, const Array& condition) {
  return matrix.nnz() == 0 ? matrix : entries_at(matrix, flatnonzero(condition));
}

Array wide_diagonals(const Csr& matrix) {
  return quern::astype(matrix.indices(), int64_type()) - quern::astype(row_indices(matrix), int64_type());
}

// Whether two matrices of one size have entries at the same places. Waits.
bool have_same_places(const Csr& a, const Csr& b) {
  if (a.nnz() != b.nnz() || a.nnz() == 0) return false;
  if (a.state().structure == b.state().structure) return true;
  const auto are_equal = [](const Array& x, const Array& y) {
    return read_integer(quern::astype(all(apply("equal", {x, y})), int64_type())) != 0;
  };
  return are_equal(a.indptr(), b.indptr()) && are_equal(a.indices(), b.indices());
}

// The matrix with indices of a dtype that holds them.
Csr with_index_type(const Csr& matrix, const DType& type) {
  if (matrix.indices().dtype() == type) return matrix;
  return Csr::unchecked(matrix.size(), matrix.data(), quern::astype(matrix.indices(), type),
                        quern::astype(matrix.indptr(), type));
}

Csr merged_by_kernels(const Queue& queue, std::string_view operation, const Csr& left, const Csr& right) {
  const Array left_keys = keys_of(left), right_keys = keys_of(right);
  const Array merged = merge(queue, left_keys, right_keys);
  const Array keys = merged.size() == 0 ? merged : unique(queue, merged);
  const auto spread = [&](const Csr& matrix, const Array& own) {
    Array values = zeros(queue, keys.shape(), matrix.dtype());
    if (matrix.nnz() != 0) scatter(queue, values, lower_bound(queue, keys, own), matrix.data());
    return values;
  };
  const Array values = apply(operation, {spread(left, left_keys), spread(right, right_keys)});
  values.evaluate();
  const DType& type = left.indices().dtype();
  if (keys.size() == 0) return csr_of_sorted_keys(left.size(), keys, values, type);
  const Array kept = flatnonzero(apply("not_equal", {values, 0}));
  return csr_of_sorted_keys(left.size(), gather(queue, keys, kept), gather(queue, values, kept), type);
}

// The rows [begin, end).
Csr row_range(const Csr& matrix, std::int64_t begin, std::int64_t end) {
  return take_rows(matrix, arange(matrix.queue(), begin, 1, end - begin, int64_type()));
}

// Expands A[i, k] B[k, :] for each entry of A, sorts and sums.
Csr expanded_product(const Csr& a, const Csr& b, const DType& dtype) {
  const Queue queue = a.queue();
  const Csr parts = take_rows(b, quern::astype(a.indices(), int64_type()));
  const Array from = row_indices(parts);
  const Array values = gather(queue, vector_of(a.data(), dtype), from) * quern::astype(parts.data(), dtype);
  return csr_of(Coo{{a.rows(), b.columns()},
                    vector_of(values, dtype),
                    gather(queue, row_indices(a), from),
                    parts.indices()});
}

// By cuSPARSE, which takes int32 indices. Nothing if it is not found or has no memory.
std::optional<Csr> product_by_library(const Csr& a, const Csr& b, const DType& dtype) {
  const Queue queue = a.queue();
  const auto is_narrow = [](const Csr& matrix) { return matrix.indices().dtype().itemsize == 4; };
  // cuSPARSE refuses matrices without entries, and those with more entries than elements, by duplicates.
  const auto is_taken = [&](const Csr& matrix) {
    return matrix.nnz() != 0 && (matrix.nnz() - 1) / matrix.rows() < matrix.columns() && is_narrow(matrix);
  };
  if (!libraries::cusparse_takes(queue, dtype.scalar) || !is_taken(a) || !is_taken(b)) return std::nullopt;
  const Csr left = astype(a, dtype), right = astype(b, dtype);
  const auto found = libraries::cusparse_multiply(queue, device_csr(left), device_csr(right));
  if (!found) return std::nullopt;
  return Csr::unchecked({a.rows(), b.columns()}, found->data, found->indices, found->indptr);
}

}  // namespace

Csr product_in_parts(const Csr& a, const Csr& b, const DType& dtype, std::int64_t most) {
  const Array counts = gather(a.queue(), b.indptr(), vector_of(a.indices() + 1, a.indices().dtype())) -
                       gather(a.queue(), b.indptr(), a.indices());
  const std::int64_t products = a.nnz() == 0 ? 0 : read_integer(sum(counts));
  if (products <= most || a.rows() < 2) return expanded_product(a, b, dtype);
  const std::int64_t middle = a.rows() / 2;
  const Csr upper = product_in_parts(row_range(a, 0, middle), b, dtype, most);
  const Csr lower = product_in_parts(row_range(a, middle, a.rows()), b, dtype, most);
  const DType type = index_type(std::max({a.rows(), b.columns(), upper.nnz() + lower.nnz()}));
  const auto joined = [&](const Array& first, const Array& second, const DType& as) {
    return quern::astype(concat(std::vector<Array>{first, second}), as);
  };
  const Array starts = quern::astype(view(lower.indptr(), {Index::slice(1)}), int64_type()) + upper.nnz();
  return Csr::unchecked({a.rows(), b.columns()}, joined(upper.data(), lower.data(), dtype),
                        joined(upper.indices(), lower.indices(), type), joined(upper.indptr(), starts, type));
}

namespace {

Csr product_by_kernels(const Queue& /*queue*/, const Csr& a, const Csr& b, const DType& dtype) {
  return product_in_parts(a, b, dtype, kMostProducts);
}

Array diagonal_by_kernels(const Queue& queue, const Csr& matrix, std::int64_t offset, std::int64_t count) {
  Array result = zeros(queue, {count}, matrix.dtype());
  const Csr whole = sum_duplicates(matrix);
  const Csr entries = entries_where(whole, apply("equal", {wide_diagonals(whole), offset}));
  if (entries.nnz() == 0) return result;
  const Array rows = quern::astype(row_indices(entries), int64_type());
  scatter(queue, result, vector_of(rows + std::min<std::int64_t>(offset, 0), int64_type()), entries.data());
  return result;
}

Csr rows_by_kernels(const Queue& queue, const Csr& matrix, const Array& rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  const Size size = {count, matrix.columns()};
  const Array chosen = vector_of(rows, int64_type());
  const Array begins = quern::astype(gather(queue, matrix.indptr(), chosen), int64_type());
  const Array ends =
      quern::astype(gather(queue, matrix.indptr(), vector_of(chosen + 1, int64_type())), int64_type());
  const Array starts =
      vector_of(cumsum(ends - begins, {.dtype = int64_type(), .include_initial = true}), int64_type());
  const std::int64_t total = read_integer(view(starts, {Index::slice(-1)}));
  const Array segment = segment_of_each(starts, total);
  const Array places = vector_of(
      gather(queue, vector_of(begins - view(starts, {Index::slice(0, -1)}), int64_type()), segment) +
          arange(queue, 0, 1, total, int64_type()),
      int64_type());
  const DType type = matrix.indices().dtype() == int64_type()
                         ? int64_type()
                         : index_type(std::max({count, matrix.columns(), total}));
  return Csr::unchecked(size, gather(queue, matrix.data(), places),
                        quern::astype(gather(queue, matrix.indices(), places), type),
                        quern::astype(starts, type));
}

Csr assembled_by_kernels(const Queue& /*queue*/, const Size& size, const std::vector<Placed>& parts,
                         const DType& dtype, const DType& type) {
  std::vector<Array> data, rows, columns;
  for (const Placed& part : parts) {
    data.push_back(part.matrix.data());
    rows.push_back(quern::astype(row_indices(part.matrix), int64_type()) + part.row);
    columns.push_back(quern::astype(part.matrix.indices(), int64_type()) + part.column);
  }
  return csr_of(Coo{size, concat(data, 0, dtype), quern::astype(concat(rows), type),
                    quern::astype(concat(columns), type)});
}

Array column_sums_by_kernels(const Queue& /*queue*/, const Csr& matrix) {
  return row_sums(matrix.transposed());
}

}  // namespace

Array column_sums(const Csr& matrix) {
  constexpr algorithms::Operation kSums(&host::column_sums, &column_sums_by_kernels);
  if (matrix.nnz() == 0) return zeros(matrix.queue(), {matrix.columns()}, matrix.dtype());
  return kSums(matrix.queue(), matrix);
}

Csr eliminate_zeros(const Csr& matrix) {
  return entries_where(matrix, apply("not_equal", {matrix.data(), 0}));
}

Csr tril(const Csr& matrix, std::int64_t offset) {
  return entries_where(matrix, wide_diagonals(matrix) <= offset);
}

Csr triu(const Csr& matrix, std::int64_t offset) {
  return entries_where(matrix, wide_diagonals(matrix) >= offset);
}

Csr elementwise(std::string_view operation, const Csr& a, const Csr& b) {
  if (!(a.size() == b.size()))
    value_error("inconsistent shapes " + text_of(a.size()) + " and " + text_of(b.size()));
  // Duplicates are summed in the common dtype, as SciPy does.
  const DType common = result_type(a.dtype(), b.dtype());
  const Csr left = sum_duplicates(astype(a, common)), right = sum_duplicates(astype(b, common));
  const Queue queue = a.queue();
  if (have_same_places(left, right)) {
    const Array values = apply(operation, {left.data(), right.data()});
    values.evaluate();
    return eliminate_zeros(left.with_data(values));
  }
  const DType type = result_type(result_type(a.indices().dtype(), b.indices().dtype()),
                                 index_type(left.nnz() + right.nnz()));
  const Csr first = with_index_type(left, type), second = with_index_type(right, type);
  const bool has_function =
      host::is_wide(common) && (operation == "multiply" || operation == "add" || operation == "subtract");
  constexpr algorithms::Operation kMerged(&host::merged, &merged_by_kernels);
  if (has_function && left.nnz() != 0 && right.nnz() != 0) return kMerged(queue, operation, first, second);
  return merged_by_kernels(queue, operation, first, second);
}

Array diagonal(const Csr& matrix, std::int64_t offset) {
  const Size& size = matrix.size();
  if (offset <= -size.rows || offset >= size.columns) return zeros(matrix.queue(), {0}, matrix.dtype());
  const std::int64_t count = std::min(size.rows + std::min<std::int64_t>(offset, 0),
                                      size.columns - std::max<std::int64_t>(offset, 0));
  if (matrix.nnz() == 0) return zeros(matrix.queue(), {count}, matrix.dtype());
  constexpr algorithms::Operation kDiagonal(&host::diagonal, &diagonal_by_kernels);
  return kDiagonal(matrix.queue(), matrix, offset, count);
}

Csr take_rows(const Csr& matrix, const Array& rows) {
  const Queue queue = matrix.queue();
  const auto count = static_cast<std::int64_t>(rows.size());
  const Size size = {count, matrix.columns()};
  if (count == 0 || matrix.nnz() == 0) {
    const Csr none(queue, size, matrix.dtype());
    return Csr::unchecked(size, none.data(), quern::astype(none.indices(), matrix.indices().dtype()),
                          none.indptr());
  }
  constexpr algorithms::Operation kRows(&host::rows_at, &rows_by_kernels);
  return kRows(queue, matrix, rows);
}

Csr multiply(const Csr& a, const Csr& b) {
  if (a.columns() != b.rows())
    value_error("matmul: dimension mismatch with shapes " + text_of(a.size()) + " and " + text_of(b.size()));
  const DType dtype = result_type(a.dtype(), b.dtype());
  if (a.nnz() == 0 || b.nnz() == 0) return Csr(a.queue(), {a.rows(), b.columns()}, dtype);
  if (const std::optional<Csr> product = product_by_library(a, b, dtype)) return *product;
  constexpr algorithms::Operation kProduct(&host::product, &product_by_kernels);
  return host::is_wide(dtype) ? kProduct(a.queue(), a, b, dtype) : product_by_kernels(a.queue(), a, b, dtype);
}

Csr kron(const Csr& a, const Csr& b) {
  const Size size = {a.rows() * b.rows(), a.columns() * b.columns()};
  const DType dtype = result_type(a.dtype(), b.dtype());
  if (a.nnz() == 0 || b.nnz() == 0) return Csr(a.queue(), size, dtype);
  const auto column = [](const Array& array) { return reshape(array, {-1, 1}); };
  const auto wide = [](const Array& array) { return quern::astype(array, int64_type()); };
  const DType type = index_type(std::max(size.rows, size.columns));
  const auto flat = [](const Array& array, const DType& as) { return vector_of(reshape(array, {-1}), as); };
  return csr_of(Coo{size, flat(quern::astype(column(a.data()), dtype) * b.data(), dtype),
                    flat(column(wide(row_indices(a))) * b.rows() + wide(row_indices(b)), type),
                    flat(column(wide(a.indices())) * b.columns() + wide(b.indices()), type)});
}

Csr assemble(Size size, const std::vector<Placed>& parts) {
  if (parts.empty()) value_error("assemble: expected at least one matrix");
  DType dtype = parts[0].matrix.dtype();
  std::int64_t entries = 0;
  for (const Placed& part : parts) entries += part.matrix.nnz();
  DType type = index_type(std::max({size.rows, size.columns, entries}));
  for (const Placed& part : parts) {
    const Csr& matrix = part.matrix;
    if (part.row < 0 || part.column < 0 || part.row + matrix.rows() > size.rows ||
        part.column + matrix.columns() > size.columns)
      value_error("assemble: a matrix of shape " + text_of(matrix.size()) + " does not fit at (" +
                  std::to_string(part.row) + ", " + std::to_string(part.column) + ") of " + text_of(size));
    dtype = result_type(dtype, matrix.dtype());
    type = result_type(type, matrix.indices().dtype());
  }
  const Queue queue = parts[0].matrix.queue();
  if (entries == 0) return with_index_type(Csr(queue, size, dtype), type);
  constexpr algorithms::Operation kAssembled(&host::assembled, &assembled_by_kernels);
  return kAssembled(queue, size, parts, dtype, type);
}

namespace {

Csr eye_by_kernels(const Queue& queue, Size size, std::int64_t offset, const DType& dtype) {
  const std::int64_t count =
      std::max<std::int64_t>(0, std::min(size.rows + std::min<std::int64_t>(offset, 0),
                                         size.columns - std::max<std::int64_t>(offset, 0)));
  const DType type = index_type(std::max(size.rows, size.columns));
  if (offset == 0 && size.rows == count)
    return Csr::unchecked(size, full(queue, {count}, 1, dtype), arange(queue, 0, 1, count, type),
                          arange(queue, 0, 1, count + 1, type));
  // Row i starts at the number of entries in the rows before it.
  const Array before = arange(queue, 0, 1, size.rows + 1, int64_type()) - std::max<std::int64_t>(-offset, 0);
  const Array starts = apply("minimum", {apply("maximum", {before, 0}), count});
  const Array columns = arange(queue, 0, 1, count, int64_type()) + std::max<std::int64_t>(offset, 0);
  return Csr::unchecked(size, vector_of(full(queue, {count}, 1, dtype), dtype), vector_of(columns, type),
                        vector_of(starts, type));
}

}  // namespace

Csr eye(const Queue& queue, Size size, std::int64_t offset, const DType& dtype) {
  constexpr algorithms::Operation<Csr, Size, std::int64_t, const DType&> kEye(&host::eye, &eye_by_kernels);
  return kEye(queue, size, offset, value_type(dtype));
}

}  // namespace quern::sparse
