// SPDX-License-Identifier: MIT
// The defines of the kernels of sparse matrices (sparse_*.cl).
#include "codegen/sparse_form.hpp"

#include "codegen/type_text.hpp"

namespace quern::codegen {

DType sparse_value(const DType& dtype) {
  switch (dtype.scalar) {
    case Scalar::int8:
      return DType::of(Scalar::uint8);
    case Scalar::int16:
      return DType::of(Scalar::uint16);
    case Scalar::int32:
      return DType::of(Scalar::uint32);
    case Scalar::int64:
      return DType::of(Scalar::uint64);
    default:
      return dtype;
  }
}

Defines sparse_defines(const DType& dtype, const DType& index) {
  const bool is_complex = dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
  const bool is_floating = is_complex || dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::float64;
  return {{"VALUE", type_name(sparse_value(dtype))},
          {"PART", dtype.scalar == Scalar::complex64 ? "float" : "double"},
          {"COMPLEX", is_complex ? "1" : "0"},
          {"BOOLEAN", dtype.scalar == Scalar::boolean ? "1" : "0"},
          {"FLOATING", is_floating ? "1" : "0"},
          {"INDEX", type_name(index)}};
}

Defines sparse_structure_defines(const DType& index) {
  return {{"INDEX", type_name(index)}};
}

}  // namespace quern::codegen
