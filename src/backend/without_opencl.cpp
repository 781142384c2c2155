// SPDX-License-Identifier: MIT
// Replaces backend/opencl in builds without it (QUERN_OPENCL=OFF, or no OpenCL headers).
#include "backend/registry.hpp"

namespace quern::backend {

Discovery discover_opencl() {
  return left_out("OpenCL", "install the OpenCL headers and build it with -DQUERN_OPENCL=ON");
}

void finish_opencl_before_exit() noexcept {}

}  // namespace quern::backend
