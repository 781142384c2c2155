// SPDX-License-Identifier: MIT
// A matrix in compressed rows, as an argument of a library.
#pragma once

#include <cstdint>

#include "quern/buffer.hpp"
#include "quern/dtype.hpp"

namespace quern::libraries {

struct DeviceCsr {
  std::int64_t rows, columns, entries;
  Scalar scalar;
  bool has_wide_indices;  // int64 instead of int32
  Buffer data, indices, indptr;
};

// The value of cudaDataType, or -1: of float32, float64, complex64 and complex128.
constexpr int cuda_type_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return 0;
    case Scalar::float64:
      return 1;
    case Scalar::complex64:
      return 4;
    case Scalar::complex128:
      return 5;
    default:
      return -1;
  }
}

}  // namespace quern::libraries
