// SPDX-License-Identifier: MIT
// The queue's rectangle copies, in two and three dimensions.
#include <algorithm>

#include "backend/cuda/queue.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

using Region = std::array<std::size_t, 3>;  // bytes of a row, rows, slices

// One side with its default pitches filled in.
struct Side {
  std::uintptr_t address = 0;  // offset of the first byte
  bool device = false;
  std::size_t row = 0, slice = 0;  // pitches in bytes

  [[nodiscard]] std::size_t extent(const Region& region) const {
    return (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
  }
};

[[noreturn]] void refuse(const std::string& what) {
  throw ArgumentError(ArgumentError::Kind::value, "copy_rect: " + what);
}

Side resolve(const RectSide& given, const Region& region, const char* which) {
  Side side;
  side.row = given.row_pitch != 0 ? given.row_pitch : region[0];
  side.slice = given.slice_pitch != 0 ? given.slice_pitch : region[1] * side.row;
  if (region[1] > 1 && side.row < region[0]) {
    refuse(std::string("the ") + which + "'s row pitch of " + std::to_string(side.row) +
           " bytes is less than a row of " + std::to_string(region[0]));
  }
  const std::size_t slice_bytes = (region[1] - 1) * side.row + region[0];
  if (region[2] > 1 && side.slice < slice_bytes) {
    refuse(std::string("the ") + which + "'s slice pitch of " + std::to_string(side.slice) +
           " bytes is less than a slice of " + std::to_string(slice_bytes));
  }
  if (given.memory != nullptr) {
    const auto& memory = static_cast<const CudaMemory&>(*given.memory);
    const std::size_t extent = side.extent(region);
    if (given.offset > memory.size() || extent > memory.size() - given.offset) {
      refuse(std::string("the ") + which + "'s rectangle ends at byte " +
             std::to_string(given.offset + extent) + " of a buffer of " + std::to_string(memory.size()));
    }
    side.device = true;
    side.address = static_cast<std::uintptr_t>(memory.pointer()) + given.offset;
  } else {
    side.address = reinterpret_cast<std::uintptr_t>(given.host) + given.offset;
  }
  return side;
}

template <class HostPointer>
CopySide<HostPointer> copy_side(const Side& side, std::size_t height) {
  CopySide<HostPointer> out;
  out.type = side.device ? MemoryType::device : MemoryType::host;
  if (side.device) {
    out.device = side.address;
  } else {
    out.host = reinterpret_cast<HostPointer>(side.address);
  }
  out.pitch = side.row;
  out.height = height;
  return out;
}

void enqueue_row(const DeviceState& state, StreamHandle stream, const Side& from, const Side& to,
                 std::size_t nbytes) {
  const auto source = static_cast<DevicePointer>(from.address),
             target = static_cast<DevicePointer>(to.address);
  if (!from.device) {
    const void* host = reinterpret_cast<const void*>(from.address);
    state.check(state.api.cuMemcpyHtoDAsync(target, host, nbytes, stream), "cuMemcpyHtoDAsync");
  } else if (!to.device) {
    void* host = reinterpret_cast<void*>(to.address);
    state.check(state.api.cuMemcpyDtoHAsync(host, source, nbytes, stream), "cuMemcpyDtoHAsync");
  } else {
    state.check(state.api.cuMemcpyAsync(target, source, nbytes, stream), "cuMemcpyAsync");
  }
}

// The driver requires slices that are a whole number of rows apart, and limits pitches. Other copies run
// slice by slice, then row by row.
void enqueue_copy(const DeviceState& state, StreamHandle stream, const Side& from, const Side& to,
                  const Region& region) {
  if (region[1] == 1 && region[2] == 1) return enqueue_row(state, stream, from, to, region[0]);
  const auto fits = [&](const Side& side) {
    return side.row <= state.limits.pitch && (region[2] == 1 || side.slice % side.row == 0);
  };
  if (fits(from) && fits(to)) {
    Copy3D copy;
    copy.from = copy_side<const void*>(from, region[2] == 1 ? region[1] : from.slice / from.row);
    copy.to = copy_side<void*>(to, region[2] == 1 ? region[1] : to.slice / to.row);
    copy.width_bytes = region[0];
    copy.height = region[1];
    copy.depth = region[2];
    state.check(state.api.cuMemcpy3DAsync(&copy, stream), "cuMemcpy3DAsync");
    return;
  }
  const bool by_slice = region[2] > 1;
  const Region part = by_slice ? Region{region[0], region[1], 1} : Region{region[0], 1, 1};
  for (std::size_t i = 0; i < (by_slice ? region[2] : region[1]); ++i) {
    Side source = from, target = to;
    source.address += i * (by_slice ? from.slice : from.row);
    target.address += i * (by_slice ? to.slice : to.row);
    enqueue_copy(state, stream, source, target, part);
  }
}

bool may_overlap(const Side& from, const Side& to, const Region& region) {
  if (!from.device || !to.device) return false;
  return from.address < to.address + to.extent(region) && to.address < from.address + from.extent(region);
}

// True if two rectangles with the same pitches, in overlapping memory ranges, have no byte in common: one is
// a block of columns, rows or slices beside the other.
bool interleaved_apart(const Side& from, const Side& to, const Region& region) {
  if (from.row != to.row || from.slice != to.slice || region[1] * from.row > from.slice) return false;
  const Side& low = from.address < to.address ? from : to;
  const Side& high = from.address < to.address ? to : from;
  const std::size_t distance = high.address - low.address;
  const std::size_t slices = distance / from.slice, rows = distance % from.slice / from.row;
  const std::size_t bytes = distance % from.slice % from.row;
  // A rectangle may wrap around the end of a row or a slice; then the result is false.
  return bytes + region[0] <= from.row && (rows + region[1]) * from.row <= from.slice &&
         (bytes >= region[0] || rows >= region[1] || slices >= region[2]);
}

}  // namespace

TimingPtr CudaQueue::copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) {
  if (from.memory == nullptr && to.memory == nullptr) refuse("one side must be device memory");
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) return enqueue([] {});
  Side source = resolve(from, region, "source");
  Side target = resolve(to, region, "target");
  if (region[1] == 1) {  // slices of one row are the rows of one slice
    source.row = source.slice;
    target.row = target.slice;
    region = {region[0], region[2], 1};
  }
  return enqueue([&] {
    if (!may_overlap(source, target, region) || interleaved_apart(source, target, region)) {
      enqueue_copy(*state_, stream_, source, target, region);
      return;
    }
    const Temporary temporary(state_, stream_, region[0] * region[1] * region[2], kept_);
    const Side packed{static_cast<std::uintptr_t>(temporary.pointer()), true, region[0],
                      region[0] * region[1]};
    enqueue_copy(*state_, stream_, source, packed, region);
    enqueue_copy(*state_, stream_, packed, target, region);
  });
}

}  // namespace quern::backend::cuda
