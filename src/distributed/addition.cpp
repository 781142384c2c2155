// SPDX-License-Identifier: MIT
// One loop for each type, which the compiler vectorises.
#include "distributed/addition.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "quern/error.hpp"

namespace quern::distributed {
namespace {

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <class T>
void add(std::byte* to, const std::byte* from, std::size_t elements, std::complex<double> scale) {
  T* const sums = reinterpret_cast<T*>(to);
  const auto at = [&](std::size_t i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof value);
    return value;
  };
  if (scale == 1.0) {
    for (std::size_t i = 0; i < elements; ++i) sums[i] = static_cast<T>(sums[i] + at(i));
  } else if constexpr (IsComplex<T>::value) {
    using Real = typename T::value_type;
    const T factor(static_cast<Real>(scale.real()), static_cast<Real>(scale.imag()));
    for (std::size_t i = 0; i < elements; ++i) sums[i] += factor * at(i);
  } else if constexpr (std::is_integral_v<T>) {
    // Products of short types would be signed.
    using Wide = std::common_type_t<T, std::uint32_t>;
    const auto factor = static_cast<Wide>(static_cast<std::int64_t>(scale.real()));
    for (std::size_t i = 0; i < elements; ++i) sums[i] = static_cast<T>(sums[i] + factor * at(i));
  } else {
    const auto factor = static_cast<T>(scale.real());
    for (std::size_t i = 0; i < elements; ++i) sums[i] += factor * at(i);
  }
}

}  // namespace

Addition addition_of(const DType& dtype) noexcept {
  if (dtype.lanes != 1) return nullptr;
  switch (dtype.scalar) {
    // Sums of signed integers wrap around, as those of unsigned ones of the same size.
    case Scalar::int8:
    case Scalar::uint8:
      return add<std::uint8_t>;
    case Scalar::int16:
    case Scalar::uint16:
      return add<std::uint16_t>;
    case Scalar::int32:
    case Scalar::uint32:
      return add<std::uint32_t>;
    case Scalar::int64:
    case Scalar::uint64:
      return add<std::uint64_t>;
    case Scalar::float32:
      return add<float>;
    case Scalar::float64:
      return add<double>;
    case Scalar::complex64:
      return add<std::complex<float>>;
    case Scalar::complex128:
      return add<std::complex<double>>;
    default:
      return nullptr;
  }
}

void check_addition(const DType& dtype, std::complex<double> scale, const char* operation) {
  if (addition_of(dtype) == nullptr)
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(operation) + ": elements of " + dtype.name() + " cannot be added up");
  const bool is_complex = dtype.scalar == Scalar::complex64 || dtype.scalar == Scalar::complex128;
  const bool is_float = dtype.scalar == Scalar::float32 || dtype.scalar == Scalar::float64;
  if (!is_complex && scale.imag() != 0)
    throw ArgumentError(ArgumentError::Kind::type,
                        std::string(operation) + ": a complex scale for elements of " + dtype.name());
  if (!is_complex && !is_float &&
      !(std::trunc(scale.real()) == scale.real() && std::abs(scale.real()) < 0x1p63))
    throw ArgumentError(ArgumentError::Kind::type, std::string(operation) + ": the scale of elements of " +
                                                       dtype.name() + " must be an integer");
}

}  // namespace quern::distributed
