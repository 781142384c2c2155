// SPDX-License-Identifier: MIT
// Matrices as arguments of libraries.
#pragma once

#include "libraries/device_csr.hpp"
#include "quern/sparse.hpp"

namespace quern::sparse {

inline libraries::DeviceCsr device_csr(const Csr& matrix) {
  return {matrix.rows(),
          matrix.columns(),
          matrix.nnz(),
          matrix.dtype().scalar,
          matrix.indices().dtype().itemsize == 8,
          matrix.data().elements(),
          matrix.indices().elements(),
          matrix.indptr().elements()};
}

}  // namespace quern::sparse
