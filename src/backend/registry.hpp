// SPDX-License-Identifier: MIT
// The run-time registry: which backends exist, what each found, and why something is absent.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace quern::backend {

// One thing that was tried while looking for devices: a library, a platform, a device.
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
// driver: they say so in the attempts.
Discovery discover_host();
Discovery discover_opencl();
Discovery discover_cuda();

// Waits for work of OpenCL drivers that run in this process; see backend/opencl/exit.hpp.
void finish_opencl_before_exit() noexcept;

inline constexpr std::string_view kBackends[] = {"host", "opencl", "cuda"};

// What a backend found, looked for on first use; the result lives for ever. Throws ArgumentError for another
// name.
const Discovery& discovery(std::string_view backend);

}  // namespace quern::backend
