// SPDX-License-Identifier: MIT
// Arrays: typed, shaped and strided, in device memory or, until the elements are needed, an expression.
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
using Strides = InlineVector<std::int64_t, 4>;  // bytes between neighbouring elements, for each dimension

// Where the elements of an array are.
struct ArrayMemory {
  Buffer buffer;  // the whole memory that the array is a view of
  Strides strides;
  std::size_t offset = 0;  // bytes to the first element
  bool contiguous = true;  // contiguous in C order
};

namespace detail {

// The value of an array: elements in memory, or a lazy value whose elements are pending until evaluate().
class ArrayValue {
 public:
  // Throws ArgumentError if the buffer is too small.
  ArrayValue(ArrayMemory memory, const DType& dtype, const Shape& shape);
  // Memory of contiguous elements in C order; the caller guarantees that the buffer holds the shape's
  // elements.
  ArrayValue(Buffer buffer, DType dtype, Shape shape, std::size_t size);
  ArrayValue(const ArrayValue&) = delete;
  ArrayValue& operator=(const ArrayValue&) = delete;
  virtual ~ArrayValue() = default;

  [[nodiscard]] const DType& dtype() const noexcept { return dtype_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool in_memory() const noexcept { return in_memory_.load(std::memory_order_acquire); }
  // Throws ArgumentError while the elements are pending.
  [[nodiscard]] const ArrayMemory& memory() const {
    if (!in_memory()) refuse_pending();
    return memory_;
  }
  // Enqueues the computation of pending elements.
  const ArrayMemory& evaluate() {
    if (!in_memory()) enqueue();
    return memory_;
  }
  // Context and device of the elements. Throws ArgumentError if the buffer was released.
  struct Place {
    const std::shared_ptr<ContextState>& context;
    std::size_t device;
  };
  [[nodiscard]] virtual Place place() const;

 protected:
  ArrayValue(const DType& dtype, const Shape& shape);  // a lazy value
  void set_memory(ArrayMemory&& memory) noexcept {
    memory_ = std::move(memory);
    in_memory_.store(true, std::memory_order_release);
  }
  // Enqueues the computation of the elements and calls set_memory(). Lazy arrays are in a higher layer than
  // the runtime and the algorithms, which reach them only through this function.
  virtual void enqueue() {}

 private:
  [[noreturn]] static void refuse_pending();

  DType dtype_;
  Shape shape_;
  std::size_t size_;
  ArrayMemory memory_;
  std::atomic<bool> in_memory_{false};
};

}  // namespace detail

// A handle: copies refer to the same array and see writes to it.
class Array {
 public:
  // An array over existing memory, contiguous in C order; the buffer must hold the elements.
  Array(Buffer buffer, DType dtype, Shape shape);
  // A view: the first element is `offset` bytes into the buffer, which must hold all elements. Strides may be
  // negative, or zero if elements repeat.
  Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset);

  [[nodiscard]] const DType& dtype() const noexcept { return value_->dtype(); }
  [[nodiscard]] const Shape& shape() const noexcept { return value_->shape(); }
  [[nodiscard]] std::size_t size() const noexcept { return value_->size(); }  // number of elements
  [[nodiscard]] std::size_t nbytes() const noexcept { return size() * dtype().itemsize; }
  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  [[nodiscard]] Queue queue() const;  // the queue for work that names none: the device's default queue
  // False while the elements are pending.
  [[nodiscard]] bool in_memory() const noexcept { return value_->in_memory(); }

  // Enqueues the computation of the elements if they are pending, and returns where they are. Does not wait.
  const ArrayMemory& evaluate() const { return value_->evaluate(); }

  // The functions below enqueue nothing. They throw ArgumentError while the elements are pending, because the
  // memory of a lazy array is chosen when it is evaluated.

  // The whole memory that the array is a view of.
  [[nodiscard]] const Buffer& buffer() const { return value_->memory().buffer; }
  [[nodiscard]] const Strides& strides() const { return value_->memory().strides; }
  [[nodiscard]] std::size_t offset() const { return value_->memory().offset; }  // bytes to the first element
  // Whether the elements are contiguous in C order, as raw kernels and copies require.
  [[nodiscard]] bool contiguous() const { return value_->memory().contiguous; }
  // The memory of exactly the elements of a contiguous array; throws ArgumentError for a strided one.
  [[nodiscard]] Buffer elements() const;

  // Copy a contiguous array to and from contiguous host memory of nbytes(). Pending elements are evaluated
  // first.
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

  // Internal.
  void wait_for_elements(const Queue& queue) const;  // calls the hook of quern/waiting.hpp
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

// The number of elements; throws ArgumentError for a negative length or if the size exceeds the address
// space.
std::size_t element_count(const Shape& shape, std::size_t itemsize);
// Strides of an array that is contiguous in C order.
Strides contiguous_strides(const Shape& shape, std::size_t itemsize);

}  // namespace quern
