// SPDX-License-Identifier: MIT
// The platforms, and what they and their devices say of themselves.
#pragma once

#include <span>

#include "platform/opencl.hpp"

namespace quern::platform {

inline constexpr char kVendor[] = "Quern";  // the OpenCL backend looks for it
inline constexpr cl_version kVersion = CL_MAKE_VERSION(3, 0, 0);

// There is one platform for the host, and one for CUDA where it has devices: devices of a platform can share
// a context, and programs rely on that.
cl_int CL_API_CALL list_platforms(cl_uint entries, cl_platform_id* platforms, cl_uint* count);
// The platform that a call without one means.
[[nodiscard]] cl_platform_id default_platform();

void add_extension_functions(cl_icd_dispatch& table) noexcept;

}  // namespace quern::platform
