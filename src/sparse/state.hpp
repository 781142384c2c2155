// SPDX-License-Identifier: MIT
// What a matrix in compressed rows owns: its arrays, and what is derived from them once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "quern/error.hpp"
#include "quern/sparse.hpp"
#include "sparse/row_plan.hpp"

namespace quern::sparse {

[[noreturn]] inline void value_error(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}
[[noreturn]] inline void type_error(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::type, text);
}

inline DType int64_type() {
  return DType::of(Scalar::int64);
}

// One row for each entry: arrays of one dimension, contiguous, in memory.
Array vector_of(const Array& array, const DType& dtype);
// The element type of a matrix: float16 and bfloat16 become float32. Throws ArgumentError for structures and
// vectors.
DType value_type(const DType& dtype);

// The one element of an array of integers; waits for it.
std::int64_t read_integer(const Array& array);

// Flags that are computed once.
struct Order {
  bool is_sorted, is_canonical;
};

}  // namespace quern::sparse

namespace quern::sparse::detail {

// The structure, which matrices with other values share.
struct Structure {
  Structure(Size matrix_size, Array columns, Array row_starts)
      : size(matrix_size), indices(std::move(columns)), indptr(std::move(row_starts)) {}

  const Size size;
  const Array indices, indptr;

  std::mutex mutex;  // guards what follows
  std::optional<Order> order;
  RowPlan plan;
  std::shared_ptr<Structure> transposed;
  std::optional<Array> places;  // the entry from which each entry of the transpose comes
};

class CsrState {
 public:
  CsrState(std::shared_ptr<Structure> shared, Array values)
      : structure(std::move(shared)), data(std::move(values)) {}

  const std::shared_ptr<Structure> structure;
  const Array data;

  std::mutex mutex;  // guards what follows
  std::shared_ptr<const Csr> transposed;
};

}  // namespace quern::sparse::detail
