// SPDX-License-Identifier: MIT
// Element types: scalars, OpenCL vectors of them, and structures. Names are NumPy's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quern/api.hpp"

namespace QUERN_API quern {

enum class Scalar : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,  // the upper 16 bits of a float32; NumPy's type is ml_dtypes.bfloat16
  float32,
  float64,
  complex64,
  complex128,
  structure,  // see DType::layout
  unknown,    // only the size is known, if at all
};

struct StructLayout;

struct DType {
  Scalar scalar = Scalar::unknown;
  std::uint8_t lanes = 1;                      // 2, 3, 4, 8 or 16 for OpenCL vectors; 3 lanes occupy 4
  std::size_t itemsize = 0;                    // bytes of one element
  std::shared_ptr<const StructLayout> layout;  // for structures only

  // A scalar or vector type of its natural size.
  static DType of(Scalar scalar, unsigned lanes = 1);
  // Parses "float32", "int64", "float32x4"...; throws ArgumentError for an unknown name.
  static DType parse(std::string_view name);
  static DType structure(std::shared_ptr<const StructLayout> layout);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::size_t alignment() const;
  friend bool operator==(const DType& a, const DType& b);  // structures compare by layout, not by name
};

struct StructField {
  std::string name;
  DType dtype;
  std::size_t offset = 0;
  std::size_t count = 1;  // above 1 for an array member
  // The lengths of an array member with several dimensions; their product is `count`. Not part of the
  // comparison of layouts.
  std::vector<std::size_t> shape = {};
};

struct StructLayout {
  std::string name;
  std::vector<StructField> fields;
  std::size_t size = 0;
  std::size_t alignment = 1;
};

template <class T>
DType dtype_of();
template <>
inline DType dtype_of<bool>() {
  return DType::of(Scalar::boolean);
}
template <>
inline DType dtype_of<std::int8_t>() {
  return DType::of(Scalar::int8);
}
template <>
inline DType dtype_of<std::int16_t>() {
  return DType::of(Scalar::int16);
}
template <>
inline DType dtype_of<std::int32_t>() {
  return DType::of(Scalar::int32);
}
template <>
inline DType dtype_of<std::int64_t>() {
  return DType::of(Scalar::int64);
}
template <>
inline DType dtype_of<std::uint8_t>() {
  return DType::of(Scalar::uint8);
}
template <>
inline DType dtype_of<std::uint16_t>() {
  return DType::of(Scalar::uint16);
}
template <>
inline DType dtype_of<std::uint32_t>() {
  return DType::of(Scalar::uint32);
}
template <>
inline DType dtype_of<std::uint64_t>() {
  return DType::of(Scalar::uint64);
}
template <>
inline DType dtype_of<float>() {
  return DType::of(Scalar::float32);
}
template <>
inline DType dtype_of<double>() {
  return DType::of(Scalar::float64);
}

}  // namespace quern
