// SPDX-License-Identifier: MIT
// Buffers and sub-buffers.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "platform/device_info.hpp"
#include "platform/info.hpp"
#include "platform/memory.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"

_cl_mem::~_cl_mem() {
  if (destructor_callbacks.empty()) return;
  // They run when no enqueued command uses the memory any more.
  const auto run = [callbacks = std::move(destructor_callbacks)] {
    for (auto callback = callbacks.rbegin(); callback != callbacks.rend(); ++callback) (*callback)();
  };
  try {
    const quern::Event unused = context->service_queue().when_unused(buffer);
    if (!unused.done()) {
      unused.on_done([run, kept = context](const quern::Event&) { run(); });
      return;
    }
  } catch (...) {  // a lost device uses nothing
  }
  run();
}

std::byte* _cl_mem::host_view() {
  if (parent) return parent->host_view() + offset;
  if (void* const in_place = buffer.host_pointer()) return static_cast<std::byte*>(in_place);
  if (host != nullptr) return static_cast<std::byte*>(host);
  const std::lock_guard lock(mutex);
  if (!mirror) mirror = std::make_shared<std::vector<std::byte>>(buffer.size());
  return mirror->data();
}

namespace quern::platform {
namespace {

constexpr cl_mem_flags kKernelAccess = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_mem_flags kHostPointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags kHostAccess = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;

void check_flags(cl_mem_flags flags, cl_mem_flags allowed) {
  require((flags & ~allowed) == 0, CL_INVALID_VALUE);
  require(std::popcount(flags & kKernelAccess) <= 1, CL_INVALID_VALUE);
  require(std::popcount(flags & kHostAccess) <= 1, CL_INVALID_VALUE);
  const bool uses = (flags & CL_MEM_USE_HOST_PTR) != 0;
  require(!uses || (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) == 0, CL_INVALID_VALUE);
}

cl_mem make_buffer(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                   std::size_t nbytes, void* host) {
  _cl_context& owner = checked(context, CL_INVALID_CONTEXT);
  require(properties == nullptr || *properties == 0, CL_INVALID_PROPERTY);
  check_flags(flags, kKernelAccess | kHostPointer | kHostAccess);
  if ((flags & kKernelAccess) == 0) flags |= CL_MEM_READ_WRITE;
  std::size_t most = 0;
  for (const auto& device : owner.devices) most = std::max(most, device->device.properties().max_allocation);
  require(nbytes != 0 && nbytes <= most, CL_INVALID_BUFFER_SIZE);
  const bool takes_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  require(takes_host == (host != nullptr), CL_INVALID_HOST_PTR);

  const Device& home = owner.devices.front()->device;
  const bool uses = (flags & CL_MEM_USE_HOST_PTR) != 0;
  const bool in_place = uses && home.properties().shares_host_memory;
  Buffer buffer = in_place ? Buffer::wrap(owner.context, home, reinterpret_cast<std::uintptr_t>(host), nbytes)
                           : Buffer(owner.context, home, nbytes);
  // The pool may hand out memory that earlier commands still use: the queue waits for them.
  if (takes_host && !in_place) owner.service_queue().write(buffer, host, nbytes).wait();
  const cl_mem memory = make_handle<_cl_mem>(&owner, flags, std::move(buffer));
  if (uses) memory->host = host;
  if (properties != nullptr) memory->properties = {0};
  return memory;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t nbytes, void* host,
                                 cl_int* code) {
  return guarded(code, [&] { return make_buffer(context, nullptr, flags, nbytes, host); });
}

cl_mem CL_API_CALL create_buffer_with_properties(cl_context context, const cl_mem_properties* properties,
                                                 cl_mem_flags flags, size_t nbytes, void* host,
                                                 cl_int* code) {
  return guarded(code, [&] { return make_buffer(context, properties, flags, nbytes, host); });
}

// What a sub-buffer has: its own flags, and those of its parent that it does not give.
cl_mem_flags inherited(cl_mem_flags parent, cl_mem_flags own) {
  const cl_mem_flags access = own & kKernelAccess, host = own & kHostAccess;
  require(!((parent & CL_MEM_WRITE_ONLY) != 0 && (access & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0),
          CL_INVALID_VALUE);
  require(!((parent & CL_MEM_READ_ONLY) != 0 && (access & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0),
          CL_INVALID_VALUE);
  require(!((parent & CL_MEM_HOST_WRITE_ONLY) != 0 && (host & CL_MEM_HOST_READ_ONLY) != 0), CL_INVALID_VALUE);
  require(!((parent & CL_MEM_HOST_READ_ONLY) != 0 && (host & CL_MEM_HOST_WRITE_ONLY) != 0), CL_INVALID_VALUE);
  require(!((parent & CL_MEM_HOST_NO_ACCESS) != 0 && (host & ~CL_MEM_HOST_NO_ACCESS) != 0), CL_INVALID_VALUE);
  return (access != 0 ? access : parent & kKernelAccess) | (host != 0 ? host : parent & kHostAccess) |
         (parent & kHostPointer);
}

cl_mem CL_API_CALL create_sub_buffer(cl_mem memory, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* info, cl_int* code) {
  return guarded(code, [&] {
    _cl_mem& whole = checked(memory, CL_INVALID_MEM_OBJECT);
    require(!whole.parent, CL_INVALID_MEM_OBJECT);
    require(type == CL_BUFFER_CREATE_TYPE_REGION && info != nullptr, CL_INVALID_VALUE);
    check_flags(flags, kKernelAccess | kHostAccess);
    const cl_mem_flags kept = inherited(whole.flags, flags);
    const auto& region = *static_cast<const cl_buffer_region*>(info);
    require(region.size != 0, CL_INVALID_BUFFER_SIZE);
    require(region.origin <= whole.buffer.size() && region.size <= whole.buffer.size() - region.origin,
            CL_INVALID_VALUE);
    const bool is_aligned = std::ranges::any_of(whole.context->devices, [&](const auto& device) {
      return region.origin % sub_buffer_alignment(device->device) == 0;
    });
    require(is_aligned, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    const cl_mem part =
        make_handle<_cl_mem>(whole.context.get(), kept, whole.buffer.sub_buffer(region.origin, region.size));
    part->parent = Ref<_cl_mem>(memory);
    part->offset = region.origin;
    if (whole.host != nullptr) part->host = static_cast<std::byte*>(whole.host) + region.origin;
    return part;
  });
}

cl_int CL_API_CALL retain_memory(cl_mem memory) {
  return retain_handle(memory, CL_INVALID_MEM_OBJECT);
}
cl_int CL_API_CALL release_memory(cl_mem memory) {
  return release_handle(memory, CL_INVALID_MEM_OBJECT);
}

cl_int CL_API_CALL set_destructor_callback(cl_mem memory, void(CL_CALLBACK* function)(cl_mem, void*),
                                           void* data) {
  return guarded([&] {
    _cl_mem& self = checked(memory, CL_INVALID_MEM_OBJECT);
    require(function != nullptr, CL_INVALID_VALUE);
    const std::lock_guard lock(self.mutex);
    self.destructor_callbacks.emplace_back([=] { function(memory, data); });
  });
}

bool is_in_shared_memory(_cl_context& context, const void* address, std::size_t nbytes) {
  return address != nullptr && find_shared(context, address, nbytes).has_value();
}

cl_int CL_API_CALL memory_info(cl_mem memory, cl_mem_info query, size_t space, void* value, size_t* size) {
  return guarded([&] {
    _cl_mem& self = checked(memory, CL_INVALID_MEM_OBJECT);
    const Answer answer(space, value, size);
    switch (query) {
      case CL_MEM_TYPE:
        return answer.value(cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
      case CL_MEM_FLAGS:
        return answer.value(self.flags);
      case CL_MEM_SIZE:
        return answer.value(self.buffer.size());
      case CL_MEM_HOST_PTR:
        return answer.value(self.host);
      case CL_MEM_MAP_COUNT: {
        const std::lock_guard lock(self.mutex);
        return answer.value(static_cast<cl_uint>(self.mappings.size()));
      }
      case CL_MEM_REFERENCE_COUNT:
        return answer.value(self.retained());
      case CL_MEM_CONTEXT:
        return answer.value(self.context.get());
      case CL_MEM_ASSOCIATED_MEMOBJECT:
        return answer.value(self.parent.get());
      case CL_MEM_OFFSET:
        return answer.value(self.offset);
      case CL_MEM_USES_SVM_POINTER:
        return answer.flag(is_in_shared_memory(*self.context, self.host, self.buffer.size()));
      case CL_MEM_PROPERTIES:
        return answer.list(std::span<const cl_mem_properties>(self.properties));
      default:
        fail(CL_INVALID_VALUE);
    }
  });
}

}  // namespace

_cl_mem& memory_of(cl_mem memory, const _cl_command_queue& queue) {
  _cl_mem& self = checked(memory, CL_INVALID_MEM_OBJECT);
  require(self.context.get() == queue.context.get(), CL_INVALID_CONTEXT);
  require(self.offset % sub_buffer_alignment(queue.device->device) == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  return self;
}

Buffer part_of(const _cl_mem& memory, std::size_t offset, std::size_t nbytes) {
  require(offset <= memory.buffer.size() && nbytes <= memory.buffer.size() - offset, CL_INVALID_VALUE);
  return memory.buffer.sub_buffer(offset, nbytes);
}

void check_host_reads(const _cl_mem& memory) {
  require((memory.flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) == 0, CL_INVALID_OPERATION);
}
void check_host_writes(const _cl_mem& memory) {
  require((memory.flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) == 0, CL_INVALID_OPERATION);
}

void add_memory(cl_icd_dispatch& table) noexcept {
  table.clCreateBuffer = create_buffer;
  table.clCreateBufferWithProperties = create_buffer_with_properties;
  table.clCreateSubBuffer = create_sub_buffer;
  table.clRetainMemObject = retain_memory;
  table.clReleaseMemObject = release_memory;
  table.clSetMemObjectDestructorCallback = set_destructor_callback;
  table.clGetMemObjectInfo = memory_info;
}

}  // namespace quern::platform
