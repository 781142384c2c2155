// SPDX-License-Identifier: MIT
// The first array: shape arithmetic and copies.
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
      size_(element_count(shape_, dtype_.itemsize)) {
  if (buffer_.size() < nbytes()) {
    throw ArgumentError(ArgumentError::Kind::value, "an array of " + std::to_string(nbytes()) +
                                                        " bytes does not fit a buffer of " +
                                                        std::to_string(buffer_.size()) + " bytes");
  }
}

Event Array::set(const Queue& queue, const void* from, WaitList wait_for, std::shared_ptr<void> keep) const {
  return queue.write(buffer_, from, nbytes(), wait_for, std::move(keep));
}

Event Array::get(const Queue& queue, void* to, WaitList wait_for, std::shared_ptr<void> keep) const {
  return queue.read(buffer_, to, nbytes(), wait_for, std::move(keep));
}

void Array::check_element_type(const DType& wanted) const {
  if (dtype_ == wanted) return;
  throw ArgumentError(ArgumentError::Kind::type,
                      "the array's elements are " + dtype_.name() + ", not " + wanted.name());
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
