// SPDX-License-Identifier: MIT
// Copies of structures and numbers in host memory, for what the host computes of a matrix.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/sparse.hpp"
#include "quern/views.hpp"

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

// Numbers as double or std::complex<double>. The host converts them, because a device may lack float64. Of
// complex numbers double takes the real parts. Waits.
template <class T>
std::vector<T> host_values(const Array& array) {
  const Scalar scalar = array.dtype().scalar;
  const bool is_known =
      scalar == Scalar::float32 || scalar == Scalar::complex64 || scalar == Scalar::complex128;
  const Array numbers = as_contiguous(is_known ? array : quern::astype(array, DType::of(Scalar::float64)));
  numbers.evaluate();
  const Queue queue = numbers.queue();
  const auto read = [&]<class Element>(Element) {
    std::vector<Element> elements(numbers.size());
    numbers.wait_for_elements(queue);
    numbers.get(queue, elements.data()).wait();
    std::vector<T> result(elements.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      if constexpr (std::is_same_v<T, double>) {
        result[i] = static_cast<double>(std::real(elements[i]));
      } else {
        result[i] = {static_cast<double>(std::real(elements[i])),
                     static_cast<double>(std::imag(elements[i]))};
      }
    }
    return result;
  };
  if (scalar == Scalar::float32) return read(float{});
  if (scalar == Scalar::complex64) return read(std::complex<float>{});
  if (scalar == Scalar::complex128) return read(std::complex<double>{});
  return read(double{});
}

// The reverse, in a real or complex floating dtype. Waits.
template <class T>
Array device_values(const Queue& queue, const std::vector<T>& values, Shape shape, const DType& dtype) {
  const Array result = empty(queue, std::move(shape), dtype);
  const auto write = [&]<class Element>(Element) {
    std::vector<Element> elements(values.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if constexpr (std::is_floating_point_v<Element>) {
        elements[i] = static_cast<Element>(std::real(values[i]));
      } else {
        elements[i] = Element(static_cast<typename Element::value_type>(std::real(values[i])),
                              static_cast<typename Element::value_type>(std::imag(values[i])));
      }
    }
    result.set(queue, elements.data()).wait();
    return result;
  };
  switch (dtype.scalar) {
    case Scalar::float32:
      return write(float{});
    case Scalar::complex64:
      return write(std::complex<float>{});
    case Scalar::complex128:
      return write(std::complex<double>{});
    default:
      return write(double{});
  }
}

}  // namespace quern::sparse
