// SPDX-License-Identifier: MIT
// Reads numbers in host memory that control a function.
#include "quern/host_numbers.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "array/build.hpp"
#include "base/bfloat16.hpp"
#include "base/half.hpp"
#include "codegen/ops.hpp"
#include "quern/error.hpp"

namespace quern {
namespace {

template <class T>
T element_at(const std::vector<std::byte>& elements, std::size_t k) {
  T value;
  std::memcpy(&value, elements.data() + k * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  std::vector<std::byte> bytes(values.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

HostNumbers::HostNumbers() : dtype_(DType::of(Scalar::float64)), shape_({0}) {}

HostNumbers::HostNumbers(const Number& number) : is_weak_(true) {
  if (number.kind() == Number::Kind::complex)
    throw ArgumentError(ArgumentError::Kind::type, "expected real numbers, got a complex one");
  const bool is_small = number.kind() == Number::Kind::integer && !number.is_huge() &&
                        (number.is_negative() || number.integer() >> 63 == 0);
  if (is_small || number.kind() == Number::Kind::boolean) {
    const auto value = static_cast<std::int64_t>(
        number.kind() == Number::Kind::integer ? number.integer() : number.value().real() != 0);
    dtype_ = DType::of(Scalar::int64);
    elements_ = bytes_of(std::span<const std::int64_t>(&value, 1));
  } else {
    const double value = number.value().real();
    dtype_ = DType::of(Scalar::float64);
    elements_ = bytes_of(std::span<const double>(&value, 1));
  }
}

HostNumbers::HostNumbers(const std::vector<double>& numbers)
    : dtype_(DType::of(Scalar::float64)),
      shape_({static_cast<std::int64_t>(numbers.size())}),
      elements_(bytes_of(std::span<const double>(numbers))) {}

HostNumbers::HostNumbers(DType dtype, Shape shape, std::vector<std::byte> elements)
    : dtype_(std::move(dtype)), shape_(std::move(shape)), elements_(std::move(elements)) {
  if (codegen::kind_of(dtype_) == codegen::Kinds::complex)
    throw ArgumentError(ArgumentError::Kind::type, "expected real numbers, got " + dtype_.name());
  if (elements_.size() != element_count(shape_, dtype_.itemsize) * dtype_.itemsize)
    throw ArgumentError(ArgumentError::Kind::value, "the elements do not fill the shape");
}

double HostNumbers::operator[](std::size_t k) const {
  switch (dtype_.scalar) {
    case Scalar::boolean:
    case Scalar::uint8:
      return element_at<std::uint8_t>(elements_, k);
    case Scalar::int8:
      return element_at<std::int8_t>(elements_, k);
    case Scalar::int16:
      return element_at<std::int16_t>(elements_, k);
    case Scalar::int32:
      return element_at<std::int32_t>(elements_, k);
    case Scalar::int64:
      return static_cast<double>(element_at<std::int64_t>(elements_, k));
    case Scalar::uint16:
      return element_at<std::uint16_t>(elements_, k);
    case Scalar::uint32:
      return element_at<std::uint32_t>(elements_, k);
    case Scalar::uint64:
      return static_cast<double>(element_at<std::uint64_t>(elements_, k));
    case Scalar::float16:
      return from_half(element_at<std::uint16_t>(elements_, k));
    case Scalar::bfloat16:
      return from_bfloat16(element_at<std::uint16_t>(elements_, k));
    case Scalar::float32:
      return element_at<float>(elements_, k);
    default:
      return element_at<double>(elements_, k);
  }
}

std::vector<double> HostNumbers::values() const {
  std::vector<double> result(size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = (*this)[k];
  return result;
}

Array HostNumbers::to_array(const Queue& queue) const {
  Array result = empty(queue, shape_, dtype_);
  if (!elements_.empty()) {
    const auto kept = std::make_shared<std::vector<std::byte>>(elements_);
    result.set(queue, kept->data(), {}, kept);
  }
  return result;
}

HostNumbers host_numbers(const Array& array) {
  const Queue queue = array::queue_of(array, nullptr);
  const Array whole = as_contiguous(array, &queue);
  std::vector<std::byte> elements(whole.nbytes());
  whole.wait_for_elements(queue);
  if (!elements.empty()) whole.get(queue, elements.data()).wait();
  return {array.dtype(), array.shape(), std::move(elements)};
}

}  // namespace quern
