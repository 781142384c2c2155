// SPDX-License-Identifier: MIT
// Shared virtual memory: its allocations, and the kernels' access to those that are not their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/opencl/api.hpp"
#include "backend/shared_memory.hpp"

namespace quern::backend::opencl {

class Context;

SharingContext::Grain finest_svm_grain(const Context& context, std::size_t device);
SharedMemory allocate_svm(std::shared_ptr<Context> context, std::size_t device, std::size_t nbytes,
                          SharingContext::Grain grain);

// Lets the kernel follow pointers into all shared virtual memory of the context. `epoch` says for which set
// of allocations this was last done, and changes with it. The caller excludes other users of the kernel.
void allow_svm(cl_kernel kernel, cl_context context, const std::string& device, std::uint64_t& epoch);

}  // namespace quern::backend::opencl
