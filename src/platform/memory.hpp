// SPDX-License-Identifier: MIT
// Checks of memory objects that commands share.
#pragma once

#include <cstddef>
#include <optional>

#include "platform/objects.hpp"

namespace quern::platform {

// A memory object that a command of the queue uses.
[[nodiscard]] _cl_mem& memory_of(cl_mem memory, const _cl_command_queue& queue);
// A range of it; fails with CL_INVALID_VALUE if it ends beyond the memory.
[[nodiscard]] Buffer part_of(const _cl_mem& memory, std::size_t offset, std::size_t nbytes);
void check_host_reads(const _cl_mem& memory);
void check_host_writes(const _cl_mem& memory);

// The range of shared virtual memory at this address; nothing if clSVMAlloc did not return it.
[[nodiscard]] std::optional<Buffer> find_shared(_cl_context& context, const void* address,
                                                std::size_t nbytes);

}  // namespace quern::platform
