// SPDX-License-Identifier: MIT
// The run-time registry: the backends, the devices that each found, and why others are missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace quern::backend {

// One step in the search for devices: a library, a platform, a device.
struct Attempt {
  std::string what;
  std::string outcome;  // "loaded", or why it failed and what to do
  bool ok = false;
};

struct Discovery {
  std::vector<std::shared_ptr<Device>> devices;
  std::vector<Attempt> attempts;
};

// Each is defined in its backend's folder and called at most once. They do not throw for a missing or broken
// driver but report it in the attempts.
Discovery discover_host();
Discovery discover_opencl();
Discovery discover_cuda();

// The result of such a function if the build omits its backend: one attempt that says so. `name` is the
// backend's display name, `remedy` says how to build with it.
Discovery left_out(std::string_view name, std::string_view remedy);

// Waits for work of OpenCL drivers that run in this process; see backend/opencl/exit.hpp.
void finish_opencl_before_exit() noexcept;

inline constexpr std::string_view kBackends[] = {"host", "opencl", "cuda"};

// The devices of a backend, searched on first use; the result is never destroyed. Throws ArgumentError for an
// unknown name.
const Discovery& discovery(std::string_view backend);

}  // namespace quern::backend
