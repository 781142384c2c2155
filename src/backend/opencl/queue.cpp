// SPDX-License-Identifier: MIT
// Enqueueing of OpenCL commands; rectangle copies are in queue_rect.cpp.
#include "backend/opencl/queue.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/opencl/context.hpp"
#include "backend/opencl/exit.hpp"
#include "backend/opencl/memory.hpp"
#include "backend/opencl/program.hpp"
#include "base/pattern.hpp"

namespace quern::backend::opencl {
namespace {

std::string sizes_text(const std::array<std::size_t, 3>& sizes, unsigned dims) {
  std::string text;
  for (unsigned i = 0; i < dims; ++i) text += (i == 0 ? "" : " x ") + std::to_string(sizes[i]);
  return text;
}

[[noreturn]] void fail_launch(cl_int status, const Function& function, const LaunchShape& shape,
                              const std::string& device) {
  fail(status,
       "clEnqueueNDRangeKernel(" + function.name() + ", global size " + sizes_text(shape.global, shape.dims) +
           ", local size " + sizes_text(shape.local, shape.dims) + ")",
       device);
}

// Pattern sizes that clEnqueueFillBuffer accepts.
bool native_pattern(std::size_t size, std::size_t offset, std::size_t nbytes) {
  return size <= 128 && (size & (size - 1)) == 0 && offset % size == 0 && nbytes % size == 0;
}

// Patterns of 16 bytes are filled fastest: on an H200 at 3.4 TB/s, against 0.4 for single bytes and 1.7 for 4
// bytes.
constexpr std::size_t kFastPattern = 16;
// Below this a second command costs more than a slow one.
constexpr std::size_t kSmallFill = 65536;

// NVIDIA's driver (580.159) counts patterns from the start of the buffer in 32 bits, and fails beyond.
constexpr std::size_t kFarthestPattern = std::size_t{1} << 30;

// The first block of fills that continue by doubling: large enough that few copies follow.
constexpr std::size_t kFillBlock = 16384;

}  // namespace

std::vector<cl_event> Lane::wait_list() const {
  std::vector<cl_event> events;
  if (last) events.push_back(last.get());
  for (const EventHandle& event : awaited) events.push_back(event.get());
  return events;
}

void Lane::set_last(cl_event event) {
  last = EventHandle(event);
  awaited.clear();
}

Queue::Queue(std::shared_ptr<Context> context, std::shared_ptr<const Device> device, QueueHandle queue,
             const QueueOptions& options, QueueOwner owner)
    : plain_(std::make_shared<QueueState>()),
      active_(plain_.get()),
      options_(options),
      lane_(options.out_of_order && device->runs_out_of_order() ? std::make_unique<Lane>() : nullptr),
      has_times_(options.profiling),
      may_change_queue_(owner == QueueOwner::us) {
  if (options.profiling) device->clock().compare(*device, context->id());
  plain_->context = std::move(context);
  plain_->device = std::move(device);
  plain_->queue = std::move(queue);
  finish_at_exit(plain_);
}

Queue::~Queue() {
  if (timed_) linger(std::move(timed_));
  linger(std::move(plain_));
}

std::unique_ptr<backend::Queue> Queue::make_lane() {
  if (lane_ == nullptr) return nullptr;
  check(api().RetainCommandQueue(plain_->queue.get()), "clRetainCommandQueue", label());
  auto lane = std::make_unique<Queue>(plain_->context, plain_->device, QueueHandle(plain_->queue.get()),
                                      options_, QueueOwner::us);
  lane->plain_->id = plain_->id;
  plain_->context->add_queue(lane->state());
  return lane;
}

int Queue::priority() const noexcept {
  if (!plain_->device->has_priorities() || options_.priority == 0) return 0;
  return options_.priority > 0 ? 1 : -1;
}

void Queue::change_queue(bool wants_times) {
  if (lane_ != nullptr) {
    if (wants_times) plain_->device->clock().compare(*plain_->device, plain_->context->id());
    has_times_ = wants_times;
    return;
  }
  if (wants_times && !timed_ && !make_timed_queue()) return;
  if (wants_times) plain_->device->clock().compare(*plain_->device, plain_->context->id());
  QueueState& from = active();
  QueueState& to = wants_times ? *timed_ : *plain_;
  if (!from.idle()) {
    const DriverCall driver(*plain_->device);
    cl_event event = nullptr;
    check(api().EnqueueMarkerWithWaitList(from.queue.get(), 0, nullptr, &event),
          "clEnqueueMarkerWithWaitList", label());
    const EventHandle owned(event);
    check(api().Flush(from.queue.get()), "clFlush", label());
    check(api().EnqueueBarrierWithWaitList(to.queue.get(), 1, &event, nullptr),
          "clEnqueueBarrierWithWaitList", label());
    count(to);  // it is not idle before the old queue is
  }
  has_times_ = wants_times;
  active_.store(&to, std::memory_order_release);
}

bool Queue::make_timed_queue() {
  auto made = std::make_shared<QueueState>();
  made->context = plain_->context;
  made->device = plain_->device;
  try {
    made->queue = create_queue(made->context->id(), *made->device, {.profiling = true});
    made->context->add_queue(made);
  } catch (const Error&) {
    may_change_queue_ = false;  // the operations run without times
    return false;
  }
  timed_ = std::move(made);
  finish_at_exit(timed_);
  return true;
}

void Queue::add_event(Operation& operation, cl_event event) {
  if (operation == nullptr) {
    operation = std::make_shared<EventTiming>(active().shared_from_this(), EventHandle(event));
  } else {
    operation->extend_to(EventHandle(event));
  }
}

void Queue::count(QueueState& queue) noexcept {
  // One thread at a time enqueues, so this need not be an atomic addition.
  queue.enqueued.store(queue.enqueued.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

TimingPtr Queue::nothing() {
  Operation operation;
  if (has_times_) {
    enqueue(operation, "clEnqueueMarkerWithWaitList", 0, [&](cl_event* event) {
      return api().EnqueueMarkerWithWaitList(id(), wait_count(), wait_list(), event);
    });
  }
  return operation;
}

TimingPtr Queue::launch(backend::Function& function, const LaunchShape& shape,
                        std::span<const Argument> arguments) {
  choose_queue();
  auto& ours = static_cast<Function&>(function);
  const DriverCall driver(*plain_->device);
  const bool has_offset = (shape.offset[0] | shape.offset[1] | shape.offset[2]) != 0;
  Operation operation;
  ours.with_arguments(active().id, arguments, [&](cl_kernel kernel) {
    const cl_int status = issue(operation, [&](cl_event* event) {
      return api().EnqueueNDRangeKernel(id(), kernel, shape.dims, has_offset ? shape.offset.data() : nullptr,
                                        shape.global.data(), shape.local.data(), wait_count(), wait_list(),
                                        event);
    });
    if (status != CL_SUCCESS) [[unlikely]]
      fail_launch(status, ours, shape, label());
  });
  return operation;
}

TimingPtr Queue::fill(backend::Memory& memory, std::size_t offset, std::size_t nbytes,
                      std::span<const std::byte> pattern) {
  choose_queue();
  if (nbytes == 0 || pattern.empty()) return nothing();
  auto& ours = static_cast<Memory&>(memory);
  const auto unit = shortest_period(pattern);
  Operation operation;
  if (!native_pattern(unit.size(), offset, nbytes)) {
    fill_by_copies(operation, ours, offset, nbytes, unit);
  } else if (nbytes < kSmallFill || unit.size() >= kFastPattern) {
    fill_natively(operation, ours, offset, nbytes, unit);
  } else {
    // The few bytes before and after the aligned ones are whole patterns too, because the pattern's size
    // divides 16.
    std::array<std::byte, kFastPattern> wide;
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = unit[i % unit.size()];
    const std::size_t head = (kFastPattern - offset % kFastPattern) % kFastPattern;
    const std::size_t tail = (nbytes - head) % kFastPattern;
    if (head != 0) fill_natively(operation, ours, offset, head, unit);
    fill_natively(operation, ours, offset + head, nbytes - head - tail, wide);
    if (tail != 0) fill_natively(operation, ours, offset + nbytes - tail, tail, unit);
  }
  return operation;
}

void Queue::fill_natively(Operation& operation, Memory& memory, std::size_t offset, std::size_t nbytes,
                          std::span<const std::byte> pattern) {
  if ((offset + nbytes) / pattern.size() > kFarthestPattern) {
    fill_by_copies(operation, memory, offset, nbytes, pattern);
    return;
  }
  enqueue(operation, "clEnqueueFillBuffer", nbytes, [&](cl_event* event) {
    return api().EnqueueFillBuffer(id(), memory.mem(), pattern.data(), pattern.size(), offset, nbytes,
                                   wait_count(), wait_list(), event);
  });
}

void Queue::fill_by_copies(Operation& operation, Memory& memory, std::size_t offset, std::size_t nbytes,
                           std::span<const std::byte> pattern) {
  const std::size_t repeats = std::max<std::size_t>(1, kFillBlock / pattern.size());
  std::vector<std::byte> block(std::min(nbytes, repeats * pattern.size()));
  for (std::size_t at = 0; at < block.size(); ++at) block[at] = pattern[at % pattern.size()];
  MemHandle first = temporary_buffer(*plain_->context, block.size(), block.data());
  copy_bytes(operation, first.get(), 0, memory.mem(), offset, block.size());
  plain_->context->retire(std::move(first));
  // Whole patterns are filled already, so the rest repeats them.
  for (std::size_t filled = block.size(); filled < nbytes;) {
    const std::size_t next = std::min(filled, nbytes - filled);
    copy_bytes(operation, memory.mem(), offset, memory.mem(), offset + filled, next);
    filled += next;
  }
}

void Queue::copy_bytes(Operation& operation, cl_mem from, std::size_t from_offset, cl_mem to,
                       std::size_t to_offset, std::size_t nbytes) {
  enqueue(operation, "clEnqueueCopyBuffer", nbytes, [&](cl_event* event) {
    return api().EnqueueCopyBuffer(id(), from, to, from_offset, to_offset, nbytes, wait_count(), wait_list(),
                                   event);
  });
}

TimingPtr Queue::copy(backend::Memory& from, std::size_t from_offset, backend::Memory& to,
                      std::size_t to_offset, std::size_t nbytes) {
  choose_queue();
  const auto& source = static_cast<Memory&>(from);
  const auto& target = static_cast<Memory&>(to);
  const std::size_t source_start = source.root_offset() + from_offset;
  const std::size_t target_start = target.root_offset() + to_offset;
  const bool same = source.root() == target.root();
  if (nbytes == 0 || (same && source_start == target_start)) return nothing();
  Operation operation;
  if (same && source_start < target_start + nbytes && target_start < source_start + nbytes) {
    MemHandle between = temporary_buffer(*plain_->context, nbytes);
    copy_bytes(operation, source.mem(), from_offset, between.get(), 0, nbytes);
    copy_bytes(operation, between.get(), 0, target.mem(), to_offset, nbytes);
    plain_->context->retire(std::move(between));
  } else {
    copy_bytes(operation, source.mem(), from_offset, target.mem(), to_offset, nbytes);
  }
  return operation;
}

TimingPtr Queue::write(backend::Memory& to, std::size_t offset, const void* from, std::size_t nbytes) {
  choose_queue();
  if (nbytes == 0) return nothing();
  Operation operation;
  enqueue(operation, "clEnqueueWriteBuffer", nbytes, [&](cl_event* event) {
    return api().EnqueueWriteBuffer(id(), static_cast<Memory&>(to).mem(), CL_FALSE, offset, nbytes, from,
                                    wait_count(), wait_list(), event);
  });
  return operation;
}

TimingPtr Queue::read(const backend::Memory& from, std::size_t offset, void* to, std::size_t nbytes) {
  choose_queue();
  if (nbytes == 0) return nothing();
  Operation operation;
  enqueue(operation, "clEnqueueReadBuffer", nbytes, [&](cl_event* event) {
    return api().EnqueueReadBuffer(id(), static_cast<const Memory&>(from).mem(), CL_FALSE, offset, nbytes, to,
                                   wait_count(), wait_list(), event);
  });
  return operation;
}

TimingPtr Queue::call(const std::function<void(std::uintptr_t native)>& function) {
  choose_queue();
  if (lane_ != nullptr) return call_in_lane(function);
  Operation operation;
  // The commands are the library's, so markers before and after them give the times.
  const auto mark = [&] {
    enqueue(operation, "clEnqueueMarkerWithWaitList", 0, [&](cl_event* event) {
      return api().EnqueueMarkerWithWaitList(id(), wait_count(), wait_list(), event);
    });
  };
  if (has_times_) mark();
  {
    const DriverCall driver(*plain_->device);
    function(reinterpret_cast<std::uintptr_t>(id()));
  }
  if (has_times_) mark();
  count(active());
  return operation;
}

// The library needs an in-order queue. It waits for the lane, and the lane for it.
TimingPtr Queue::call_in_lane(const std::function<void(std::uintptr_t native)>& function) {
  const QueueOptions in_order{.profiling = true};
  const DriverCall driver(*plain_->device);
  if (!library_queue_) library_queue_ = create_queue(plain_->context->id(), *plain_->device, in_order);
  const cl_command_queue library = library_queue_.get();
  Operation operation;
  cl_event after = nullptr;
  const auto mark = [&](const std::vector<cl_event>& events) {
    check(api().EnqueueMarkerWithWaitList(library, static_cast<cl_uint>(events.size()),
                                          events.empty() ? nullptr : events.data(), &after),
          "clEnqueueMarkerWithWaitList", label());
    check(api().RetainEvent(after), "clRetainEvent", label());
    if (has_times_) {
      add_event(operation, after);
    } else {
      (void)EventHandle(after);
    }
    return EventHandle(after);
  };
  std::vector<cl_event> before;
  {
    const std::lock_guard lock(lane_->mutex);
    before = lane_->wait_list();
    const EventHandle begin = mark(before);  // the library's commands come after it in their queue
  }
  check(api().Flush(id()), "clFlush", label());
  function(reinterpret_cast<std::uintptr_t>(library));
  const EventHandle end = mark({});
  check(api().Flush(library), "clFlush", label());
  {
    const std::lock_guard lock(lane_->mutex);
    lane_->awaited.clear();
    check(api().RetainEvent(end.get()), "clRetainEvent", label());
    lane_->awaited.emplace_back(end.get());
  }
  // A command of the lane itself, so that its native queue is not done before the library's.
  Operation unused;
  const bool has_times = std::exchange(has_times_, false);
  enqueue(unused, "clEnqueueMarkerWithWaitList", 0, [&](cl_event* event) {
    return api().EnqueueMarkerWithWaitList(id(), wait_count(), wait_list(), event);
  });
  has_times_ = has_times;
  return operation;
}

std::shared_ptr<backend::Marker> Queue::record() {
  QueueState& queue = active();
  const std::uint64_t covers = queue.enqueued.load(std::memory_order_acquire);
  cl_event event = nullptr;
  if (lane_ != nullptr) {
    const std::lock_guard lock(lane_->mutex);
    if (!lane_->last || !lane_->awaited.empty()) {
      const std::vector<cl_event> events = lane_->wait_list();
      check(api().EnqueueMarkerWithWaitList(queue.queue.get(), static_cast<cl_uint>(events.size()),
                                            events.empty() ? nullptr : events.data(), &event),
            "clEnqueueMarkerWithWaitList", label());
      lane_->set_last(event);
    }
    event = lane_->last.get();
    check(api().RetainEvent(event), "clRetainEvent", label());
    return std::make_shared<Marker>(queue.shared_from_this(), EventHandle(event), covers);
  }
  check(api().EnqueueMarkerWithWaitList(queue.queue.get(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList",
        label());
  return std::make_shared<Marker>(queue.shared_from_this(), EventHandle(event), covers);
}

bool Queue::wait(const std::shared_ptr<backend::Marker>& marker) {
  auto* ours = dynamic_cast<Marker*>(marker.get());
  if (ours == nullptr || ours->state().context->id() != plain_->context->id()) return false;
  // The queue is in order, and there is nothing to wait for.
  if (&ours->state() == &active() || ours->done()) return true;
  const cl_event event = ours->event();
  if (lane_ != nullptr) {
    check(api().RetainEvent(event), "clRetainEvent", label());
    const std::lock_guard lock(lane_->mutex);
    lane_->awaited.emplace_back(event);
    count(active());
    return true;
  }
  check(api().EnqueueBarrierWithWaitList(id(), 1, &event, nullptr), "clEnqueueBarrierWithWaitList", label());
  count(active());
  return true;
}

void Queue::flush() {
  check(api().Flush(id()), "clFlush", label());
}

}  // namespace quern::backend::opencl
