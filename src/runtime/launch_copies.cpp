// SPDX-License-Identifier: MIT
// Launches on copies of arguments that begin at an address that the device cannot pass to a kernel.
#include <algorithm>
#include <deque>
#include <vector>

#include "runtime/allocation.hpp"
#include "runtime/argument_types.hpp"
#include "runtime/launch.hpp"

namespace quern::detail {
namespace {

using Kind = KernelArgument::Kind;

// Returns the memory that an argument passes to a kernel; an empty buffer for other arguments.
Buffer memory_of(const KernelArgument& argument) {
  if (argument.kind == Kind::buffer && argument.size == 0) return *argument.buffer;
  if (argument.kind == Kind::buffer)
    return argument.buffer->sub_buffer(argument.size, argument.buffer->size() - argument.size);
  if (argument.kind == Kind::array && argument.array->contiguous()) return argument.array->elements();
  return {};
}

bool is_same(const Buffer& a, const Buffer& b) {
  return a.allocation() == b.allocation() && a.offset() == b.offset() && a.size() == b.size();
}

bool overlap(const Buffer& a, const Buffer& b) {
  return a.allocation() == b.allocation() && a.offset() < b.offset() + b.size() &&
         b.offset() < a.offset() + a.size();
}

struct Copy {
  Buffer original, aligned;
  bool is_written = false;
};

bool is_misplaced(const DeviceProperties& device, const Parameter& parameter, const Buffer& buffer,
                  std::size_t offset) {
  if (buffer.released() || offset == buffer.size()) return false;
  if ((buffer.offset() + offset) % device.sub_buffer_alignment != 0) return true;
  if (parameter.dtype.scalar == Scalar::unknown) return false;
  const std::size_t alignment = parameter.dtype.alignment();
  return alignment > 1 && !is_aligned(buffer, offset, alignment);
}

}  // namespace

bool needs_copies(const DeviceProperties& device, const Signature& signature,
                  std::span<const KernelArgument> arguments) {
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const KernelArgument& argument = arguments[a];
    if (argument.kind == Kind::buffer) {
      if (is_misplaced(device, signature.parameters[a], *argument.buffer, argument.size)) return true;
    } else if (argument.kind == Kind::array && argument.array->size() != 0) {
      if (is_misplaced(device, signature.parameters[a], argument.array->buffer(), argument.array->offset()))
        return true;
    }
  }
  return false;
}

std::optional<Event> launch_on_copies(const Signature& signature, const Queue& queue,
                                      std::span<const KernelArgument> arguments, WaitList wait_for,
                                      const LaunchArguments& launch) {
  const DeviceProperties& device = queue.state()->properties();
  std::vector<Copy> copies;
  std::vector<KernelArgument> list(arguments.begin(), arguments.end());
  std::deque<Array> arrays;  // the arrays that the list refers to
  std::deque<Buffer> buffers;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const Buffer memory = memory_of(arguments[a]);
    if (!is_misplaced(device, signature.parameters[a], memory, 0)) continue;
    // If arguments overlap, changes to one copy would be missing in the other.
    for (std::size_t b = 0; b < arguments.size(); ++b) {
      const bool is_written = !signature.parameters[a].is_const || !signature.parameters[b].is_const;
      const Buffer other = memory_of(arguments[b]);
      if (is_written && overlap(memory, other) && !is_same(memory, other)) return {};
    }
    auto copy = std::find_if(copies.begin(), copies.end(),
                             [&](const Copy& each) { return is_same(each.original, memory); });
    if (copy == copies.end()) copy = copies.insert(copies.end(), {memory, Buffer(queue, memory.size())});
    copy->is_written |= !signature.parameters[a].is_const;
    if (arguments[a].kind == Kind::buffer) {
      list[a] = KernelArgument(buffers.emplace_back(copy->aligned));
    } else {
      const Array& array = *arguments[a].array;
      list[a] = KernelArgument(arrays.emplace_back(copy->aligned, array.dtype(), array.shape()));
    }
  }
  if (copies.empty()) return {};
  std::vector<Event> before(wait_for.begin(), wait_for.end());
  for (const Copy& copy : copies) before.push_back(queue.copy(copy.original, copy.aligned, wait_for));
  Event done = launch(list, before);
  for (const Copy& copy : copies) {
    if (!copy.is_written) continue;
    const Event launched = done;
    done = queue.copy(copy.aligned, copy.original, {&launched, 1});
  }
  return done;
}

}  // namespace quern::detail
