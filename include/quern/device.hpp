// SPDX-License-Identifier: MIT
// Devices: discovery, properties and selection.
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
#include "quern/parts.hpp"
#include "quern/properties.hpp"

namespace QUERN_API quern {

namespace backend {
class Device;
}

// A handle; copies refer to the same device.
class Device {
 public:
  [[nodiscard]] const DeviceProperties& properties() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept { return properties().name; }
  [[nodiscard]] const std::string& backend() const noexcept { return properties().backend; }
  // "cuda:0", or "cuda:0[1 of 2]" for the second of two equal parts: device(spec()) is this device again.
  [[nodiscard]] std::string spec() const;
  [[nodiscard]] Info info() const;                              // all properties that the native API reports
  [[nodiscard]] std::uintptr_t native_handle() const noexcept;  // cl_device_id, CUdevice; 0 on the host
  [[nodiscard]] MemoryInfo memory_info() const;

  // Divides the compute units into devices with contexts, queues and programs of their own. Parts can be
  // divided further. They exist until the process ends: the same division returns the same parts. Throws
  // ArgumentError if the device does not divide like this, and Error if its driver cannot divide devices.
  [[nodiscard]] std::vector<Device> split(const Division& division) const;
  [[nodiscard]] std::optional<Device> parent() const;  // nothing for a whole device
  [[nodiscard]] Device root() const;                   // the whole device
  [[nodiscard]] std::vector<Device> parts() const;     // those of all divisions so far, in their order

  friend bool operator==(const Device& a, const Device& b) noexcept { return a.impl_ == b.impl_; }

  // Internal.
  Device(std::shared_ptr<backend::Device> impl, std::size_t index) : impl_(std::move(impl)), index_(index) {}
  [[nodiscard]] const std::shared_ptr<backend::Device>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<backend::Device> impl_;
  std::size_t index_;  // index among its backend's devices
};

// All devices of all backends, or of one.
std::vector<Device> devices();
std::vector<Device> devices(std::string_view backend);

// Finds a device by a specification such as "cuda", "cuda:1", "host" or "opencl:nvidia": a backend, and one
// of its devices by number or by a case-insensitive part of the name of device or platform. Throws
// DeviceNotFound, which lists what was tried.
Device device(std::string_view spec);

// The device that set_default_device() selected; otherwise that of QUERN_DEVICE, the first CUDA device, an
// OpenCL GPU with fp64, or the host.
Device default_device();
// Selects the default device of the whole process. Without a value, the library chooses again.
void set_default_device(const std::optional<Device>& device);

// For each backend, the steps of the search for devices and their outcomes.
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
