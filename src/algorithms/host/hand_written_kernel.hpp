// SPDX-License-Identifier: MIT
// Functions that are written by hand, launched as kernels of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "frontend/host_abi.h"
#include "quern/kernel.hpp"
#include "quern/queue.hpp"
#include "runtime/precompiled_kernel.hpp"

namespace quern::algorithms {

class PrecompiledKernels;

struct HandWrittenKernel {
  const char* name;  // as profiles show it
  quern_kernel_function* function;
  std::size_t scratch = 0;  // bytes of launch->local_memory, for one call, which may be of many groups

  // Arguments are `call`, then pointers to the memory. Groups have `group` elements, the last one may have
  // fewer. Groups run in any order and concurrently. Throws ArgumentError if the memory may not be read or
  // written.
  using Memory = detail::PrecompiledKernel::Memory;
  template <class Call>
  Event launch(const Queue& queue, std::size_t elements, std::size_t group, const Call& call,
               std::span<const Memory> memory, WaitList wait_for = {}) const {
    static_assert(std::is_trivially_copyable_v<Call>);
    return launch_bytes(queue, elements, group, std::as_bytes(std::span(&call, 1)), memory, wait_for);
  }
  template <class Call>
  Event launch(const Queue& queue, std::size_t elements, std::size_t group, const Call& call,
               std::initializer_list<Memory> memory, WaitList wait_for = {}) const {
    return launch(queue, elements, group, call, std::span(memory.begin(), memory.size()), wait_for);
  }
  Event launch_bytes(const Queue& queue, std::size_t elements, std::size_t group,
                     std::span<const std::byte> call, std::span<const Memory> memory,
                     WaitList wait_for) const;
  // The same for a function whose scratch memory or owner differs from call to call.
  static Event launch_bytes(PrecompiledKernels& kernels, const Queue& queue, std::size_t elements,
                            std::size_t group, std::span<const std::byte> call,
                            std::span<const Memory> memory, WaitList wait_for = {});

  static Memory reads(const Buffer& buffer) { return {&buffer, 0, buffer.size(), false}; }
  static Memory writes(const Buffer& buffer) { return {&buffer, 0, buffer.size(), true}; }
};

// For the functions: the arguments, and the elements of the groups that a call runs.
template <class Call>
const Call& call_of(const quern_launch* launch) {
  return *static_cast<const Call*>(launch->arguments[0]);
}
// Pointer number `number` to the memory.
template <class T = std::byte>
T* memory_of(const quern_launch* launch, std::size_t number) {
  return *static_cast<T* const*>(launch->arguments[1 + number]);
}
struct Elements {
  std::uint64_t begin, end;
  Elements(const quern_launch* launch, std::uint64_t first_group, std::uint64_t last_group)
      : begin(first_group * launch->local_size[0]), end(last_group * launch->local_size[0]) {
    if (end > launch->global_size[0]) end = launch->global_size[0];
  }
};

}  // namespace quern::algorithms
