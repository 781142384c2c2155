// SPDX-License-Identifier: MIT
// Buffers and the memory pools that they are allocated from.
#include "quern/buffer.hpp"

#include <algorithm>

#include "quern/error.hpp"
#include "quern/queue.hpp"
#include "runtime/allocation.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/context_state.hpp"
#include "runtime/pending.hpp"
#include "runtime/queue_state.hpp"

namespace quern {
namespace {

const std::shared_ptr<detail::Allocation>& live(const std::shared_ptr<detail::Allocation>& allocation) {
  if (!allocation) throw ArgumentError(ArgumentError::Kind::value, "the buffer was released");
  return allocation;
}

std::shared_ptr<detail::Allocation> allocate(const std::shared_ptr<detail::ContextState>& context,
                                             std::size_t device, std::size_t nbytes,
                                             const detail::QueueState* queue) {
  if (detail::has_restrictions()) [[unlikely]] {
    if (detail::CaptureState* const capture = detail::CaptureState::current())
      return capture->allocate(context, device, nbytes, queue);
  }
  return std::make_shared<detail::Allocation>(context, device, nbytes, queue);
}

}  // namespace

Buffer::Buffer(std::shared_ptr<detail::Allocation> allocation, std::size_t offset, std::size_t size,
               Access access)
    : allocation_(std::move(allocation)), offset_(offset), size_(size), access_(access) {}

Buffer::Buffer(const Device& device, std::size_t nbytes, Access access)
    : Buffer(Context::of(device), device, nbytes, access) {}

Buffer::Buffer(const Context& context, const Device& device, std::size_t nbytes, Access access)
    : allocation_(allocate(context.state(), context.state()->index_of(device), nbytes, nullptr)),
      size_(nbytes),
      access_(access) {}

Buffer::Buffer(const Queue& queue, std::size_t nbytes, Access access)
    : allocation_(allocate(queue.state()->context(), queue.state()->device(), nbytes,
                           &detail::check_orders_memory(*queue.state()))),
      size_(nbytes),
      access_(access) {}

Buffer Buffer::wrap(const Context& context, const Device& device, std::uintptr_t native, std::size_t nbytes,
                    std::shared_ptr<void> owner, Access access) {
  if (native == 0) throw ArgumentError(ArgumentError::Kind::value, "native_handle must not be null");
  const auto& state = context.state();
  const std::size_t index = state->index_of(device);
  auto memory = state->native().wrap_memory(native, nbytes);
  const Buffer buffer{std::make_shared<detail::Allocation>(state, index, std::move(memory), std::move(owner)),
                      0, nbytes, access};
  buffer.share();
  return buffer;
}

Buffer Buffer::sub_buffer(std::size_t offset, std::size_t nbytes) const {
  live(allocation_);
  if (offset > size_ || nbytes > size_ - offset) {
    throw ArgumentError(ArgumentError::Kind::value, "a sub-buffer of " + std::to_string(nbytes) +
                                                        " bytes at offset " + std::to_string(offset) +
                                                        " does not fit into a buffer of " +
                                                        std::to_string(size_) + " bytes");
  }
  return part(offset_ + offset, nbytes);
}

Buffer Buffer::part(std::size_t offset, std::size_t size) const {
  Buffer result(*this);
  result.offset_ = offset;
  result.size_ = size;
  return result;
}

Buffer Buffer::read_only() const {
  Buffer result(*this);
  result.access_ = Access::read_only;
  result.is_frozen_ = true;
  return result;
}

Buffer Buffer::extended(std::size_t before) const {
  live(allocation_);
  if (before > offset_) {
    throw ArgumentError(ArgumentError::Kind::value, "a buffer that begins at offset " +
                                                        std::to_string(offset_) +
                                                        " of its memory cannot be extended by " +
                                                        std::to_string(before) + " bytes to the front");
  }
  return part(offset_ - before, size_ + before);
}

Device Buffer::device() const {
  return live(allocation_)->context()->devices()[allocation_->device()];
}

Context Buffer::context() const {
  return Context(live(allocation_)->context());
}

std::uintptr_t Buffer::native_handle() const {
  share();
  const backend::Memory& memory = allocation_->memory();
  const Dialect dialect = device().properties().dialect;
  // An OpenCL memory object is a handle, not an address.
  return dialect == Dialect::opencl_c ? memory.native_handle() : memory.native_handle() + offset_;
}

void* Buffer::host_pointer() const noexcept {
  if (!allocation_) return nullptr;
  auto* const pointer = static_cast<std::byte*>(allocation_->memory().host_pointer());
  return pointer ? pointer + offset_ : nullptr;
}

void Buffer::share() const {
  detail::UseRecord& uses = live(allocation_)->uses();
  ++uses.laziness().shares;  // never decremented: users of the pointer do not report when they are done
  if (uses.laziness().is_read.load()) detail::pending_work.load()->before_write(uses);
}

bool Buffer::wait_until(Deadline deadline, bool for_writing) const {
  if (detail::has_restrictions()) [[unlikely]] {
    if (const detail::CaptureState* const capture = detail::CaptureState::current())
      capture->check_host_access(*live(allocation_));
  }
  detail::Dependencies pending;
  {
    const std::lock_guard lock(detail::hazard_mutex());
    live(allocation_)->uses().collect({offset_, offset_ + size_}, for_writing, pending);
  }
  const bool is_done =
      std::all_of(pending.list().begin(), pending.list().end(), [&](const detail::Dependency& dependency) {
        return dependency.queue->wait_until(dependency.ticket, deadline);
      });
  if (!is_done) return false;
  for (const detail::Dependency& source : pending.sources()) {
    if (const auto error = source.queue->native_failure(source.ticket)) std::rethrow_exception(error);
  }
  detail::check_deferred_errors(allocation_->uses().deferred_errors().list({offset_, offset_ + size_}));
  return true;
}

void Buffer::release() noexcept {
  allocation_.reset();
}

PinnedBuffer::PinnedBuffer(const Device& device, std::size_t nbytes)
    : memory_(detail::ContextState::of(device)->native().allocate_pinned(std::max<std::size_t>(nbytes, 1))) {}

void* PinnedBuffer::data() const noexcept {
  return memory_->data();
}
std::size_t PinnedBuffer::size() const noexcept {
  return memory_->size();
}

PoolStats pool_stats(const Device& device) {
  return detail::ContextState::of(device)->pool(0).stats();
}
void trim_pool(const Device& device) {
  detail::ContextState::of(device)->pool(0).trim();
}
void set_pool_limit(const Device& device, std::size_t nbytes) {
  detail::ContextState::of(device)->pool(0).set_limit(nbytes);
}

}  // namespace quern
