// SPDX-License-Identifier: MIT
// Replaces backend/cuda in builds without it (QUERN_CUDA=OFF).
#include "backend/registry.hpp"

namespace quern::backend {

Discovery discover_cuda() {
  return left_out("CUDA", "build it with -DQUERN_CUDA=ON");
}

}  // namespace quern::backend
