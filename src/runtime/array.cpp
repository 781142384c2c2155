// SPDX-License-Identifier: MIT
// Arrays: shape arithmetic and copies.
#include "quern/array.hpp"

#include <algorithm>
#include <limits>

#include "quern/error.hpp"

namespace quern {

std::size_t element_count(const Shape& shape, std::size_t itemsize) {
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  std::size_t nbytes = std::max<std::size_t>(itemsize, 1);
  std::size_t count = 1;
  for (const std::int64_t length : shape) {
    if (length < 0) {
      throw ArgumentError(ArgumentError::Kind::value,
                          "a shape has the negative length " + std::to_string(length));
    }
    if (is_empty) continue;
    if (static_cast<std::size_t>(length) > kMost / nbytes) {
      throw ArgumentError(ArgumentError::Kind::value,
                          "an array of this shape has more bytes than memory can have");
    }
    nbytes *= static_cast<std::size_t>(length);
    count *= static_cast<std::size_t>(length);
  }
  return is_empty ? 0 : count;
}

Array::Array(Buffer buffer, DType dtype, Shape shape)
    : buffer_(std::move(buffer)),
      dtype_(std::move(dtype)),
      shape_(std::move(shape)),
      strides_(contiguous_strides(shape_, dtype_.itemsize)),
      size_(element_count(shape_, dtype_.itemsize)) {
  if (buffer_.size() < nbytes()) {
    throw ArgumentError(ArgumentError::Kind::value, "an array of " + std::to_string(nbytes()) +
                                                        " bytes does not fit a buffer of " +
                                                        std::to_string(buffer_.size()) + " bytes");
  }
}

Array::Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset)
    : buffer_(std::move(buffer)),
      dtype_(std::move(dtype)),
      shape_(std::move(shape)),
      strides_(std::move(strides)),
      size_(element_count(shape_, dtype_.itemsize)),
      offset_(offset) {
  if (strides_.size() != shape_.size()) {
    throw ArgumentError(ArgumentError::Kind::value, "a view has " + std::to_string(shape_.size()) +
                                                        " lengths and " + std::to_string(strides_.size()) +
                                                        " strides");
  }
  if (size_ == 0) return;
  // Where the elements begin and end, relative to the first.
  std::int64_t first = 0, last = 0;
  std::int64_t expected = static_cast<std::int64_t>(dtype_.itemsize);
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (shape_[d] == 1) continue;
    std::int64_t reach = 0;
    std::int64_t& end = strides_[d] < 0 ? first : last;
    if (__builtin_mul_overflow(strides_[d], shape_[d] - 1, &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      throw ArgumentError(ArgumentError::Kind::value, "a view reaches further than memory does");
    }
    contiguous_ &= strides_[d] == expected;
    expected *= shape_[d];
  }
  const auto start = static_cast<std::size_t>(-first);
  if (offset_ < start || offset_ > buffer_.size() ||
      buffer_.size() - offset_ < static_cast<std::size_t>(last) + dtype_.itemsize) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "a view of this shape, strides and offset does not fit a buffer of " +
                            std::to_string(buffer_.size()) + " bytes");
  }
}

Buffer Array::elements() const {
  if (!contiguous_) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the array is a strided view, where one without gaps is needed; copy it first");
  }
  return offset_ == 0 && buffer_.size() == nbytes() ? buffer_ : buffer_.sub_buffer(offset_, nbytes());
}

Event Array::set(const Queue& queue, const void* from, WaitList wait_for, std::shared_ptr<void> keep) const {
  return queue.write(elements(), from, nbytes(), wait_for, std::move(keep));
}

Event Array::get(const Queue& queue, void* to, WaitList wait_for, std::shared_ptr<void> keep) const {
  return queue.read(elements(), to, nbytes(), wait_for, std::move(keep));
}

void Array::check_element_type(const DType& wanted) const {
  if (dtype_ == wanted) return;
  throw ArgumentError(ArgumentError::Kind::type,
                      "the array's elements are " + dtype_.name() + ", not " + wanted.name());
}

Strides contiguous_strides(const Shape& shape, std::size_t itemsize) {
  Strides strides(shape.size());
  auto stride = static_cast<std::int64_t>(itemsize);
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

Array empty(const Queue& queue, Shape shape, DType dtype) {
  const std::size_t nbytes = element_count(shape, dtype.itemsize) * dtype.itemsize;
  return {Buffer(queue, nbytes), std::move(dtype), std::move(shape)};
}

Array zeros(const Queue& queue, Shape shape, DType dtype) {
  Array result = empty(queue, std::move(shape), std::move(dtype));
  const std::byte zero{0};
  queue.fill(result.buffer(), {&zero, 1});
  return result;
}

}  // namespace quern
