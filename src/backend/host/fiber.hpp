// SPDX-License-Identifier: MIT
// Work-items of a group as fibers on one thread, each with its own stack, switched at barriers; and error
// reports of running kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "frontend/host_abi.h"

namespace quern::backend::host {

// Functions that lowered kernels call. The stacks of a group's work-items together take at most this.
extern const quern_runtime kRuntime;
inline constexpr std::size_t kMaxStacks = std::size_t{1} << 30;  // bytes

// Whether an object lies on the stack of a fiber of this thread.
[[nodiscard]] bool is_on_a_fiber(const void* object) noexcept;
// Whether an address lies in the guard below those stacks, which only an overflow touches.
[[nodiscard]] bool is_in_fiber_guard(std::uintptr_t address) noexcept;
// quern_runtime::space (launch.cpp, which knows the local memory).
int space_of(const quern_launch* launch, const void* object) noexcept;

// Whether the kernel that just ran on this thread reported a failure, and which; taking it clears it.
void note_failure(std::string text);  // unless one is noted already
[[nodiscard]] bool has_failed() noexcept;
[[nodiscard]] std::string take_failure();

// The id of a group, by its number in the launch.
[[nodiscard]] inline std::array<std::uint64_t, 3> group_id(const quern_launch& launch,
                                                           std::uint64_t number) noexcept {
  const auto* const count = launch.group_count;
  return {number % count[0], number / count[0] % count[1], number / count[0] / count[1]};
}

}  // namespace quern::backend::host
