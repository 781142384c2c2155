// SPDX-License-Identifier: MIT
// Launches of kernels that check their accesses to buffers (host_bounds.h).
#pragma once

#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "frontend/host_bounds.h"

namespace quern::backend::host {

// What such a kernel gets in the place of the runtime. It is not moved.
class Bounds {
 public:
  explicit Bounds(std::span<const Argument> arguments);
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;
  [[nodiscard]] const quern_runtime* runtime() const noexcept { return &bounds_.runtime; }

 private:
  std::vector<quern_range> ranges_;
  quern_bounds bounds_;
};

}  // namespace quern::backend::host
