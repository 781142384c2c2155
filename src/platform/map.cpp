// SPDX-License-Identifier: MIT
// Maps: in place where the host can address the memory, otherwise through a copy on the host.
#include <algorithm>
#include <array>
#include <vector>

#include "platform/commands.hpp"
#include "platform/memory.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"
#include "quern/map.hpp"

namespace quern::platform {
namespace {

constexpr cl_map_flags kAll = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking, cl_map_flags flags,
                             size_t offset, size_t nbytes, cl_uint count, const cl_event* waits,
                             cl_event* result, cl_int* code) {
  return guarded(code, [&]() -> void* {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    _cl_mem& object = memory_of(memory, self);
    require((flags & ~kAll) == 0, CL_INVALID_VALUE);
    const bool discards = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    require(!discards || (flags & (CL_MAP_READ | CL_MAP_WRITE)) == 0, CL_INVALID_VALUE);
    const Buffer part = part_of(object, offset, nbytes);
    if ((flags & CL_MAP_READ) != 0) check_host_reads(object);
    if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) check_host_writes(object);
    std::byte* const address = object.host_view() + offset;
    enqueue(self, CL_COMMAND_MAP_BUFFER, {count, waits, result}, is_blocking != CL_FALSE, [&](WaitList list) {
      if (discards || object.is_mapped_in_place()) return enqueue_nothing(self.queue, list);
      return self.queue.read(part, address, nbytes, list);
    });
    const std::lock_guard lock(object.mutex);
    object.mappings.push_back({address, offset, nbytes, flags != CL_MAP_READ && flags != 0});
    return address;
  });
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void* address, cl_uint count,
                         const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    _cl_mem& object = memory_of(memory, self);
    Mapping mapping;
    {
      const std::lock_guard lock(object.mutex);
      const auto found =
          std::ranges::find(object.mappings, static_cast<std::byte*>(address), &Mapping::address);
      require(found != object.mappings.end(), CL_INVALID_VALUE);
      mapping = *found;
    }
    enqueue(self, CL_COMMAND_UNMAP_MEM_OBJECT, {count, waits, result}, false, [&](WaitList list) {
      if (!mapping.writes || object.is_mapped_in_place()) return enqueue_nothing(self.queue, list);
      return self.queue.write(part_of(object, mapping.offset, mapping.size), address, mapping.size, list,
                              object.mirror);
    });
    const std::lock_guard lock(object.mutex);
    const auto found = std::ranges::find(object.mappings, mapping.address, &Mapping::address);
    if (found != object.mappings.end()) object.mappings.erase(found);
  });
}

cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint number, const cl_mem* objects,
                           cl_mem_migration_flags flags, cl_uint count, const cl_event* waits,
                           cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    constexpr cl_mem_migration_flags kKnown =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    require(number != 0 && objects != nullptr && (flags & ~kKnown) == 0, CL_INVALID_VALUE);
    std::vector<Buffer> buffers;
    for (cl_uint k = 0; k < number; ++k) buffers.push_back(memory_of(objects[k], self).buffer);
    const MigrateTo to = (flags & CL_MIGRATE_MEM_OBJECT_HOST) != 0 ? MigrateTo::host : MigrateTo::device;
    enqueue(self, CL_COMMAND_MIGRATE_MEM_OBJECTS, {count, waits, result}, false,
            [&](WaitList list) { return quern::migrate(self.queue, buffers, to, list); });
  });
}

}  // namespace

void add_maps(cl_icd_dispatch& table) noexcept {
  table.clEnqueueMapBuffer = map_buffer;
  table.clEnqueueUnmapMemObject = unmap;
  table.clEnqueueMigrateMemObjects = migrate;
}

}  // namespace quern::platform
