// SPDX-License-Identifier: MIT
// Arrays: typed, shaped and strided, in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/dtype.hpp"
#include "quern/event.hpp"
#include "quern/queue.hpp"

namespace quern {

using Shape = std::vector<std::int64_t>;
using Strides = std::vector<std::int64_t>;  // bytes from one element to the next, for each dimension

class Array {
 public:
  // Of memory that is there, contiguous in C order; the buffer must hold the elements.
  Array(Buffer buffer, DType dtype, Shape shape);
  // A view: the first element is `offset` bytes into the buffer, which must hold all of them. Strides may be
  // negative, or zero where one element stands for many.
  Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset);

  // All of the memory that the array is a view of.
  [[nodiscard]] const Buffer& buffer() const noexcept { return buffer_; }
  [[nodiscard]] const DType& dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }  // elements
  [[nodiscard]] std::size_t nbytes() const noexcept { return size_ * dtype_.itemsize; }
  [[nodiscard]] Device device() const { return buffer_.device(); }
  [[nodiscard]] const Strides& strides() const noexcept { return strides_; }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }  // bytes, of the first element
  // In C order without gaps, as raw kernels and copies want it.
  [[nodiscard]] bool contiguous() const noexcept { return contiguous_; }
  // The memory of a contiguous array's elements and nothing else; throws ArgumentError for another.
  [[nodiscard]] Buffer elements() const;

  // Copies to and from contiguous host memory of nbytes(), of a contiguous array.
  Event set(const Queue& queue, const void* from, WaitList wait_for = {},
            std::shared_ptr<void> keep = nullptr) const;
  Event get(const Queue& queue, void* to, WaitList wait_for = {}, std::shared_ptr<void> keep = nullptr) const;
  template <class T>
  [[nodiscard]] std::vector<T> to_vector(const Queue& queue) const {
    check_element_type(dtype_of<T>());
    std::vector<T> result(size_);
    get(queue, result.data()).wait();
    return result;
  }

 private:
  void check_element_type(const DType& wanted) const;
  Buffer buffer_;
  DType dtype_;
  Shape shape_;
  Strides strides_;
  std::size_t size_ = 1;
  std::size_t offset_ = 0;
  bool contiguous_ = true;
};

Array empty(const Queue& queue, Shape shape, DType dtype);
Array zeros(const Queue& queue, Shape shape, DType dtype);
template <class T>
Array asarray(const Queue& queue, std::span<const T> values) {
  Array result = empty(queue, {static_cast<std::int64_t>(values.size())}, dtype_of<T>());
  result.set(queue, values.data()).wait();
  return result;
}
template <class T>
Array asarray(const Queue& queue, const std::vector<T>& values) {
  return asarray(queue, std::span<const T>(values));
}

// The number of elements; throws ArgumentError for a negative length or more bytes than memory can have.
std::size_t element_count(const Shape& shape, std::size_t itemsize);
// Of an array that is contiguous in C order.
Strides contiguous_strides(const Shape& shape, std::size_t itemsize);

}  // namespace quern
