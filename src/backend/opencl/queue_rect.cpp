// SPDX-License-Identifier: MIT
// Rectangle copies in all combinations of device and host memory, also with pitches that OpenCL does not
// accept.
#include "backend/opencl/context.hpp"
#include "backend/opencl/memory.hpp"
#include "backend/opencl/queue.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {

struct Queue::Rect {
  cl_mem mem = nullptr;
  std::byte* host = nullptr;
  std::size_t offset = 0, row_pitch = 0, slice_pitch = 0;
  // The bytes of a buffer that it may touch, to detect copies within one buffer.
  cl_mem root = nullptr;
  std::size_t first = 0, last = 0;

  Rect(const RectSide& side, const std::array<std::size_t, 3>& region)
      : offset(side.offset), row_pitch(side.row_pitch), slice_pitch(side.slice_pitch) {
    if (row_pitch == 0) row_pitch = region[0];
    if (slice_pitch == 0) slice_pitch = row_pitch * region[1];
    if (side.memory == nullptr) {
      host = static_cast<std::byte*>(side.host);
      return;
    }
    const auto& memory = static_cast<const Memory&>(*side.memory);
    mem = memory.mem();
    root = memory.root();
    first = memory.root_offset() + offset;
    last = first + (region[2] - 1) * slice_pitch + (region[1] - 1) * row_pitch + region[0];
  }

  // Rows and slices that do not overlap, with slices a whole number of rows apart: the pitches that OpenCL
  // accepts.
  [[nodiscard]] bool fits_opencl(const std::array<std::size_t, 3>& region) const {
    return row_pitch >= region[0] &&
           (region[2] == 1 || (slice_pitch >= region[1] * row_pitch && slice_pitch % row_pitch == 0));
  }

  [[nodiscard]] Rect at(std::size_t row, std::size_t slice) const {
    Rect moved = *this;
    moved.offset += row * row_pitch + slice * slice_pitch;
    return moved;
  }
};

TimingPtr Queue::copy_rect(const RectSide& from_side, const RectSide& to_side,
                           std::array<std::size_t, 3> region) {
  choose_queue();
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) return nothing();
  Rect from(from_side, region), to(to_side, region);
  if (from.mem == nullptr && to.mem == nullptr) {
    throw ArgumentError(ArgumentError::Kind::value, "copy_rect() needs device memory on one side at least");
  }
  // One row in each slice: the slices are the rows.
  if (region[1] == 1 && region[2] > 1) {
    region = {region[0], region[2], 1};
    from.row_pitch = from.slice_pitch;
    to.row_pitch = to.slice_pitch;
  }
  Operation operation;
  if (from.root != nullptr && from.root == to.root && from.first < to.last && to.first < from.last) {
    // They may overlap or interleave: a packed copy is right in both cases.
    MemHandle packed = temporary_buffer(*plain_->context, region[0] * region[1] * region[2]);
    Rect between = to;
    between.mem = packed.get();
    between.offset = 0;
    between.row_pitch = region[0];
    between.slice_pitch = region[0] * region[1];
    copy_rect_by_parts(operation, from, between, region);
    copy_rect_by_parts(operation, between, to, region);
    plain_->context->retire(std::move(packed));
  } else {
    copy_rect_by_parts(operation, from, to, region);
  }
  return operation;
}

// Copies the largest parts that OpenCL's own commands accept: the whole, planes, or rows.
void Queue::copy_rect_by_parts(Operation& operation, const Rect& from, const Rect& to,
                               std::array<std::size_t, 3> region) {
  // Within one buffer OpenCL requires the same pitches on both sides.
  const bool one_buffer = from.mem != nullptr && from.mem == to.mem;
  const bool same_rows = !one_buffer || from.row_pitch == to.row_pitch;
  const bool same_slices = !one_buffer || region[2] == 1 || from.slice_pitch == to.slice_pitch;
  const std::array<std::size_t, 3> plane = {region[0], region[1], 1};
  if (region[1] > 1 && same_rows && same_slices && from.fits_opencl(region) && to.fits_opencl(region)) {
    copy_plane(operation, from, to, region);
  } else if (region[1] > 1 && same_rows && from.fits_opencl(plane) && to.fits_opencl(plane)) {
    for (std::size_t z = 0; z < region[2]; ++z) copy_plane(operation, from.at(0, z), to.at(0, z), plane);
  } else {
    for (std::size_t z = 0; z < region[2]; ++z) {
      for (std::size_t y = 0; y < region[1]; ++y) copy_row(operation, from.at(y, z), to.at(y, z), region[0]);
    }
  }
}

void Queue::copy_row(Operation& operation, const Rect& from, const Rect& to, std::size_t nbytes) {
  if (from.mem != nullptr && to.mem != nullptr) {
    copy_bytes(operation, from.mem, from.offset, to.mem, to.offset, nbytes);
  } else if (from.mem != nullptr) {
    enqueue(operation, "clEnqueueReadBuffer", nbytes, [&](cl_event* event) {
      return api().EnqueueReadBuffer(id(), from.mem, CL_FALSE, from.offset, nbytes, to.host + to.offset,
                                     wait_count(), wait_list(), event);
    });
  } else {
    enqueue(operation, "clEnqueueWriteBuffer", nbytes, [&](cl_event* event) {
      return api().EnqueueWriteBuffer(id(), to.mem, CL_FALSE, to.offset, nbytes, from.host + from.offset,
                                      wait_count(), wait_list(), event);
    });
  }
}

void Queue::copy_plane(Operation& operation, const Rect& from, const Rect& to,
                       std::array<std::size_t, 3> region) {
  // Offsets are passed as bytes along the row. The slice pitch of a single slice is irrelevant, and must be 0
  // or valid.
  const std::array<std::size_t, 3> from_origin = {from.offset, 0, 0}, to_origin = {to.offset, 0, 0};
  const std::array<std::size_t, 3> zero = {0, 0, 0};
  const std::size_t from_slice = region[2] == 1 ? 0 : from.slice_pitch;
  const std::size_t to_slice = region[2] == 1 ? 0 : to.slice_pitch;
  const std::size_t nbytes = region[0] * region[1] * region[2];
  if (from.mem != nullptr && to.mem != nullptr) {
    enqueue(operation, "clEnqueueCopyBufferRect", nbytes, [&](cl_event* event) {
      return api().EnqueueCopyBufferRect(id(), from.mem, to.mem, from_origin.data(), to_origin.data(),
                                         region.data(), from.row_pitch, from_slice, to.row_pitch, to_slice,
                                         wait_count(), wait_list(), event);
    });
  } else if (from.mem != nullptr) {
    enqueue(operation, "clEnqueueReadBufferRect", nbytes, [&](cl_event* event) {
      return api().EnqueueReadBufferRect(id(), from.mem, CL_FALSE, from_origin.data(), zero.data(),
                                         region.data(), from.row_pitch, from_slice, to.row_pitch, to_slice,
                                         to.host + to.offset, wait_count(), wait_list(), event);
    });
  } else {
    enqueue(operation, "clEnqueueWriteBufferRect", nbytes, [&](cl_event* event) {
      return api().EnqueueWriteBufferRect(id(), to.mem, CL_FALSE, to_origin.data(), zero.data(),
                                          region.data(), to.row_pitch, to_slice, from.row_pitch, from_slice,
                                          from.host + from.offset, wait_count(), wait_list(), event);
    });
  }
}

}  // namespace quern::backend::opencl
