// SPDX-License-Identifier: MIT
// Matrices in compressed rows: checks, order of the entries, the transpose.
#include "quern/sparse.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/launch/operation.hpp"
#include "base/dtype_kinds.hpp"
#include "quern/gather.hpp"
#include "quern/indexing.hpp"
#include "quern/reduce.hpp"
#include "quern/search.hpp"
#include "quern/sort.hpp"
#include "quern/views.hpp"
#include "sparse/host/functions.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {

DType index_type(std::int64_t most) {
  return DType::of(most <= std::numeric_limits<std::int32_t>::max() ? Scalar::int32 : Scalar::int64);
}

DType value_type(const DType& dtype) {
  if (dtype.lanes != 1 || dtype.scalar >= Scalar::structure)
    type_error("a sparse matrix holds numbers, not " + dtype.name());
  return quern::detail::widened(dtype);
}

Array vector_of(const Array& array, const DType& dtype) {
  if (array.shape().size() != 1)
    value_error("a sparse matrix needs vectors, got " + std::to_string(array.shape().size()) + " dimensions");
  Array result = quern::astype(array, dtype);
  result.evaluate();
  result = as_contiguous(result);
  result.evaluate();
  return result;
}

std::int64_t read_integer(const Array& array) {
  const Array one = quern::astype(array, int64_type());
  return one.to_vector<std::int64_t>(one.queue())[0];
}

namespace {

using detail::Structure;

DType common_index_type(const Array& indices, const Array& indptr, const Size& size) {
  for (const Array* const array : {&indices, &indptr}) {
    const Scalar scalar = array->dtype().scalar;
    if (scalar < Scalar::int8 || scalar > Scalar::uint64)
      type_error("indices of a sparse matrix are integers, got " + array->dtype().name());
  }
  const auto is_wide = [](const Array& array) {
    const Scalar scalar = array.dtype().scalar;
    return scalar == Scalar::int64 || scalar == Scalar::uint64 || scalar == Scalar::uint32;
  };
  if (is_wide(indices) || is_wide(indptr)) return int64_type();
  return index_type(std::max(size.rows, size.columns));
}

void check_size(const Size& size) {
  if (size.rows < 0 || size.columns < 0) value_error("the shape of a sparse matrix must not be negative");
}

// Throws unless starts begin with 0 and never decrease, and columns are in range. Returns the number of
// entries. Waits once.
std::int64_t checked_entries(const Size& size, const Array& data, const Array& indices, const Array& indptr) {
  if (static_cast<std::int64_t>(indptr.size()) != size.rows + 1)
    value_error("indptr has " + std::to_string(indptr.size()) + " elements; " + std::to_string(size.rows) +
                " rows need " + std::to_string(size.rows + 1));
  const Array first = view(indptr, {Index::slice(0, 1)}), last = view(indptr, {Index::slice(-1)});
  const Array falls =
      reshape(count_nonzero(view(indptr, {Index::slice(1)}) < view(indptr, {Index::slice(0, -1)})), {1});
  std::vector<Array> facts = {quern::astype(first, int64_type()), quern::astype(last, int64_type()),
                              quern::astype(falls, int64_type())};
  std::vector<std::int64_t> values;
  for (const Array& fact : facts) values.push_back(read_integer(fact));
  if (values[0] != 0) value_error("indptr must begin with 0, got " + std::to_string(values[0]));
  if (values[2] != 0) value_error("indptr must not decrease");
  const std::int64_t entries = values[1];
  if (entries > static_cast<std::int64_t>(indices.size()) || entries > static_cast<std::int64_t>(data.size()))
    value_error("the last element of indptr is " + std::to_string(entries) + ", but indices has " +
                std::to_string(indices.size()) + " elements and data " + std::to_string(data.size()));
  if (entries == 0) return 0;
  const Array used = view(indices, {Index::slice(0, entries)});
  const std::int64_t least = read_integer(min(used)), most = read_integer(max(used));
  if (least < 0 || most >= size.columns)
    value_error("column index " + std::to_string(least < 0 ? least : most) + " is out of bounds for " +
                std::to_string(size.columns) + " columns");
  return entries;
}

Array head_of(const Array& array, std::int64_t count) {
  if (static_cast<std::int64_t>(array.size()) == count) return array;
  return view(array, {Index::slice(0, count)});
}

std::shared_ptr<detail::CsrState> state_of(Size size, const Array& data, const Array& indices,
                                           const Array& indptr) {
  const DType type = common_index_type(indices, indptr, size);
  return std::make_shared<detail::CsrState>(
      std::make_shared<Structure>(size, vector_of(indices, type), vector_of(indptr, type)),
      vector_of(data, value_type(data.dtype())));
}

Order order_by_kernels(const Queue& /*queue*/, const Csr& matrix) {
  const Array rows = row_indices(matrix);
  const Index head = Index::slice(0, -1), tail = Index::slice(1);
  const Array is_same_row = apply("equal", {view(rows, {head}), view(rows, {tail})});
  const Array before = view(matrix.indices(), {head}), after = view(matrix.indices(), {tail});
  const Array falls = count_nonzero(apply("logical_and", {is_same_row, before > after}));
  const Array repeats = count_nonzero(apply("logical_and", {is_same_row, apply("equal", {before, after})}));
  const bool is_sorted = read_integer(falls) == 0;
  return {is_sorted, is_sorted && read_integer(repeats) == 0};
}

// Whether entries increase within their rows. Waits.
Order order_of(const Csr& matrix) {
  constexpr algorithms::Operation kOrder(&host::order_of, &order_by_kernels);
  if (matrix.nnz() < 2) return {true, true};
  return kOrder(matrix.queue(), matrix);
}

// The sort is stable, so that entries of a column stay in the order of their rows.
host::Transposition transposition_by_kernels(const Queue& queue, const Csr& matrix) {
  const DType& type = matrix.indices().dtype();
  const auto [columns, order] =
      sort_by_key(queue, matrix.indices(), arange(queue, 0, 1, matrix.nnz(), int64_type()));
  const Array firsts = arange(queue, 0, 1, matrix.columns() + 1, type);
  firsts.evaluate();
  return {vector_of(gather(queue, row_indices(matrix), order), type),
          vector_of(lower_bound(queue, columns, firsts), type), order, std::nullopt};
}

// Of a matrix with entries. The host stores values with the structure; places take as long again, and are
// found only if other values need them.
constexpr algorithms::Operation kTransposed(&host::transposed, &transposition_by_kernels);
constexpr algorithms::Operation kTransposition(&host::transposition_of, &transposition_by_kernels);

}  // namespace

Csr::Csr(Size size, const Array& data, const Array& indices, const Array& indptr) {
  check_size(size);
  if (data.shape().size() != 1 || indices.shape().size() != 1 || indptr.shape().size() != 1)
    value_error("data, indices and indptr must have one dimension each");
  const std::int64_t entries = checked_entries(size, data, indices, indptr);
  state_ = state_of(size, head_of(data, entries), head_of(indices, entries), indptr);
}

Csr::Csr(const Queue& queue, Size size, const DType& dtype) {
  check_size(size);
  const DType type = index_type(std::max(size.rows, size.columns));
  state_ = state_of(size, empty(queue, {0}, value_type(dtype)), empty(queue, {0}, type),
                    zeros(queue, {size.rows + 1}, type));
}

Csr Csr::unchecked(Size size, const Array& data, const Array& indices, const Array& indptr) {
  return Csr(state_of(size, data, indices, indptr));
}

const Size& Csr::size() const noexcept {
  return state_->structure->size;
}
std::int64_t Csr::nnz() const noexcept {
  return static_cast<std::int64_t>(state_->data.size());
}
const Array& Csr::data() const noexcept {
  return state_->data;
}
const Array& Csr::indices() const noexcept {
  return state_->structure->indices;
}
const Array& Csr::indptr() const noexcept {
  return state_->structure->indptr;
}

bool Csr::has_sorted_indices() const {
  Structure& structure = *state_->structure;
  const std::lock_guard lock(structure.mutex);
  if (!structure.order) structure.order = order_of(*this);
  return structure.order->is_sorted;
}

bool Csr::has_canonical_format() const {
  static_cast<void>(has_sorted_indices());
  const std::lock_guard lock(state_->structure->mutex);
  return state_->structure->order->is_canonical;
}

Csr Csr::with_data(const Array& data) const {
  if (data.size() != static_cast<std::size_t>(nnz()))
    value_error("expected " + std::to_string(nnz()) + " values, got " + std::to_string(data.size()));
  return Csr(
      std::make_shared<detail::CsrState>(state_->structure, vector_of(data, value_type(data.dtype()))));
}

Csr Csr::transposed(bool keeps_values) const {
  const std::lock_guard values_lock(state_->mutex);
  if (keeps_values && state_->transposed) return *state_->transposed;
  Structure& structure = *state_->structure;
  std::shared_ptr<Structure> other;
  std::optional<Array> places, values;
  {
    const std::lock_guard lock(structure.mutex);
    if (!structure.transposed) {
      const Size size = {structure.size.columns, structure.size.rows};
      const DType& type = indices().dtype();
      if (nnz() == 0) {
        structure.transposed =
            std::make_shared<Structure>(size, indices(), zeros(queue(), {size.rows + 1}, type));
        structure.transposed->indptr.evaluate();
        structure.places = indices();
      } else {
        const host::Transposition made = kTransposed(queue(), *this);
        structure.transposed = std::make_shared<Structure>(size, made.indices, made.indptr);
        structure.places = made.places;
        values = made.values;
      }
      if (structure.order && structure.order->is_canonical) structure.transposed->order = structure.order;
    } else if (!structure.places) {
      structure.places = kTransposition(queue(), *this).places;
    }
    other = structure.transposed;
    places = structure.places;
  }
  if (!values) values = gather(queue(), data(), *places);
  Csr result(std::make_shared<detail::CsrState>(other, *values));
  if (keeps_values) state_->transposed = std::make_shared<const Csr>(result);
  return result;
}

}  // namespace quern::sparse
