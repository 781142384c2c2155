// SPDX-License-Identifier: MIT
// Memory that is shared with other libraries.
#include "quern/sharing.hpp"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/pending.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

[[noreturn]] void refuse_sharing(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

detail::UseRecord& lent_uses(const Buffer& buffer) {
  if (buffer.released()) refuse_sharing("the buffer was released");
  return buffer.allocation()->uses();
}

detail::ByteRange lent_range(const Buffer& buffer) {
  return {buffer.offset(), buffer.offset() + buffer.size()};
}

class Share {
 public:
  explicit Share(const Buffer& buffer) : buffer_(buffer) { ++lent_uses(buffer_).laziness().shares; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { --buffer_.allocation()->uses().laziness().shares; }

 private:
  Buffer buffer_;
};

// An operation that only takes a ticket in the queue.
class PlaceInQueue final : public detail::Operation {
 public:
  backend::TimingPtr issue(backend::Queue& /*queue*/, backend::ObserverSource& /*observers*/) override {
    return {};
  }
  [[nodiscard]] std::unique_ptr<Operation> detach() const override {
    return std::make_unique<PlaceInQueue>();
  }
};

}  // namespace

Loan lend(const Buffer& buffer) {
  Loan loan;
  loan.keep = std::make_shared<Share>(buffer);
  detail::UseRecord& uses = lent_uses(buffer);
  if (uses.laziness().is_read.load()) detail::pending_work.load()->before_write(uses);
  loan.native_handle = buffer.allocation()->memory().native_handle();
  // An OpenCL memory object is a handle, not an address.
  if (buffer.device().properties().dialect != Dialect::opencl_c) loan.native_handle += buffer.offset();
  return loan;
}

void order_after_uses(const Queue& theirs, const Buffer& buffer) {
  // Destroyed after the lock is released, because it may hold the last reference to a queue.
  detail::Dependencies pending;
  {
    detail::UseRecord& uses = lent_uses(buffer);
    const std::lock_guard lock(detail::hazard_mutex());
    uses.collect(lent_range(buffer), true, pending);
  }
  std::vector<Event> events;
  for (const detail::Dependency& dependency : pending.list())
    events.emplace_back(dependency.queue, dependency.ticket);
  // No use is recorded, because the queue may be destroyed before a thread needs a marker of it.
  const Event after = theirs.barrier(events);
  // A barrier that is held back on the host would not delay operations that the other library enqueues.
  if (after.status() == EventStatus::queued) after.wait();
}

Event note_filled(const Queue& queue, const Buffer& buffer) {
  const detail::Use use{&lent_uses(buffer), lent_range(buffer), detail::Usage::writes};
  PlaceInQueue place;
  return queue.state()->submit(place, {&use, 1}, {});
}

Array wrap_array(const Queue& queue, ForeignMemory memory, std::shared_ptr<void> owner) {
  const DType& dtype = memory.dtype;
  const Shape& shape = memory.shape;
  if (memory.strides.size() != shape.size()) {
    refuse_sharing("an array has " + std::to_string(shape.size()) + " lengths and " +
                   std::to_string(memory.strides.size()) + " strides");
  }
  if (element_count(shape, dtype.itemsize) == 0) return empty(queue, std::move(memory.shape), dtype);
  std::int64_t first = 0, last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) memory.strides[d] = 0;  // other libraries may store any value there
    std::int64_t reach = 0;
    std::int64_t& end = memory.strides[d] < 0 ? first : last;
    if (__builtin_mul_overflow(memory.strides[d], shape[d] - 1, &reach) ||
        __builtin_add_overflow(end, reach, &end))
      refuse_sharing("the elements are larger than the address space");
  }
  const auto before = static_cast<std::size_t>(-first);
  const std::size_t after = static_cast<std::size_t>(last) + dtype.itemsize;
  const bool is_handle = queue.device().properties().dialect == Dialect::opencl_c;
  const std::uintptr_t start = memory.byte_offset + (is_handle ? 0 : memory.native);
  if (start < before) refuse_sharing("the elements begin before the memory");
  bool is_aligned = start % dtype.alignment() == 0;
  for (const std::int64_t stride : memory.strides)
    is_aligned &= stride % static_cast<std::int64_t>(dtype.alignment()) == 0;
  if (!is_aligned) {
    refuse_sharing("elements of " + dtype.name() + " must be aligned to " +
                   std::to_string(dtype.alignment()) + " bytes; copy the array first");
  }
  // A handle refers to all of its memory, an address to any byte of it.
  const std::size_t front = is_handle ? memory.byte_offset : before;
  const Buffer buffer =
      Buffer::wrap(queue.context(), queue.device(), is_handle ? memory.native : start - before, front + after,
                   std::move(owner), memory.access);
  note_filled(queue, buffer);
  const Array array{buffer, dtype, shape, memory.strides, front};
  if (!array.contiguous()) return array;
  return {buffer, dtype, shape, contiguous_strides(shape, dtype.itemsize), front};
}

}  // namespace quern
