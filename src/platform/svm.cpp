// SPDX-License-Identifier: MIT
// Shared virtual memory.
#include "quern/svm.hpp"

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "platform/commands.hpp"
#include "platform/device_info.hpp"
#include "platform/memory.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"

namespace quern::platform {
namespace {

std::uintptr_t number(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

void* allocate(cl_context context, cl_svm_mem_flags flags, std::size_t nbytes, cl_uint alignment) {
  if (!is_valid(context) || nbytes == 0) return nullptr;
  constexpr cl_svm_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  if ((flags & ~(kAccess | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)) != 0) return nullptr;
  if (std::popcount(flags & kAccess) > 1) return nullptr;
  const Device& device = context->devices.front()->device;
  const cl_device_svm_capabilities has = svm_capabilities(device);
  const bool is_fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  if (has == 0 || (is_fine && (has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0)) return nullptr;
  if ((flags & CL_MEM_SVM_ATOMICS) != 0 && (!is_fine || (has & CL_DEVICE_SVM_ATOMICS) == 0)) return nullptr;
  constexpr cl_uint kLargestType = 128;
  if (alignment > kLargestType || (alignment != 0 && !std::has_single_bit(alignment))) return nullptr;
  if (nbytes > device.properties().max_allocation) return nullptr;
  Buffer buffer = svm_buffer(context->service_queue(), nbytes, is_fine ? SvmGrain::fine : SvmGrain::coarse);
  void* const address = buffer.host_pointer();
  if (address == nullptr) return nullptr;
  const std::lock_guard lock(context->mutex);
  context->shared_memory.insert_or_assign(number(address), std::move(buffer));
  return address;
}

void* CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t nbytes, cl_uint alignment) {
  cl_int code = CL_SUCCESS;
  return guarded(&code, [&] { return allocate(context, flags, nbytes, alignment); });
}

void free_shared(_cl_context& context, const void* address) noexcept {
  Buffer freed;
  const std::lock_guard lock(context.mutex);
  const auto found = context.shared_memory.find(number(address));
  if (found == context.shared_memory.end()) return;
  freed = std::move(found->second);
  context.shared_memory.erase(found);
}

void CL_API_CALL svm_free(cl_context context, void* address) {
  if (is_valid(context) && address != nullptr) free_shared(*context, address);
}

bool has_system_memory(const _cl_command_queue& queue) {
  return (svm_capabilities(queue.device->device) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
}

_cl_command_queue& queue_with_shared_memory(cl_command_queue queue) {
  _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
  require(svm_capabilities(self.device->device) != 0, CL_INVALID_OPERATION);
  return self;
}

cl_int CL_API_CALL enqueue_free(cl_command_queue queue, cl_uint number_of, void* addresses[],
                                void(CL_CALLBACK* function)(cl_command_queue, cl_uint, void*[], void*),
                                void* data, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = queue_with_shared_memory(queue);
    require((number_of == 0) == (addresses == nullptr), CL_INVALID_VALUE);
    std::vector<void*> all(addresses, addresses + number_of);
    for (const void* const address : all) require(address != nullptr, CL_INVALID_VALUE);
    enqueue(self, CL_COMMAND_SVM_FREE, {count, waits, result}, false, [&](WaitList list) {
      const Event event = self.queue.marker(list);
      event.on_done([=, kept = Ref<_cl_command_queue>(queue), all = std::move(all)](const Event&) mutable {
        if (function != nullptr)
          return function(kept.get(), static_cast<cl_uint>(all.size()), all.data(), data);
        for (const void* const address : all) free_shared(*kept->context, address);
      });
      return event;
    });
  });
}

// The memory at an address: shared memory, or what the program has allocated itself where kernels may use it.
Buffer memory_at(const _cl_command_queue& queue, const void* address, std::size_t nbytes) {
  if (auto shared = find_shared(*queue.context, address, nbytes)) return *shared;
  require(has_system_memory(queue), CL_INVALID_VALUE);
  return Buffer::wrap(queue.context->context, queue.device->device, number(address), nbytes);
}

cl_int CL_API_CALL enqueue_copy(cl_command_queue queue, cl_bool is_blocking, void* to, const void* from,
                                size_t nbytes, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = queue_with_shared_memory(queue);
    require(to != nullptr && from != nullptr, CL_INVALID_VALUE);
    const std::uintptr_t a = number(from), b = number(to);
    require(a + nbytes <= b || b + nbytes <= a, CL_MEM_COPY_OVERLAP);
    enqueue(self, CL_COMMAND_SVM_MEMCPY, {count, waits, result}, is_blocking != CL_FALSE, [&](WaitList list) {
      if (nbytes == 0) return enqueue_nothing(self.queue, list);
      // Either side may be ordinary memory of the host on every device.
      const auto source = find_shared(*self.context, from, nbytes);
      const auto target = find_shared(*self.context, to, nbytes);
      if (source && target) return self.queue.copy(*source, *target, list);
      if (source) return self.queue.read(*source, to, nbytes, list);
      if (target) return self.queue.write(*target, from, nbytes, list);
      return self.queue.write(memory_at(self, to, nbytes), from, nbytes, list);
    });
  });
}

cl_int CL_API_CALL enqueue_fill(cl_command_queue queue, void* to, const void* pattern, size_t pattern_size,
                                size_t nbytes, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = queue_with_shared_memory(queue);
    constexpr std::size_t kLargestType = 128;
    require(to != nullptr && pattern != nullptr && std::has_single_bit(pattern_size) &&
                pattern_size <= kLargestType && number(to) % pattern_size == 0 && nbytes % pattern_size == 0,
            CL_INVALID_VALUE);
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(pattern), pattern_size);
    enqueue(self, CL_COMMAND_SVM_MEMFILL, {count, waits, result}, false, [&](WaitList list) {
      if (nbytes == 0) return enqueue_nothing(self.queue, list);
      return self.queue.fill(memory_at(self, to, nbytes), bytes, list);
    });
  });
}

// Shared memory has one address everywhere: maps and migrations only order.
cl_int CL_API_CALL enqueue_map(cl_command_queue queue, cl_bool is_blocking, cl_map_flags, void* address,
                               size_t nbytes, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = queue_with_shared_memory(queue);
    require(address != nullptr && nbytes != 0, CL_INVALID_VALUE);
    enqueue(self, CL_COMMAND_SVM_MAP, {count, waits, result}, is_blocking != CL_FALSE,
            [&](WaitList list) { return enqueue_nothing(self.queue, list); });
  });
}

cl_int CL_API_CALL enqueue_unmap(cl_command_queue queue, void* address, cl_uint count, const cl_event* waits,
                                 cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = queue_with_shared_memory(queue);
    require(address != nullptr, CL_INVALID_VALUE);
    enqueue(self, CL_COMMAND_SVM_UNMAP, {count, waits, result}, false,
            [&](WaitList list) { return enqueue_nothing(self.queue, list); });
  });
}

cl_int CL_API_CALL enqueue_migrate(cl_command_queue queue, cl_uint number_of, const void** addresses,
                                   const size_t* sizes, cl_mem_migration_flags flags, cl_uint count,
                                   const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = queue_with_shared_memory(queue);
    require(number_of != 0 && addresses != nullptr, CL_INVALID_VALUE);
    require((flags & ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST |
                                             CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED}) == 0,
            CL_INVALID_VALUE);
    for (cl_uint k = 0; k < number_of; ++k) {
      const std::size_t nbytes = sizes != nullptr ? sizes[k] : 0;
      require(find_shared(*self.context, addresses[k], nbytes).has_value() || has_system_memory(self),
              CL_INVALID_VALUE);
    }
    enqueue(self, CL_COMMAND_SVM_MIGRATE_MEM, {count, waits, result}, false,
            [&](WaitList list) { return enqueue_nothing(self.queue, list); });
  });
}

}  // namespace

std::optional<Buffer> find_shared(_cl_context& context, const void* address, std::size_t nbytes) {
  const std::lock_guard lock(context.mutex);
  auto found = context.shared_memory.upper_bound(number(address));
  if (found == context.shared_memory.begin()) return std::nullopt;
  --found;
  const std::size_t offset = number(address) - found->first;
  const Buffer& buffer = found->second;
  if (offset > buffer.size() || nbytes > buffer.size() - offset) return std::nullopt;
  return buffer.sub_buffer(offset, nbytes);
}

void add_shared_memory(cl_icd_dispatch& table) noexcept {
  table.clSVMAlloc = svm_alloc;
  table.clSVMFree = svm_free;
  table.clEnqueueSVMFree = enqueue_free;
  table.clEnqueueSVMMemcpy = enqueue_copy;
  table.clEnqueueSVMMemFill = enqueue_fill;
  table.clEnqueueSVMMap = enqueue_map;
  table.clEnqueueSVMUnmap = enqueue_unmap;
  table.clEnqueueSVMMigrateMem = enqueue_migrate;
}

}  // namespace quern::platform
