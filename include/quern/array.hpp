// SPDX-License-Identifier: MIT
// Arrays: typed, shaped and strided, in device memory or, until somebody needs the elements, an expression.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/buffer.hpp"
#include "quern/dtype.hpp"
#include "quern/event.hpp"
#include "quern/inline_vector.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

using Shape = InlineVector<std::int64_t, 4>;
using Strides = InlineVector<std::int64_t, 4>;  // bytes from one element to the next, for each dimension

namespace detail {

// What an array is: elements in memory, or something that puts them there when it is asked for them.
class ArrayValue {
 public:
  struct Memory {
    Buffer buffer;
    Strides strides;
    std::size_t offset = 0;  // bytes, of the first element
    bool contiguous = true;  // in C order without gaps
  };
  ArrayValue(Memory memory, DType dtype, Shape shape);  // throws ArgumentError where they do not fit
  // Of elements in C order without gaps, as many as the shape has, which the caller has counted.
  ArrayValue(Buffer buffer, DType dtype, Shape shape, std::size_t size);
  ArrayValue(const ArrayValue&) = delete;
  ArrayValue& operator=(const ArrayValue&) = delete;
  virtual ~ArrayValue() = default;

  [[nodiscard]] const DType& dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool in_memory() const noexcept { return in_memory_.load(std::memory_order_acquire); }
  // Enqueues first what computes the elements, where that is still to be done.
  [[nodiscard]] const Memory& memory() {
    if (!in_memory()) evaluate();
    return memory_;
  }
  // Where the elements are, or will be: a context, and which of its devices. Throws ArgumentError where the
  // buffer was released.
  struct Place {
    const std::shared_ptr<ContextState>& context;
    std::size_t device;
  };
  [[nodiscard]] virtual Place place() const;

 protected:
  ArrayValue(DType dtype, Shape shape);  // not in memory
  void set_memory(Memory memory) noexcept {
    memory_ = std::move(memory);
    in_memory_.store(true, std::memory_order_release);
  }
  // Must call set_memory().
  virtual void evaluate() {}

 private:
  DType dtype_;
  Shape shape_;
  std::size_t size_;
  Memory memory_;
  std::atomic<bool> in_memory_{false};
};

}  // namespace detail

// A handle: copies are the same array, and see what is written to it.
class Array {
 public:
  // Of memory that is there, contiguous in C order; the buffer must hold the elements.
  Array(Buffer buffer, DType dtype, Shape shape);
  // A view: the first element is `offset` bytes into the buffer, which must hold all of them. Strides may be
  // negative, or zero where one element stands for many.
  Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset);

  [[nodiscard]] const DType& dtype() const noexcept { return value_->dtype(); }
  [[nodiscard]] const Shape& shape() const noexcept { return value_->shape(); }
  [[nodiscard]] std::size_t size() const noexcept { return value_->size(); }  // elements
  [[nodiscard]] std::size_t nbytes() const noexcept { return size() * dtype().itemsize; }
  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  [[nodiscard]] Queue queue() const;  // where work on it goes when none is named: its device's own
  // False while the elements are still to be computed.
  [[nodiscard]] bool in_memory() const noexcept { return value_->in_memory(); }

  // What follows enqueues the computation of the elements first, where that is still to be done.

  // All of the memory that the array is a view of.
  [[nodiscard]] const Buffer& buffer() const { return value_->memory().buffer; }
  [[nodiscard]] const Strides& strides() const { return value_->memory().strides; }
  [[nodiscard]] std::size_t offset() const { return value_->memory().offset; }  // bytes, of the first element
  // In C order without gaps, as raw kernels and copies want it.
  [[nodiscard]] bool contiguous() const { return value_->memory().contiguous; }
  // The memory of a contiguous array's elements and nothing else; throws ArgumentError for another.
  [[nodiscard]] Buffer elements() const;

  // Copies to and from contiguous host memory of nbytes(), of a contiguous array.
  Event set(const Queue& queue, const void* from, WaitList wait_for = {},
            std::shared_ptr<void> keep = nullptr) const;
  Event get(const Queue& queue, void* to, WaitList wait_for = {}, std::shared_ptr<void> keep = nullptr) const;
  template <class T>
  [[nodiscard]] std::vector<T> to_vector(const Queue& queue) const {
    check_element_type(dtype_of<T>());
    wait_for_elements(queue);
    std::vector<T> result(size());
    get(queue, result.data()).wait();
    return result;
  }

  // For the library itself.
  void wait_for_elements(const Queue& queue) const;  // with the hook of quern/waiting.hpp
  explicit Array(std::shared_ptr<detail::ArrayValue> value) : value_(std::move(value)) {}
  [[nodiscard]] const std::shared_ptr<detail::ArrayValue>& value() const noexcept { return value_; }

 private:
  void check_element_type(const DType& wanted) const;
  std::shared_ptr<detail::ArrayValue> value_;
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
