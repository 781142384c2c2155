// SPDX-License-Identifier: MIT
// Sparse matrices in device memory: compressed rows, and conversions to and from other formats.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/dtype.hpp"

namespace quern {
namespace QUERN_API sparse {

struct Size {
  std::int64_t rows = 0, columns = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

// int32 if it can count to `most`, otherwise int64.
DType index_type(std::int64_t most);

// Coordinates: entries (rows[k], columns[k]) with value data[k]. Entries at the same place are summed.
struct Coo {
  Size size;
  Array data, rows, columns;
};

// Dense blocks in compressed rows: data has the shape (blocks, block rows, block columns).
struct Bsr {
  Size size;
  Array data, indices, indptr;
};

// Diagonals: data[k, j] is the entry in column j of the diagonal that is offsets[k] above the main one.
struct Dia {
  Size size;
  Array data, offsets;
};

namespace detail {
class CsrState;
}

// A matrix in compressed rows: row i has the columns indices[indptr[i]:indptr[i + 1]] with the values in the
// same part of data. Rows may be empty and unsorted, and may have an entry twice; such entries are summed.
// Elements have the dtypes of numbers, without float16 and bfloat16. Indices are int32 or int64.
//
// A handle: copies share the arrays and what is derived from them once, such as the partition of the rows
// among work-groups. Nothing may write to the arrays afterwards; only to data(), if transposed() is not kept.
class Csr {
 public:
  // Converts the arrays to a common index type and evaluates them. Throws ArgumentError for arrays that do
  // not fit each other or the size; this waits for the check of the indices. Further elements of data and
  // indices are dropped.
  Csr(Size size, const Array& data, const Array& indices, const Array& indptr);
  // A matrix without entries.
  Csr(const Queue& queue, Size size, const DType& dtype);
  // Without the check, which would wait: for arrays that fit.
  static Csr unchecked(Size size, const Array& data, const Array& indices, const Array& indptr);

  [[nodiscard]] const Size& size() const noexcept;
  [[nodiscard]] std::int64_t rows() const noexcept { return size().rows; }
  [[nodiscard]] std::int64_t columns() const noexcept { return size().columns; }
  [[nodiscard]] std::int64_t nnz() const noexcept;  // number of stored entries, zeros included
  [[nodiscard]] const DType& dtype() const noexcept { return data().dtype(); }
  [[nodiscard]] const Array& data() const noexcept;
  [[nodiscard]] const Array& indices() const noexcept;
  [[nodiscard]] const Array& indptr() const noexcept;
  [[nodiscard]] Queue queue() const { return data().queue(); }

  // Whether columns increase in each row, and whether none of them repeats. Both wait on the first call.
  [[nodiscard]] bool has_sorted_indices() const;
  [[nodiscard]] bool has_canonical_format() const;

  // The same structure with other values, one for each entry.
  [[nodiscard]] Csr with_data(const Array& data) const;
  // The transpose, in compressed rows, sorted. Its structure is computed once and kept. So are its values if
  // `keeps_values` is set; otherwise they are gathered anew.
  [[nodiscard]] Csr transposed(bool keeps_values = true) const;

  // Internal.
  explicit Csr(std::shared_ptr<detail::CsrState> state) : state_(std::move(state)) {}
  [[nodiscard]] detail::CsrState& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<detail::CsrState> state_;
};

// Conversions. Those to compressed rows sort the entries and sum duplicates; explicit zeros stay.
Csr csr_of(const Coo& matrix);
Csr csr_of(const Bsr& matrix);
Csr csr_of(const Dia& matrix);
Csr csr_of(const Array& dense);  // the nonzero elements; waits for their number
Coo coo_of(const Csr& matrix);
Coo coo_of(const Bsr& matrix);
Coo coo_of(const Dia& matrix);  // without zeros, as SciPy
Bsr bsr_of(const Csr& matrix, std::int64_t block_rows, std::int64_t block_columns);
Dia dia_of(const Csr& matrix);
Array dense_of(const Csr& matrix);
// Throw ArgumentError for arrays that do not fit each other or the size.
void check(const Coo& matrix);
void check(const Bsr& matrix);
void check(const Dia& matrix);

// The row of each entry.
Array row_indices(const Csr& matrix);
Csr sorted_indices(const Csr& matrix);
Csr sum_duplicates(const Csr& matrix);
Csr eliminate_zeros(const Csr& matrix);
Csr astype(const Csr& matrix, const DType& dtype);

// matrix @ x for a vector or a matrix x.
Array multiply(const Csr& matrix, const Array& x);
// y = matrix @ x of a square matrix, and conj(x) . y, whose parts the launch of the product sums.
struct ProductWithDot {
  Array y, dot;
};
ProductWithDot multiply_and_dot(const Csr& matrix, const Array& x);
Csr multiply(const Csr& a, const Csr& b);
Csr kron(const Csr& a, const Csr& b);

// Applies an operation of two operands ("add", "multiply", "maximum"...) to all elements. The result stores
// what is not zero. The operation must give zero for two zeros.
Csr elementwise(std::string_view operation, const Csr& a, const Csr& b);

// Sums of each row, of each column.
Array row_sums(const Csr& matrix);
Array column_sums(const Csr& matrix);
// The diagonal that is `offset` above the main one.
Array diagonal(const Csr& matrix, std::int64_t offset = 0);
// The rows of these indices (int64, from 0 on), in their order; indices may repeat.
Csr take_rows(const Csr& matrix, const Array& rows);
// The part on and below (above) the diagonal that is `offset` above the main one.
Csr tril(const Csr& matrix, std::int64_t offset = 0);
Csr triu(const Csr& matrix, std::int64_t offset = 0);

// The matrices added into a matrix of zeros, each from its own first row and column on.
struct Placed {
  Csr matrix;
  std::int64_t row = 0, column = 0;
};
Csr assemble(Size size, const std::vector<Placed>& parts);

// The identity, with ones on the diagonal that is `offset` above the main one.
Csr eye(const Queue& queue, Size size, std::int64_t offset = 0,
        const DType& dtype = DType::of(Scalar::float64));

}  // namespace sparse
}  // namespace quern
