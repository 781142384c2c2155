// SPDX-License-Identifier: MIT
// A matrix in compressed rows in host memory, for what is computed once for a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/sparse.hpp"

namespace quern::sparse {

// Copies of the structure. Waits for it.
struct HostStructure {
  explicit HostStructure(const Csr& matrix)
      : indices(read(matrix.indices())), indptr(read(matrix.indptr())) {}
  [[nodiscard]] std::size_t rows() const noexcept { return indptr.size() - 1; }

  std::vector<std::int64_t> indices, indptr;

 private:
  static std::vector<std::int64_t> read(const Array& array) {
    const Array wide = quern::astype(array, DType::of(Scalar::int64));
    wide.evaluate();
    return wide.to_vector<std::int64_t>(wide.queue());
  }
};

}  // namespace quern::sparse
