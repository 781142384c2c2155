// SPDX-License-Identifier: MIT
// Arrays: shape arithmetic and copies.
#include "quern/array.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/process.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/waiting.hpp"

namespace quern {

std::size_t element_count(const Shape& shape, std::size_t itemsize) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  std::size_t nbytes = std::max<std::size_t>(itemsize, 1);
  std::size_t count = 1;
  bool is_empty = false, is_too_large = false;
  for (const std::int64_t length : shape) {
    if (length < 0) {
      throw ArgumentError(ArgumentError::Kind::value,
                          "lengths of a shape must not be negative, got " + std::to_string(length));
    }
    is_empty |= length == 0;
    is_too_large |=
        __builtin_mul_overflow(nbytes, static_cast<std::size_t>(length), &nbytes) || nbytes > kMost;
    count *= static_cast<std::size_t>(length);
  }
  if (is_too_large && !is_empty) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "an array of this shape is larger than the address space");
  }
  return is_empty ? 0 : count;
}

namespace detail {
namespace {

// Returns whether elements with these strides are contiguous in C order. Throws ArgumentError if they exceed
// the buffer.
bool check_view(const ArrayMemory& memory, const DType& dtype, const Shape& shape) {
  if (memory.strides.size() != shape.size()) {
    throw ArgumentError(ArgumentError::Kind::value, "a view has " + std::to_string(shape.size()) +
                                                        " lengths and " +
                                                        std::to_string(memory.strides.size()) + " strides");
  }
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  // The first and last byte of the elements, relative to the first element.
  std::int64_t first = 0, last = 0;
  std::int64_t expected = static_cast<std::int64_t>(dtype.itemsize);
  bool is_contiguous = true;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    std::int64_t reach = 0;
    std::int64_t& end = memory.strides[d] < 0 ? first : last;
    if (__builtin_mul_overflow(memory.strides[d], shape[d] - 1, &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      throw ArgumentError(ArgumentError::Kind::value, "a view is larger than the address space");
    }
    is_contiguous &= memory.strides[d] == expected;
    expected *= shape[d];
  }
  const auto start = static_cast<std::size_t>(-first);
  const std::size_t size = memory.buffer.size();
  if (memory.offset < start || memory.offset > size ||
      size - memory.offset < static_cast<std::size_t>(last) + dtype.itemsize) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "a view of this shape, strides and offset does not fit a buffer of " +
                            std::to_string(size) + " bytes");
  }
  return is_contiguous;
}

}  // namespace

ArrayValue::ArrayValue(const DType& dtype, const Shape& shape)
    : dtype_(dtype), shape_(shape), size_(element_count(shape, dtype.itemsize)) {}

void ArrayValue::refuse_pending() {
  throw ArgumentError(
      ArgumentError::Kind::value,
      "the elements of this array are pending, so it has no memory yet; call evaluate() first");
}

ArrayValue::Place ArrayValue::place() const {
  const std::shared_ptr<Allocation>& allocation = memory_.buffer.allocation();
  if (!allocation) throw ArgumentError(ArgumentError::Kind::value, "the buffer was released");
  return {allocation->context(), allocation->device()};
}

ArrayValue::ArrayValue(ArrayMemory memory, const DType& dtype, const Shape& shape)
    : ArrayValue(dtype, shape) {
  memory.contiguous = check_view(memory, dtype_, shape_);
  set_memory(std::move(memory));
}

ArrayValue::ArrayValue(Buffer buffer, DType dtype, Shape shape, std::size_t size)
    : dtype_(std::move(dtype)), shape_(std::move(shape)), size_(size) {
  set_memory({std::move(buffer), contiguous_strides(shape_, dtype_.itemsize)});
}

}  // namespace detail

Array::Array(Buffer buffer, DType dtype, Shape shape) {
  const std::size_t size = element_count(shape, dtype.itemsize), nbytes = size * dtype.itemsize;
  if (buffer.size() < nbytes) {
    throw ArgumentError(ArgumentError::Kind::value, "an array of " + std::to_string(nbytes) +
                                                        " bytes does not fit a buffer of " +
                                                        std::to_string(buffer.size()) + " bytes");
  }
  value_ = std::make_shared<detail::ArrayValue>(std::move(buffer), std::move(dtype), std::move(shape), size);
}

Array::Array(Buffer buffer, DType dtype, Shape shape, Strides strides, std::size_t offset)
    : value_(std::make_shared<detail::ArrayValue>(ArrayMemory{std::move(buffer), std::move(strides), offset},
                                                  std::move(dtype), std::move(shape))) {}

Device Array::device() const {
  const detail::ArrayValue::Place place = value_->place();
  return place.context->devices()[place.device];
}

Context Array::context() const {
  return Context(value_->place().context);
}

Queue Array::queue() const {
  const detail::ArrayValue::Place place = value_->place();
  if (const Queue* const current = QueueScope::current(); current != nullptr) {
    const detail::QueueState& state = *current->state();
    if (state.context() == place.context && state.device() == place.device) return *current;
  }
  return Queue(place.context->is_own() ? place.context->default_queue(place.device)
                                       : place.context->make_queue(place.device, {}));
}

Buffer Array::elements() const {
  const ArrayMemory& memory = value_->memory();
  if (!memory.contiguous) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "expected a contiguous array, got a strided view; copy it first");
  }
  const Buffer& buffer = memory.buffer;
  if (memory.offset == 0 && buffer.size() == nbytes()) return buffer;
  return buffer.sub_buffer(nbytes() == 0 ? 0 : memory.offset, nbytes());
}

Event Array::set(const Queue& queue, const void* from, WaitList wait_for, std::shared_ptr<void> keep) const {
  evaluate();
  return queue.write(elements(), from, nbytes(), wait_for, std::move(keep));
}

Event Array::get(const Queue& queue, void* to, WaitList wait_for, std::shared_ptr<void> keep) const {
  evaluate();
  return queue.read(elements(), to, nbytes(), wait_for, std::move(keep));
}

void Array::wait_for_elements(const Queue& queue) const {
  evaluate();
  const Buffer memory = elements();
  const Event ready = queue.before_read(memory);
  const bool has_event = ready.queue_state() != nullptr;
  detail::wait_with_hook([&](Deadline deadline) {
    return has_event ? ready.wait_until(deadline) : memory.wait_until(deadline);
  });
}

void Array::check_element_type(const DType& wanted) const {
  if (dtype() == wanted) return;
  throw ArgumentError(ArgumentError::Kind::type,
                      "the array's elements are " + dtype().name() + ", not " + wanted.name());
}

Strides contiguous_strides(const Shape& shape, std::size_t itemsize) {
  Strides strides = shape;  // for its length
  auto stride = static_cast<std::int64_t>(itemsize);
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

Array empty(const Queue& queue, Shape shape, DType dtype) {
  const std::size_t size = element_count(shape, dtype.itemsize);
  Buffer buffer(queue, size * dtype.itemsize);
  return Array(
      std::make_shared<detail::ArrayValue>(std::move(buffer), std::move(dtype), std::move(shape), size));
}

namespace {

// Writes a few zeros on the calling thread if the host can address the memory and no operation uses it.
// Otherwise returns false and writes nothing.
bool clear_now(const detail::QueueState& queue, const Buffer& buffer) {
  constexpr std::size_t kMostBytes = 4096;
  // A profile or a recording must contain the operation.
  if (buffer.size() > kMostBytes || queue.profiling() || queue.recording()) return false;
  void* const memory = buffer.host_pointer();
  if (memory == nullptr) return false;
  process::check_not_forked();
  const std::lock_guard lock(detail::hazard_mutex());
  if (!buffer.allocation()->uses().is_idle({buffer.offset(), buffer.offset() + buffer.size()}, true))
    return false;
  std::memset(memory, 0, buffer.size());
  return true;
}

}  // namespace

Array zeros(const Queue& queue, Shape shape, DType dtype) {
  Array result = empty(queue, std::move(shape), std::move(dtype));
  if (clear_now(*queue.state(), result.buffer())) return result;
  const std::byte zero{0};
  queue.fill(result.buffer(), {&zero, 1});
  return result;
}

}  // namespace quern
