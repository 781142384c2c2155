// SPDX-License-Identifier: MIT
// The parts of the dispatch table: each file puts its own functions in.
#pragma once

#include "platform/opencl.hpp"

namespace quern::platform {

void add_platform(cl_icd_dispatch& table) noexcept;
void add_devices(cl_icd_dispatch& table) noexcept;
void add_contexts(cl_icd_dispatch& table) noexcept;
void add_queues(cl_icd_dispatch& table) noexcept;
void add_memory(cl_icd_dispatch& table) noexcept;
void add_maps(cl_icd_dispatch& table) noexcept;
void add_transfers(cl_icd_dispatch& table) noexcept;
void add_programs(cl_icd_dispatch& table) noexcept;
void add_linking(cl_icd_dispatch& table) noexcept;
void add_kernels(cl_icd_dispatch& table) noexcept;
void add_launches(cl_icd_dispatch& table) noexcept;
void add_events(cl_icd_dispatch& table) noexcept;
void add_shared_memory(cl_icd_dispatch& table) noexcept;
void add_absent(cl_icd_dispatch& table) noexcept;  // images, pipes, other interfaces

}  // namespace quern::platform
