// SPDX-License-Identifier: MIT
// Sparse matrices built in host memory by functions written by hand: what conversions, selections, sums and
// products of two sparse matrices do there. Each is the first function of an algorithms::Operation; arguments
// were checked, matrices have entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/array.hpp"
#include "quern/queue.hpp"
#include "quern/sparse.hpp"
#include "sparse/state.hpp"

namespace quern::sparse::host {

// sort_entries.cpp. Entries are sorted by row and then by column; those of one place are summed.
Csr csr_of_coordinates(const Queue& queue, const Coo& matrix, const DType& type);
// With sorted columns; duplicates stay.
Csr sorted_rows(const Queue& queue, const Csr& matrix);
// The structure of the transpose, and of each entry of it: the entry from which it comes, or its value.
struct Transposition {
  Array indices, indptr;
  std::optional<Array> places, values;
};
Transposition transposition_of(const Queue& queue, const Csr& matrix);  // with places
Transposition transposed(const Queue& queue, const Csr& matrix);        // with values

// row_loops.cpp
Order order_of(const Queue& queue, const Csr& matrix);
Csr rows_at(const Queue& queue, const Csr& matrix, const Array& rows);
Csr assembled(const Queue& queue, const Size& size, const std::vector<Placed>& parts, const DType& dtype,
              const DType& type);
Array column_sums(const Queue& queue, const Csr& matrix);
Array diagonal(const Queue& queue, const Csr& matrix, std::int64_t offset, std::int64_t count);
Csr eye(const Queue& queue, Size size, std::int64_t offset, const DType& dtype);
Csr csr_of_diagonals(const Queue& queue, const Dia& matrix, const DType& type);

// merge_rows.cpp. The operation is add, subtract or multiply; the matrices have the same dtypes, sorted
// columns and no duplicates, and entries of at least 4 bytes.
Csr merged(const Queue& queue, std::string_view operation, const Csr& a, const Csr& b);

// product_rows.cpp. Entries have at least 4 bytes.
Csr product(const Queue& queue, const Csr& a, const Csr& b, const DType& dtype);

}  // namespace quern::sparse::host
