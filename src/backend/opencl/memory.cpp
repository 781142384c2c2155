// SPDX-License-Identifier: MIT
// Allocating, wrapping and viewing OpenCL memory.
#include "backend/opencl/memory.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>
#include <vector>

#include "backend/opencl/context.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

// OpenCL does not allow buffers of 0 bytes.
std::size_t at_least_one(std::size_t nbytes) {
  return std::max<std::size_t>(nbytes, 1);
}

void refuse_above_limit(const Device& device, std::size_t nbytes) {
  const DeviceProperties& p = device.properties();
  if (p.max_allocation == 0 || nbytes <= p.max_allocation) return;
  throw OutOfDeviceMemory("an allocation of " + std::to_string(nbytes) + " bytes is above the limit of " +
                              std::to_string(p.max_allocation) + " bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE) of " +
                              device.label(),
                          {nbytes, device.in_use().load(std::memory_order_relaxed), 0, p.max_allocation});
}

template <class T>
T mem_info(cl_mem mem, cl_mem_info query, const Context& context) {
  T value{};
  check(api().GetMemObjectInfo(mem, query, sizeof value, &value, nullptr), "clGetMemObjectInfo",
        context.device(0).label());
  return value;
}

bool is_shortage(cl_int status) {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
         status == CL_OUT_OF_HOST_MEMORY;
}

// GPU drivers allocate when memory is first used, which is too late to report a failure to the caller;
// migrating it to the device makes them allocate now. The call waits for it, so that it cannot run after work
// that is enqueued on the memory next.
cl_int create_committed(Context& context, std::size_t device, std::size_t nbytes, MemHandle& mem) {
  cl_int status = CL_SUCCESS;
  mem = MemHandle(api().CreateBuffer(context.id(), CL_MEM_READ_WRITE, nbytes, nullptr, &status));
  if (status != CL_SUCCESS || context.device(device).properties().kind == DeviceKind::cpu) return status;
  const cl_mem moved = mem.get();
  cl_event event = nullptr;
  status = api().EnqueueMigrateMemObjects(context.service_queue(device), 1, &moved,
                                          CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, &event);
  if (status != CL_SUCCESS) return status;
  const EventHandle owned(event);
  return api().WaitForEvents(1, &event);
}

}  // namespace

Memory::Memory(std::shared_ptr<Context> context, MemHandle mem, std::size_t size, const std::size_t* charged)
    : context_(std::move(context)), mem_(std::move(mem)), size_(size), id_(unique_id()), root_(mem_.get()) {
  if (charged != nullptr) {
    is_charged_ = true;
    home_ = *charged;
    context_->device(home_).in_use().fetch_add(size_, std::memory_order_relaxed);
  } else if (auto* parent = mem_info<cl_mem>(mem_.get(), CL_MEM_ASSOCIATED_MEMOBJECT, *context_)) {
    root_ = parent;
    root_offset_ = mem_info<std::size_t>(mem_.get(), CL_MEM_OFFSET, *context_);
  }
}

Memory::~Memory() {
  if (is_charged_) context_->devices()[home_]->in_use().fetch_sub(size_, std::memory_order_relaxed);
  try {
    std::vector<MemHandle> mems;
    mems.reserve(1 + views_.size());
    mems.push_back(std::move(mem_));
    for (CachedView& view : views_) mems.push_back(std::move(view.mem));
    context_->retire(std::move(mems));
  } catch (const std::bad_alloc&) {
    while (!views_.empty()) views_.pop_back();
  }
}

std::uint64_t unique_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::mutex& views_mutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

View Memory::view(std::uint64_t queue, std::size_t offset, std::size_t nbytes) {
  nbytes = at_least_one(nbytes);
  for (const CachedView& cached : views_) {
    if (cached.queue == queue && cached.offset == offset && cached.size == nbytes)
      return {cached.mem.get(), cached.id};
  }

  const std::string& label = context_->devices().front()->label();
  const std::size_t alignment = context_->sub_buffer_alignment();
  const cl_buffer_region region = {root_offset_ + offset, nbytes};
  if (region.origin % alignment != 0) {
    throw ArgumentError(
        ArgumentError::Kind::value,
        "a view that starts " + std::to_string(region.origin) +
            " bytes into its memory cannot be a kernel argument on " + label +
            ": views must start at a multiple of " + std::to_string(alignment) +
            " bytes (CL_DEVICE_MEM_BASE_ADDR_ALIGN); copy it, or pass the whole and an offset");
  }
  cl_int status = CL_SUCCESS;
  MemHandle made(api().CreateSubBuffer(root_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  check(status, "clCreateSubBuffer", label, nbytes);
  const View made_view = {made.get(), unique_id()};
  views_.push_back(CachedView{queue, offset, nbytes, made_view.id, std::move(made)});
  return made_view;
}

void Memory::drop_views_if_full() {
  if (views_.size() < kMostViews) return;
  context_->finish();
  while (!views_.empty()) views_.pop_back();
}

PinnedMemory::PinnedMemory(std::shared_ptr<Context> context, std::size_t nbytes)
    : context_(std::move(context)), size_(nbytes) {
  const Device& device = context_->device(0);
  refuse_above_limit(device, nbytes);
  cl_int status = CL_SUCCESS;
  mem_ = MemHandle(api().CreateBuffer(context_->id(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                      at_least_one(nbytes), nullptr, &status));
  check(status, "clCreateBuffer(CL_MEM_ALLOC_HOST_PTR)", device.label(), at_least_one(nbytes));
  data_ = api().EnqueueMapBuffer(context_->service_queue(0), mem_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                 0, at_least_one(nbytes), 0, nullptr, nullptr, &status);
  check(status, "clEnqueueMapBuffer", device.label(), at_least_one(nbytes));
}

PinnedMemory::~PinnedMemory() {
  if (process::must_not_touch_drivers()) return;
  api().EnqueueUnmapMemObject(context_->service_queue(0), mem_.get(), data_, 0, nullptr, nullptr);
  api().Flush(context_->service_queue(0));
  context_->retire(std::move(mem_));
}

std::unique_ptr<Memory> allocate_memory(std::shared_ptr<Context> context, std::size_t device,
                                        std::size_t nbytes) {
  const Device& home = context->device(device);
  refuse_above_limit(home, nbytes);
  MemHandle mem;
  cl_int status = create_committed(*context, device, at_least_one(nbytes), mem);
  if (is_shortage(status) && context->reclaim()) {
    status = create_committed(*context, device, at_least_one(nbytes), mem);
  }
  check(status, "clCreateBuffer", home.label(), at_least_one(nbytes));
  return std::make_unique<Memory>(std::move(context), std::move(mem), nbytes, &device);
}

std::unique_ptr<Memory> wrap_memory(std::shared_ptr<Context> context, cl_mem mem, std::size_t nbytes) {
  const std::string& label = context->devices().front()->label();
  if (mem_info<cl_context>(mem, CL_MEM_CONTEXT, *context) != context->id()) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "the cl_mem belongs to another context than that of " + label);
  }
  if (mem_info<cl_mem_object_type>(mem, CL_MEM_TYPE, *context) != CL_MEM_OBJECT_BUFFER) {
    throw ArgumentError(ArgumentError::Kind::type, "the cl_mem is not a buffer");
  }
  const auto whole = mem_info<std::size_t>(mem, CL_MEM_SIZE, *context);
  if (nbytes > whole) {
    throw ArgumentError(ArgumentError::Kind::value, "the cl_mem holds " + std::to_string(whole) +
                                                        " bytes, not " + std::to_string(nbytes));
  }
  check(api().RetainMemObject(mem), "clRetainMemObject", label);
  return std::make_unique<Memory>(std::move(context), MemHandle(mem), nbytes == 0 ? whole : nbytes, nullptr);
}

MemHandle temporary_buffer(const Context& context, std::size_t nbytes, const void* contents) {
  cl_int status = CL_SUCCESS;
  // CL_MEM_COPY_HOST_PTR only reads from the pointer, which OpenCL declares without const.
  MemHandle mem(api().CreateBuffer(context.id(),
                                   CL_MEM_READ_WRITE | (contents != nullptr ? CL_MEM_COPY_HOST_PTR : 0u),
                                   nbytes, const_cast<void*>(contents), &status));
  check(status, "clCreateBuffer", context.device(0).label(), nbytes);
  return mem;
}

}  // namespace quern::backend::opencl
