// SPDX-License-Identifier: MIT
// Reads, writes, copies and fills of buffers, contiguous and in rectangles.
#include <array>
#include <bit>
#include <cstring>

#include "platform/commands.hpp"
#include "platform/memory.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"

namespace quern::platform {
namespace {

using Sizes = std::array<std::size_t, 3>;

cl_int CL_API_CALL read(cl_command_queue queue, cl_mem memory, cl_bool is_blocking, size_t offset,
                        size_t nbytes, void* to, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& object = memory_of(memory, self);
    require(to != nullptr, CL_INVALID_VALUE);
    const Buffer part = part_of(object, offset, nbytes);
    check_host_reads(object);
    enqueue(self, CL_COMMAND_READ_BUFFER, {count, waits, result}, is_blocking != CL_FALSE,
            [&](WaitList list) { return self.queue.read(part, to, nbytes, list); });
  });
}

cl_int CL_API_CALL write(cl_command_queue queue, cl_mem memory, cl_bool is_blocking, size_t offset,
                         size_t nbytes, const void* from, cl_uint count, const cl_event* waits,
                         cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& object = memory_of(memory, self);
    require(from != nullptr, CL_INVALID_VALUE);
    const Buffer part = part_of(object, offset, nbytes);
    check_host_writes(object);
    enqueue(self, CL_COMMAND_WRITE_BUFFER, {count, waits, result}, is_blocking != CL_FALSE,
            [&](WaitList list) { return self.queue.write(part, from, nbytes, list); });
  });
}

// The memory object that holds the bytes: the parent of a sub-buffer.
const _cl_mem* storage_of(const _cl_mem& memory) noexcept {
  return memory.parent ? memory.parent.get() : &memory;
}

cl_int CL_API_CALL copy(cl_command_queue queue, cl_mem source, cl_mem target, size_t from, size_t to,
                        size_t nbytes, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& a = memory_of(source, self);
    const _cl_mem& b = memory_of(target, self);
    const Buffer from_part = part_of(a, from, nbytes), to_part = part_of(b, to, nbytes);
    if (storage_of(a) == storage_of(b)) {
      const std::size_t x = a.offset + from, y = b.offset + to;
      require(x + nbytes <= y || y + nbytes <= x, CL_MEM_COPY_OVERLAP);
    }
    enqueue(self, CL_COMMAND_COPY_BUFFER, {count, waits, result}, false,
            [&](WaitList list) { return self.queue.copy(from_part, to_part, list); });
  });
}

cl_int CL_API_CALL fill(cl_command_queue queue, cl_mem memory, const void* pattern, size_t pattern_size,
                        size_t offset, size_t nbytes, cl_uint count, const cl_event* waits,
                        cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& object = memory_of(memory, self);
    constexpr std::size_t kLargestType = 128;
    require(pattern != nullptr && std::has_single_bit(pattern_size) && pattern_size <= kLargestType,
            CL_INVALID_VALUE);
    require(offset % pattern_size == 0 && nbytes % pattern_size == 0, CL_INVALID_VALUE);
    const Buffer part = part_of(object, offset, nbytes);
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(pattern), pattern_size);
    enqueue(self, CL_COMMAND_FILL_BUFFER, {count, waits, result}, false,
            [&](WaitList list) { return self.queue.fill(part, bytes, list); });
  });
}

// One side of a rectangle copy, with the pitches that the program left out.
struct Side {
  Sizes origin;
  std::size_t row_pitch, slice_pitch;

  Side(const size_t* its_origin, const Sizes& region, std::size_t row, std::size_t slice)
      : origin{its_origin[0], its_origin[1], its_origin[2]},
        row_pitch(row != 0 ? row : region[0]),
        slice_pitch(slice != 0 ? slice : product(region[1], row_pitch)) {
    require(row_pitch >= region[0], CL_INVALID_VALUE);
    require(slice_pitch >= product(region[1], row_pitch) && slice_pitch % row_pitch == 0, CL_INVALID_VALUE);
  }

  [[nodiscard]] std::size_t offset() const {
    return sum(origin[0], sum(product(origin[1], row_pitch), product(origin[2], slice_pitch)));
  }
  // One past the last byte.
  [[nodiscard]] std::size_t end(const Sizes& region) const {
    return sum(offset(),
               sum(product(region[2] - 1, slice_pitch), sum(product(region[1] - 1, row_pitch), region[0])));
  }
  [[nodiscard]] RectView view(const Buffer* buffer, void* host) const {
    return {buffer, host, origin, row_pitch, slice_pitch};
  }

  static std::size_t product(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    require(!__builtin_mul_overflow(a, b, &result), CL_INVALID_VALUE);
    return result;
  }
  static std::size_t sum(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    require(!__builtin_add_overflow(a, b, &result), CL_INVALID_VALUE);
    return result;
  }
};

Sizes region_of(const size_t* region) {
  require(region != nullptr && region[0] != 0 && region[1] != 0 && region[2] != 0, CL_INVALID_VALUE);
  return {region[0], region[1], region[2]};
}

void check_within(const Side& side, const Sizes& region, const _cl_mem& memory) {
  require(side.end(region) <= memory.buffer.size(), CL_INVALID_VALUE);
}

cl_int CL_API_CALL read_rect(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                             const size_t* buffer_origin, const size_t* host_origin, const size_t* sizes,
                             size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,
                             void* to, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& object = memory_of(memory, self);
    require(to != nullptr && buffer_origin != nullptr && host_origin != nullptr, CL_INVALID_VALUE);
    const Sizes region = region_of(sizes);
    const Side source(buffer_origin, region, buffer_row, buffer_slice);
    const Side target(host_origin, region, host_row, host_slice);
    check_within(source, region, object);
    check_host_reads(object);
    enqueue(self, CL_COMMAND_READ_BUFFER_RECT, {count, waits, result}, is_blocking != CL_FALSE,
            [&](WaitList list) {
              return self.queue.copy_rect(source.view(&object.buffer, nullptr), target.view(nullptr, to),
                                          region, list);
            });
  });
}

cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                              const size_t* buffer_origin, const size_t* host_origin, const size_t* sizes,
                              size_t buffer_row, size_t buffer_slice, size_t host_row, size_t host_slice,
                              const void* from, cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& object = memory_of(memory, self);
    require(from != nullptr && buffer_origin != nullptr && host_origin != nullptr, CL_INVALID_VALUE);
    const Sizes region = region_of(sizes);
    const Side target(buffer_origin, region, buffer_row, buffer_slice);
    const Side source(host_origin, region, host_row, host_slice);
    check_within(target, region, object);
    check_host_writes(object);
    enqueue(self, CL_COMMAND_WRITE_BUFFER_RECT, {count, waits, result}, is_blocking != CL_FALSE,
            [&](WaitList list) {
              return self.queue.copy_rect(source.view(nullptr, const_cast<void*>(from)),
                                          target.view(&object.buffer, nullptr), region, list);
            });
  });
}

// Whether two rectangles of the same pitches in one memory have bytes in common. `shift` is the distance of
// their memory objects' first bytes.
bool overlap(const Side& a, std::size_t a_offset, const Side& b, std::size_t b_offset, const Sizes& region) {
  const std::size_t x = a_offset + a.offset(), y = b_offset + b.offset();
  const std::size_t low = std::min(x, y), distance = std::max(x, y) - low;
  const std::size_t length = a.end(region) - a.offset();
  if (distance >= length) return false;
  // Where the second begins, in slices, rows and bytes of the first.
  const std::size_t slice = distance / a.slice_pitch, in_slice = distance % a.slice_pitch;
  const std::size_t row = in_slice / a.row_pitch, column = in_slice % a.row_pitch;
  // It may also begin in the next row or slice and reach back.
  const auto meets = [&](std::size_t from, std::size_t pitch, std::size_t extent) {
    return from < extent || from + extent > pitch;
  };
  return slice < region[2] && meets(row, a.slice_pitch / a.row_pitch, region[1] + (column != 0 ? 1 : 0)) &&
         meets(column, a.row_pitch, region[0]);
}

cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem source_memory, cl_mem target_memory,
                             const size_t* source_origin, const size_t* target_origin, const size_t* sizes,
                             size_t source_row, size_t source_slice, size_t target_row, size_t target_slice,
                             cl_uint count, const cl_event* waits, cl_event* result) {
  return guarded([&] {
    _cl_command_queue& self = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const _cl_mem& a = memory_of(source_memory, self);
    const _cl_mem& b = memory_of(target_memory, self);
    require(source_origin != nullptr && target_origin != nullptr, CL_INVALID_VALUE);
    const Sizes region = region_of(sizes);
    const Side source(source_origin, region, source_row, source_slice);
    const Side target(target_origin, region, target_row, target_slice);
    check_within(source, region, a);
    check_within(target, region, b);
    if (storage_of(a) == storage_of(b)) {
      require(&a != &b || (source.row_pitch == target.row_pitch && source.slice_pitch == target.slice_pitch),
              CL_INVALID_VALUE);
      require(!overlap(source, a.offset, target, b.offset, region), CL_MEM_COPY_OVERLAP);
    }
    enqueue(self, CL_COMMAND_COPY_BUFFER_RECT, {count, waits, result}, false, [&](WaitList list) {
      return self.queue.copy_rect(source.view(&a.buffer, nullptr), target.view(&b.buffer, nullptr), region,
                                  list);
    });
  });
}

}  // namespace

void add_transfers(cl_icd_dispatch& table) noexcept {
  table.clEnqueueReadBuffer = read;
  table.clEnqueueWriteBuffer = write;
  table.clEnqueueCopyBuffer = copy;
  table.clEnqueueFillBuffer = fill;
  table.clEnqueueReadBufferRect = read_rect;
  table.clEnqueueWriteBufferRect = write_rect;
  table.clEnqueueCopyBufferRect = copy_rect;
}

}  // namespace quern::platform
