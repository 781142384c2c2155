// SPDX-License-Identifier: MIT
// Devices: what is there, what each can do, and which one to use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/properties.hpp"

namespace QUERN_API quern {

namespace backend {
class Device;
}

// A handle; copies are the same device.
class Device {
 public:
  [[nodiscard]] const DeviceProperties& properties() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept { return properties().name; }
  [[nodiscard]] const std::string& backend() const noexcept { return properties().backend; }
  [[nodiscard]] std::string spec() const;  // "cuda:0": device(spec()) is this device again
  [[nodiscard]] Info info() const;         // every query the API below offers
  [[nodiscard]] std::uintptr_t native_handle() const noexcept;  // cl_device_id, CUdevice; 0 on the host
  [[nodiscard]] MemoryInfo memory_info() const;

  friend bool operator==(const Device& a, const Device& b) noexcept { return a.impl_ == b.impl_; }

  // For the library itself.
  Device(std::shared_ptr<backend::Device> impl, std::size_t index) : impl_(std::move(impl)), index_(index) {}
  [[nodiscard]] const std::shared_ptr<backend::Device>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<backend::Device> impl_;
  std::size_t index_;  // among its backend's devices
};

// All devices of all backends, or of one.
std::vector<Device> devices();
std::vector<Device> devices(std::string_view backend);

// "cuda", "cuda:1", "host", "opencl:nvidia": a backend, and which of its devices by number or by a part of
// the name of device or platform, whatever the case. Throws DeviceNotFound saying what was tried.
Device device(std::string_view spec);

// What set_default_device() named; otherwise QUERN_DEVICE, the first CUDA device, an OpenCL GPU with fp64,
// the host.
Device default_device();
// Of the whole process, from now on. Nothing: the library chooses again.
void set_default_device(const std::optional<Device>& device);

// What was tried for each backend, and how it went.
struct BackendReport {
  struct Attempt {
    std::string what, outcome;
    bool ok = false;
  };
  std::string backend;
  std::vector<Device> devices;
  std::vector<Attempt> attempts;
};
std::vector<BackendReport> backend_reports();

}  // namespace quern
