// SPDX-License-Identifier: MIT
// Creation of an OpenCL context and its queues; memory and programs are in their own files.
#include "backend/opencl/context.hpp"

#include <algorithm>
#include <mutex>

#include "backend/opencl/event.hpp"
#include "backend/opencl/exit.hpp"
#include "backend/opencl/memory.hpp"
#include "backend/opencl/program.hpp"
#include "backend/opencl/queue.hpp"
#include "backend/opencl/svm.hpp"
#include "base/shared_library.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

// Drivers report errors of the context here, from any thread and in their own words. Every failure also has a
// status that goes through check(), so the report is ignored; but some drivers print if there is no callback.
void CL_CALLBACK ignore_notice(const char*, const void*, std::size_t, void*) {}

// One by one: an event that failed must not end the wait for the others.
void wait_for(const std::vector<EventHandle>& events) {
  for (const EventHandle& event : events) {
    const cl_event waited_for = event.get();
    (void)api().WaitForEvents(1, &waited_for);
  }
}

}  // namespace

Context::Context(std::vector<std::shared_ptr<const Device>> devices) : devices_(std::move(devices)) {
  std::vector<cl_device_id> ids;
  for (const auto& device : devices_) {
    ids.push_back(device->id());
    sub_buffer_alignment_ = std::max(sub_buffer_alignment_, device->properties().sub_buffer_alignment);
  }
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(devices_.front()->platform()), 0};
  cl_int status = CL_SUCCESS;
  context_ = ContextHandle(api().CreateContext(properties, static_cast<cl_uint>(ids.size()), ids.data(),
                                               ignore_notice, nullptr, &status));
  check(status, "clCreateContext", devices_.front()->label());
}

const Device& Context::device(std::size_t index) const {
  if (index >= devices_.size()) {
    throw ArgumentError(ArgumentError::Kind::value, "there is no device " + std::to_string(index) +
                                                        " in a context of " +
                                                        std::to_string(devices_.size()));
  }
  return *devices_[index];
}

QueueHandle create_queue(cl_context context, const Device& device, const QueueOptions& options) {
  cl_command_queue_properties flags = options.profiling ? CL_QUEUE_PROFILING_ENABLE : 0;
  if (options.out_of_order && device.runs_out_of_order()) flags |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = nullptr;
  if (device.speaks(2, 0) && api().CreateCommandQueueWithProperties != nullptr) {
    std::vector<cl_queue_properties> properties = {CL_QUEUE_PROPERTIES, flags};
    if (options.priority != 0 && device.has_priorities()) {
      properties.push_back(CL_QUEUE_PRIORITY_KHR);
      properties.push_back(options.priority > 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR);
    }
    properties.push_back(0);
    queue = api().CreateCommandQueueWithProperties(context, device.id(), properties.data(), &status);
    check(status, "clCreateCommandQueueWithProperties", device.label());
  } else {
    queue = api().CreateCommandQueue(context, device.id(), flags, &status);
    check(status, "clCreateCommandQueue", device.label());
  }
  return QueueHandle(queue);
}

std::unique_ptr<backend::Queue> Context::make_queue(std::size_t index, const QueueOptions& options) {
  const Device& target = device(index);
  QueueOptions native = options;
  // Each command of an out-of-order queue has an event, so times cost nothing more.
  if (options.out_of_order && target.runs_out_of_order()) native.profiling = true;
  return adopt_queue(index, create_queue(id(), target, native), options, QueueOwner::us);
}

std::unique_ptr<backend::Queue> Context::wrap_queue(std::size_t index, std::uintptr_t native) {
  const Device& chosen = device(index);
  auto* queue = reinterpret_cast<cl_command_queue>(native);
  const auto ask = [&](cl_command_queue_info query, auto& value) {
    check(api().GetCommandQueueInfo(queue, query, sizeof value, &value, nullptr), "clGetCommandQueueInfo",
          chosen.label());
  };
  cl_context context = nullptr;
  cl_device_id owner = nullptr;
  cl_command_queue_properties flags = 0;
  ask(CL_QUEUE_CONTEXT, context);
  ask(CL_QUEUE_DEVICE, owner);
  ask(CL_QUEUE_PROPERTIES, flags);
  if (context != context_.get() || owner != chosen.id()) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the cl_command_queue belongs to another context or device than " + chosen.label());
  }
  if ((flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    throw ArgumentError(
        ArgumentError::Kind::value,
        "the cl_command_queue runs its commands out of order; only an in-order one can be wrapped");
  }
  check(api().RetainCommandQueue(queue), "clRetainCommandQueue", chosen.label());
  return adopt_queue(index, QueueHandle(queue), {.profiling = (flags & CL_QUEUE_PROFILING_ENABLE) != 0},
                     QueueOwner::other);
}

std::unique_ptr<backend::Queue> Context::adopt_queue(std::size_t index, QueueHandle queue,
                                                     const QueueOptions& options, QueueOwner owner) {
  auto made = std::make_unique<Queue>(shared_from_this(), devices_[index], std::move(queue), options, owner);
  add_queue(made->state());
  return made;
}

void Context::add_queue(std::weak_ptr<const QueueState> queue) {
  const std::lock_guard lock(mutex_);
  std::erase_if(queues_, [](const auto& known) { return known.expired(); });
  queues_.push_back(std::move(queue));
}

cl_command_queue Context::service_queue(std::size_t index) {
  const std::lock_guard lock(mutex_);
  service_queues_.resize(devices_.size());
  QueueHandle& queue = service_queues_[index];
  if (!queue) queue = create_queue(id(), device(index), {});
  return queue.get();
}

std::vector<EventHandle> Context::mark_queues() const {
  std::vector<EventHandle> markers;
  std::vector<cl_command_queue> marked;  // lanes share a native queue
  for (const auto& known : queues_) {
    const std::shared_ptr<const QueueState> queue = known.lock();
    if (queue == nullptr || queue->idle()) continue;
    if (std::find(marked.begin(), marked.end(), queue->queue.get()) != marked.end()) continue;
    marked.push_back(queue->queue.get());
    cl_event event = nullptr;
    if (api().EnqueueMarkerWithWaitList(queue->queue.get(), 0, nullptr, &event) != CL_SUCCESS) continue;
    markers.emplace_back(event);
    api().Flush(queue->queue.get());
  }
  return markers;
}

void Context::retire(std::vector<MemHandle> mems) noexcept try {
  if (process::must_not_touch_drivers()) return;
  Retired retired;
  retired.mems = std::move(mems);
  std::vector<Retired> finished;
  const std::lock_guard lock(mutex_);
  retired.pending = mark_queues();
  retired_.push_back(std::move(retired));
  finished = take_finished();
} catch (...) {
  // No memory for the lists: the memory was released at once, possibly after a wait.
}

void Context::retire(MemHandle mem) noexcept try {
  std::vector<MemHandle> mems;
  mems.push_back(std::move(mem));
  retire(std::move(mems));
} catch (...) {
  // As above.
}

void Context::finish() {
  std::vector<EventHandle> markers;
  {
    const std::lock_guard lock(mutex_);
    markers = mark_queues();
  }
  wait_for(markers);
}

std::vector<Context::Retired> Context::take_finished() {
  const auto is_pending = [](const EventHandle& event) {
    cl_int status = CL_COMPLETE;
    const cl_int asked =
        api().GetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return asked == CL_SUCCESS && status > CL_COMPLETE;
  };
  const auto finished = std::partition(retired_.begin(), retired_.end(), [&](const Retired& retired) {
    return std::any_of(retired.pending.begin(), retired.pending.end(), is_pending);
  });
  std::vector<Retired> taken(std::make_move_iterator(finished), std::make_move_iterator(retired_.end()));
  retired_.erase(finished, retired_.end());
  return taken;
}

bool Context::reclaim() {
  std::vector<Retired> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(retired_);
  }
  for (const Retired& retired : taken) wait_for(retired.pending);
  return !taken.empty();
}

SharingContext::Grain Context::finest_grain(std::size_t device) const {
  return finest_svm_grain(*this, device);
}

SharedMemory Context::allocate_shared(std::size_t device, std::size_t nbytes, Grain grain) {
  return allocate_svm(shared_from_this(), device, nbytes, grain);
}

MemoryInfo Context::memory_info(std::size_t index) const {
  const Device& chosen = device(index);
  const std::size_t total = chosen.properties().global_memory;
  // AMD reports free memory in KiB; the second figure is the largest block.
  std::size_t free_kib[2] = {0, 0};
  if (api().GetDeviceInfo(chosen.id(), CL_DEVICE_GLOBAL_FREE_MEMORY_AMD, sizeof free_kib, free_kib,
                          nullptr) == CL_SUCCESS &&
      free_kib[0] != 0) {
    return {free_kib[0] * 1024, total};
  }
  return {total - std::min(total, chosen.in_use().load(std::memory_order_relaxed)), total};
}

std::unique_ptr<backend::Memory> Context::allocate(std::size_t index, std::size_t nbytes) {
  return allocate_memory(shared_from_this(), index, nbytes);
}

std::unique_ptr<backend::Memory> Context::wrap_memory(std::uintptr_t native, std::size_t nbytes) {
  return opencl::wrap_memory(shared_from_this(), reinterpret_cast<cl_mem>(native), nbytes);
}

std::unique_ptr<backend::PinnedMemory> Context::allocate_pinned(std::size_t nbytes) {
  return std::make_unique<PinnedMemory>(shared_from_this(), nbytes);
}

Compiled Context::compile(std::size_t index, const CompileRequest& request) {
  const DriverCall driver(device(index));
  Compiled compiled = compile_program(shared_from_this(), index, request);
  // A first compilation makes a driver's compiler register exit handlers of its own, which must run after
  // ours.
  static std::once_flag once;
  std::call_once(once, register_exit_handler);
  return compiled;
}

std::unique_ptr<backend::Module> Context::load(std::size_t index, std::span<const std::byte> binary) {
  const DriverCall driver(device(index));
  return load_program(shared_from_this(), index, binary);
}

std::string Context::compiler_identity(std::size_t index) {
  return opencl::compiler_identity(device(index));
}

}  // namespace quern::backend::opencl
