// SPDX-License-Identifier: MIT
// Queues and their operations, except launches.
#include "quern/queue.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "backend/parts.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/context_state.hpp"
#include "runtime/memory_operation.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern {
namespace {

using detail::Allocation;
using detail::check_writable;
using detail::is_within_reach;
using detail::live;
using detail::OperationKind;
using detail::own;
using detail::reject;
using detail::submit;
using detail::submit_nothing;
using detail::Usage;
using detail::Use;
using detail::use_of;

// The calls of the native queue. Graphs change the memory that they use.
void rebind_memory(backend::Memory*& memory, std::size_t& offset, const detail::Rebinding& rebinding) {
  if (memory != &rebinding.from->memory()) return;
  memory = &rebinding.to->memory();
  offset += static_cast<std::size_t>(rebinding.shift);
}

// Copies host memory, which a graph then reads in its place.
std::shared_ptr<void> copied_memory(const void*& from, std::size_t nbytes) {
  const auto* const bytes = static_cast<const std::byte*>(from);
  auto copy = std::make_shared<std::vector<std::byte>>(bytes, bytes + nbytes);
  from = copy->data();
  return copy;
}

struct WriteCall {
  backend::Memory* memory;
  std::size_t offset;
  const void* from;
  std::size_t nbytes;
  backend::TimingPtr operator()(backend::Queue& queue) const {
    return queue.write(*memory, offset, from, nbytes);
  }
  void rebind(const detail::Rebinding& rebinding) { rebind_memory(memory, offset, rebinding); }
  std::shared_ptr<void> keep_host_memory() { return copied_memory(from, nbytes); }
};

struct ReadCall {
  backend::Memory* memory;
  std::size_t offset;
  void* to;
  std::size_t nbytes;
  backend::TimingPtr operator()(backend::Queue& queue) const {
    return queue.read(*memory, offset, to, nbytes);
  }
  void rebind(const detail::Rebinding& rebinding) { rebind_memory(memory, offset, rebinding); }
};

struct CopyCall {
  backend::Memory* from;
  std::size_t from_offset;
  backend::Memory* to;
  std::size_t to_offset, nbytes;
  backend::TimingPtr operator()(backend::Queue& queue) const {
    return queue.copy(*from, from_offset, *to, to_offset, nbytes);
  }
  void rebind(const detail::Rebinding& rebinding) {
    rebind_memory(from, from_offset, rebinding);
    rebind_memory(to, to_offset, rebinding);
  }
};

struct FillCall {
  backend::Memory* memory;
  std::size_t offset, size;
  std::vector<std::byte> pattern;
  backend::TimingPtr operator()(backend::Queue& queue) const {
    return queue.fill(*memory, offset, size, pattern);
  }
  void rebind(const detail::Rebinding& rebinding) { rebind_memory(memory, offset, rebinding); }
};

struct RectCall {
  backend::RectSide from, to;
  std::array<std::size_t, 3> region;
  std::size_t host_bytes;  // from the first byte of the host's rectangle to its last
  backend::TimingPtr operator()(backend::Queue& queue) const { return queue.copy_rect(from, to, region); }
  void rebind(const detail::Rebinding& rebinding) {
    rebind_memory(from.memory, from.offset, rebinding);
    rebind_memory(to.memory, to.offset, rebinding);
  }
  std::shared_ptr<void> keep_host_memory() {
    if (from.memory != nullptr) return nullptr;  // the host's side is written
    const void* first = static_cast<const std::byte*>(from.host) + std::exchange(from.offset, 0);
    std::shared_ptr<void> copy = copied_memory(first, host_bytes);
    from.host = const_cast<void*>(first);
    return copy;
  }
};

void check_size(std::size_t nbytes, const Buffer& buffer, const char* what) {
  if (nbytes > buffer.size()) {
    reject(std::string(what) + " of " + std::to_string(nbytes) + " bytes does not fit a buffer of " +
           std::to_string(buffer.size()) + " bytes");
  }
}

}  // namespace

Queue::Queue(const Device& device, QueueOptions options)
    : Queue(Context::of(device), device, std::move(options)) {}

Queue::Queue(const Context& context, const Device& device, QueueOptions options)
    : state_(context.state()->make_queue(context.state()->index_of(device), options)) {}

namespace {
thread_local const Queue* current_queue = nullptr;
}  // namespace

QueueScope::QueueScope(const Queue& queue) noexcept : before_(std::exchange(current_queue, &queue)) {}
QueueScope::~QueueScope() {
  current_queue = before_;
}
const Queue* QueueScope::current() noexcept {
  return current_queue;
}

Queue Queue::of(const Device& device) {
  return Queue(detail::ContextState::of(device)->default_queue(0));
}

Queue Queue::wrap(const Context& context, const Device& device, std::uintptr_t native,
                  std::shared_ptr<void> owner) {
  return Queue(context.state()->wrap_queue(context.state()->index_of(device), native, std::move(owner)));
}

Device Queue::device() const {
  return state_->context()->devices()[state_->device()];
}
Context Queue::context() const {
  return Context(state_->context());
}
const std::string& Queue::name() const noexcept {
  return state_->name();
}
std::string Queue::description() const {
  return state_->description();
}
bool Queue::profiling() const noexcept {
  return state_->profiling();
}
bool Queue::out_of_order() const noexcept {
  return state_->is_out_of_order();
}
bool Queue::track_memory() const noexcept {
  return state_->tracks_memory();
}
int Queue::priority() const noexcept {
  return state_->native().priority();
}
std::uintptr_t Queue::native_handle() const noexcept {
  return state_->native().native_handle();
}

Event Queue::write(const Buffer& to, const void* from, std::size_t nbytes, WaitList wait_for,
                   std::shared_ptr<void> keep) const {
  backend::Memory& memory = own(to, *state_, "the buffer to write").memory();
  check_writable(to, "the buffer to write");
  check_size(nbytes, to, "a write");
  if (nbytes == 0) return submit_nothing(*state_, wait_for);
  const Use use = use_of(to.sub_buffer(0, nbytes), Usage::overwrites);
  return submit(*state_, {OperationKind::upload, nbytes}, WriteCall{&memory, to.offset(), from, nbytes},
                {&use, 1}, wait_for, {to.allocation()}, std::move(keep), {from, nbytes, false});
}

Event Queue::read(const Buffer& from, void* to, std::size_t nbytes, WaitList wait_for,
                  std::shared_ptr<void> keep) const {
  backend::Memory& memory = own(from, *state_, "the buffer to read").memory();
  check_size(nbytes, from, "a read");
  if (nbytes == 0) return submit_nothing(*state_, wait_for);
  const Use use = use_of(from.sub_buffer(0, nbytes), Usage::reads);
  return submit(*state_, {OperationKind::download, nbytes}, ReadCall{&memory, from.offset(), to, nbytes},
                {&use, 1}, wait_for, {from.allocation()}, std::move(keep), {to, nbytes, true});
}

Event Queue::before_read(const Buffer& from, WaitList wait_for) const {
  if (!state_->native().reads_best_when_idle()) return {};
  return when_written(from, wait_for);
}

namespace {

// An operation without work, after those that the use depends on.
Event submit_use(detail::QueueState& queue, const Buffer& buffer, Usage usage, WaitList wait_for) {
  own(buffer, queue, "the buffer");
  const Use use = use_of(buffer, usage);
  return submit(queue, {}, [](backend::Queue&) { return backend::TimingPtr(); }, {&use, 1}, wait_for,
                {buffer.allocation()});
}

}  // namespace

Event Queue::when_written(const Buffer& buffer, WaitList wait_for) const {
  return submit_use(*state_, buffer, Usage::reads, wait_for);
}

Event Queue::when_unused(const Buffer& buffer, WaitList wait_for) const {
  return submit_use(*state_, buffer, Usage::writes, wait_for);
}

Event Queue::copy(const Buffer& from, const Buffer& to, WaitList wait_for) const {
  Allocation& source = live(from, "the buffer to copy from");
  Allocation& target = live(to, "the buffer to copy to");
  check_writable(to, "the buffer to copy to");
  if (from.size() != to.size()) {
    reject("a copy needs buffers of the same size, got " + std::to_string(from.size()) + " and " +
           std::to_string(to.size()) + " bytes");
  }
  const std::size_t nbytes = from.size();
  const bool has_source = is_within_reach(source, *state_);
  const bool has_target = is_within_reach(target, *state_);
  if (!has_source && !has_target) {
    reject("neither buffer is in the queue's context: copy on a queue of " + from.device().spec() +
           " or of " + to.device().spec());
  }
  if (nbytes == 0) return submit_nothing(*state_, wait_for);
  // Parts of one allocation may overlap. The target then receives the source's old contents.
  const bool is_apart = from.allocation() != to.allocation();
  const std::array<Use, 2> uses = {use_of(from, Usage::reads),
                                   use_of(to, is_apart ? Usage::overwrites : Usage::writes)};
  std::vector<std::shared_ptr<void>> owners = {from.allocation(), to.allocation()};
  backend::Memory& a = source.memory();
  backend::Memory& b = target.memory();
  const auto can_copy = [&](const backend::Memory& memory) {
    const auto* const peer = dynamic_cast<const backend::PeerQueue*>(&state_->native());
    return peer != nullptr && peer->can_copy(memory);
  };
  if ((has_source || can_copy(a)) && (has_target || can_copy(b))) {
    return submit(*state_, {OperationKind::copy, nbytes},
                  CopyCall{&a, from.offset(), &b, to.offset(), nbytes}, uses, wait_for, std::move(owners));
  }
  if (detail::has_restrictions()) {
    const detail::CaptureState* const capture = detail::CaptureState::current();
    if (capture != nullptr && capture->concerns(*state_, uses, wait_for))
      throw CaptureError("a copy between devices cannot be captured: copy before the capture");
  }
  // Memory of another context can be copied if it is host memory.
  if (has_target && from.host_pointer()) {
    return submit(
        *state_, {OperationKind::upload, nbytes},
        [&b, to_offset = to.offset(), host = from.host_pointer(), nbytes](backend::Queue& q) {
          return q.write(b, to_offset, host, nbytes);
        },
        uses, wait_for, std::move(owners), from.allocation());
  }
  if (has_source && to.host_pointer()) {
    return submit(
        *state_, {OperationKind::download, nbytes},
        [&a, from_offset = from.offset(), host = to.host_pointer(), nbytes](backend::Queue& q) {
          return q.read(a, from_offset, host, nbytes);
        },
        uses, wait_for, std::move(owners), to.allocation());
  }
  // The two devices have no common context: the copy goes through the host, with a queue on each side.
  const Queue other(has_source ? target.context()->default_queue(target.device())
                               : source.context()->default_queue(source.device()));
  const Queue& reader = has_source ? *this : other;
  const Queue& writer = has_source ? other : *this;
  auto bounce = std::make_shared<std::vector<std::byte>>(nbytes);
  const Event read = reader.read(from, bounce->data(), nbytes, wait_for, bounce);
  const Event written = writer.write(to, bounce->data(), nbytes, {&read, 1}, bounce);
  const detail::DeferredErrorList errors = detail::deferred_errors_of({uses.data(), 1});
  if (!errors.empty()) uses[1].record->deferred_errors().add(uses[1].range, errors);
  return has_target ? written : submit_nothing(*state_, {&written, 1});
}

Event Queue::fill(const Buffer& buffer, std::span<const std::byte> pattern, WaitList wait_for) const {
  backend::Memory& memory = own(buffer, *state_, "the buffer to fill").memory();
  check_writable(buffer, "the buffer to fill");
  if (pattern.empty() || buffer.size() % pattern.size() != 0) {
    reject("a pattern of " + std::to_string(pattern.size()) + " bytes does not divide a buffer of " +
           std::to_string(buffer.size()) + " bytes");
  }
  if (buffer.empty()) return submit_nothing(*state_, wait_for);
  const Use use = use_of(buffer, Usage::overwrites);
  return submit(*state_, {OperationKind::fill, buffer.size()},
                FillCall{&memory, buffer.offset(), buffer.size(), {pattern.begin(), pattern.end()}},
                {&use, 1}, wait_for, {buffer.allocation()});
}

namespace {

// Fills in missing pitches, and checks that the rectangle lies within its buffer.
backend::RectSide resolve(const RectView& view, std::array<std::size_t, 3> region, const char* what) {
  bool overflows = false;
  const auto times = [&](std::size_t x, std::size_t y) {
    std::size_t product = 0;
    overflows |= __builtin_mul_overflow(x, y, &product);
    return product;
  };
  const auto plus = [&](std::size_t x, std::size_t y) {
    std::size_t sum = 0;
    overflows |= __builtin_add_overflow(x, y, &sum);
    return sum;
  };
  backend::RectSide side;
  side.row_pitch = view.row_pitch ? view.row_pitch : plus(view.origin[0], region[0]);
  side.slice_pitch =
      view.slice_pitch ? view.slice_pitch : times(side.row_pitch, plus(view.origin[1], region[1]));
  if (side.row_pitch < region[0] || (region[2] > 1 && side.slice_pitch < times(side.row_pitch, region[1]))) {
    reject(std::string("the pitches of ") + what + " (" + std::to_string(side.row_pitch) + " and " +
           std::to_string(side.slice_pitch) + " bytes) are smaller than the region's rows and slices");
  }
  side.offset = plus(view.origin[0],
                     plus(times(view.origin[1], side.row_pitch), times(view.origin[2], side.slice_pitch)));
  const std::size_t end = plus(
      side.offset,
      plus(plus(times(region[2] - 1, side.slice_pitch), times(region[1] - 1, side.row_pitch)), region[0]));
  if (overflows) reject(std::string("the rectangle of ") + what + " is larger than the address space");
  if (view.buffer) {
    if (end > view.buffer->size()) {
      reject(std::string("the rectangle ends at byte ") + std::to_string(end) + " of " + what +
             ", which has " + std::to_string(view.buffer->size()) + " bytes");
    }
    side.memory = &view.buffer->allocation()->memory();
    side.offset += view.buffer->offset();
  } else {
    side.host = view.host;
  }
  return side;
}

// The range from the first byte of the rectangle to its last.
detail::HostUse host_use(const backend::RectSide& side, std::array<std::size_t, 3> region, bool writes) {
  return {static_cast<const std::byte*>(side.host) + side.offset,
          (region[2] - 1) * side.slice_pitch + (region[1] - 1) * side.row_pitch + region[0], writes};
}

}  // namespace

Event Queue::copy_rect(const RectView& from, const RectView& to, std::array<std::size_t, 3> region,
                       WaitList wait_for, std::shared_ptr<void> keep) const {
  if (!from.buffer && !to.buffer) reject("a rectangle copy needs a buffer on at least one side");
  std::vector<Use> uses;
  std::vector<std::shared_ptr<void>> owners;
  for (const auto& [view, writes] : {std::pair{&from, false}, std::pair{&to, true}}) {
    if (!view->buffer) continue;
    own(*view->buffer, *state_, writes ? "the buffer to copy to" : "the buffer to copy from");
    if (writes) check_writable(*view->buffer, "the buffer to copy to");
    uses.push_back(use_of(*view->buffer, writes ? Usage::writes : Usage::reads));
    owners.push_back(view->buffer->allocation());
  }
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) return submit_nothing(*state_, wait_for);
  const backend::RectSide source = resolve(from, region, "the source");
  const backend::RectSide target = resolve(to, region, "the target");
  detail::HostUse host;
  if (!from.buffer || !to.buffer) host = host_use(from.buffer ? target : source, region, bool(from.buffer));
  const OperationKind kind = !from.buffer ? OperationKind::upload
                             : !to.buffer ? OperationKind::download
                                          : OperationKind::copy;
  return submit(*state_, {kind, region[0] * region[1] * region[2]},
                RectCall{source, target, region, host.nbytes}, uses, wait_for, std::move(owners),
                std::move(keep), host);
}

Event Queue::barrier(WaitList wait_for) const {
  return submit(*state_, {OperationKind::barrier}, [](backend::Queue&) { return backend::TimingPtr(); }, {},
                wait_for, {});
}

Event Queue::marker(WaitList wait_for) const {
  return submit(*state_, {OperationKind::marker}, [](backend::Queue&) { return backend::TimingPtr(); }, {},
                wait_for, {});
}

void Queue::flush() const {
  state_->flush();
}

void Queue::finish() const {
  finish_until(Deadline::max());
}

bool Queue::finish_until(Deadline deadline) const {
  return state_->finish_until(deadline);
}

Event Queue::finished() const {
  state_->enqueue_pending();
  return marker();
}

bool Queue::finish_up_to(const Event& last, Deadline deadline) const {
  if (!last.queue_state()) return true;
  return state_->finish_up_to(last, deadline);
}

std::string Queue::held_back() const {
  return state_->held_back();
}

void Queue::start_recording() const {
  state_->start_recording();
}

std::vector<Event> Queue::stop_recording() const {
  return state_->stop_recording();
}

}  // namespace quern
