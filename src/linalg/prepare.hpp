// SPDX-License-Identifier: MIT
// Checks and conversions of the operands of linear algebra, and memory for one matrix.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "linalg/batch.hpp"
#include "quern/array.hpp"
#include "quern/dtype.hpp"

namespace quern::linalg {

// Operands of one floating-point type, and the queue of the computation.
struct Operands {
  Queue queue;
  DType dtype, real;  // real: of its magnitudes
  std::vector<Array> arrays;
};
// Integers become the default float. Throws ArgumentError for float16 and bfloat16, which LAPACK lacks, as
// NumPy does.
Operands prepared(const char* name, std::initializer_list<Array> arrays);

// Throws LinAlgError with NumPy's texts.
void check_stack(const Array& a);   // at least two dimensions
void check_square(const Array& a);  // and square

Shape stack_of(const Array& a, std::size_t axes = 2);
Shape common_stack(const char* name, const Shape& a, const Shape& b);
Shape joined(Shape stack, std::initializer_list<std::int64_t> lengths);

// Calls body.template operator()<T>() for the C++ type of the dtype.
template <class Body>
auto with_type(const DType& dtype, Body&& body) {
  switch (dtype.scalar) {
    case Scalar::float32:
      return body.template operator()<float>();
    case Scalar::complex64:
      return body.template operator()<std::complex<float>>();
    case Scalar::complex128:
      return body.template operator()<std::complex<double>>();
    default:
      return body.template operator()<double>();
  }
}

// Memory for one matrix: on the stack if it is small.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t count) {
    if (static_cast<std::size_t>(count) > kInline)
      heap_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
  }
  [[nodiscard]] T* data() { return heap_ ? heap_.get() : reinterpret_cast<T*>(inline_.data()); }

 private:
  static constexpr std::size_t kInline = 256;
  alignas(64) std::array<std::byte, kInline * sizeof(T)> inline_;
  std::unique_ptr<T[]> heap_;
};

}  // namespace quern::linalg
