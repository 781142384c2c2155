// SPDX-License-Identifier: MIT
// An OpenCL device: its properties, and all that it reports about itself.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/opencl/api.hpp"
#include "backend/opencl/clock.hpp"
#include "backend/parts.hpp"

namespace quern::backend::opencl {

struct ReleaseSubDevice {
  using pointer = cl_device_id;
  void operator()(cl_device_id part) const noexcept { api().ReleaseDevice(part); }
};
using SubDevice = std::unique_ptr<cl_device_id, ReleaseSubDevice>;

class Device final : public backend::Device, public DividedDevice {
 public:
  // Both throw Error if the device does not answer the mandatory queries.
  Device(cl_platform_id platform, cl_device_id device);
  // A part of the device `whole`.
  Device(cl_platform_id platform, SubDevice part, std::shared_ptr<const Device> whole);

  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return properties_; }
  [[nodiscard]] Info info() const override;
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(device_);
  }
  [[nodiscard]] std::uintptr_t platform_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(platform_);
  }
  std::shared_ptr<backend::Context> make_context(
      std::span<const std::shared_ptr<backend::Device>> devices) override;
  std::vector<std::shared_ptr<backend::Device>> split(const std::shared_ptr<backend::Device>& self,
                                                      const Division& division) override;

  [[nodiscard]] cl_device_id id() const noexcept { return device_; }
  [[nodiscard]] cl_platform_id platform() const noexcept { return platform_; }
  // The name in messages: "NVIDIA H200 (NVIDIA CUDA)".
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  // Whether the device supports at least this version of OpenCL, so that its functions may be called.
  [[nodiscard]] bool speaks(int major, int minor) const noexcept { return version_ >= major * 10 + minor; }
  // Whether its queues can run commands out of order, and whether they can have priorities.
  [[nodiscard]] bool runs_out_of_order() const noexcept { return runs_out_of_order_; }
  [[nodiscard]] bool has_priorities() const noexcept { return has_priorities_; }
  // Bytes of memory that Quern has allocated, because OpenCL does not report free memory.
  [[nodiscard]] std::atomic<std::size_t>& in_use() const noexcept {
    return whole_ ? whole_->in_use() : in_use_;
  }
  [[nodiscard]] DeviceClock& clock() const noexcept { return clock_; }

 private:
  cl_platform_id platform_;
  cl_device_id device_;
  SubDevice part_;                       // null for a whole device
  std::shared_ptr<const Device> whole_;  // null for a whole device
  DeviceProperties properties_;
  std::string label_;
  int version_ = 12;
  bool runs_out_of_order_ = false, has_priorities_ = false;
  mutable std::atomic<std::size_t> in_use_{0};
  mutable DeviceClock clock_;
};

// One value of clGetDeviceInfo or clGetPlatformInfo; zero or empty if the device does not answer the query.
std::string device_text(cl_device_id device, cl_device_info query);
std::string platform_text(cl_platform_id platform, cl_platform_info query);

template <class T>
T device_value(cl_device_id device, cl_device_info query) {
  T value{};
  return api().GetDeviceInfo(device, query, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

// Every query that the device answers, as text.
Info device_info(cl_platform_id platform, cl_device_id device);

}  // namespace quern::backend::opencl
