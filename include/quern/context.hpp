// SPDX-License-Identifier: MIT
// Contexts: devices of one backend and platform that share programs and memory objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/device.hpp"

namespace QUERN_API quern {

namespace detail {
class ContextState;
}

class Context {
 public:
  explicit Context(std::span<const Device> devices);
  // The default context of a device, which holds everything made for this device alone.
  static Context of(const Device& device);

  [[nodiscard]] const std::vector<Device>& devices() const noexcept;
  [[nodiscard]] std::uintptr_t native_handle()
      const;  // cl_context, CUcontext of the first device; 0 on the host

  friend bool operator==(const Context& a, const Context& b) noexcept { return a.state_ == b.state_; }

  // Internal.
  explicit Context(std::shared_ptr<detail::ContextState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::ContextState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::ContextState> state_;
};

// Waits for work that drivers run in threads of this process (OpenCL on a CPU), which must not be in flight
// when exit destroys the drivers' data. The library calls it at exit. A host language that shuts down earlier
// calls it itself.
void finish_before_exit() noexcept;

// Waits for all work that was enqueued on any queue of the device or of its parts, in any context.
void synchronize(const Device& device);
// The same with a limit; false if the deadline passed first.
bool synchronize_until(const Device& device, Deadline deadline);

}  // namespace quern
