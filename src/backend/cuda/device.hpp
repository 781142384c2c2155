// SPDX-License-Identifier: MIT
// A CUDA device or a part of one: its properties, and the primary context, which is retained when a context
// is first created.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/state.hpp"
#include "backend/parts.hpp"

namespace quern::backend::cuda {

class CudaDevice final : public Device, public DividedDevice {
 public:
  // Throws Error if the device does not answer.
  CudaDevice(const Driver& api, int ordinal);
  // A part: a green context, which is never destroyed. Its streams run on its multiprocessors; memory,
  // modules and events are those of the primary context.
  CudaDevice(std::shared_ptr<CudaDevice> whole, GreenContextHandle green, unsigned multiprocessors);

  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return properties_; }
  [[nodiscard]] Info info() const override;
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return static_cast<std::uintptr_t>(handle_);
  }
  std::shared_ptr<Context> make_context(std::span<const std::shared_ptr<Device>> devices) override;
  std::vector<std::shared_ptr<Device>> split(const std::shared_ptr<Device>& self,
                                             const Division& division) override;

  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] int capability() const noexcept { return capability_; }  // 90 for 9.0
  // Retains the primary context on the first call.
  const StatePtr& state();
  [[nodiscard]] int attribute(DeviceAttribute which) const;
  [[nodiscard]] GreenContextHandle green() const noexcept { return green_; }  // null for a whole device

 private:
  void check(Result result, const char* call) const;
  // Disjoint groups of multiprocessors, the smallest that the hardware allows.
  std::vector<Resource> smallest_groups();

  const Driver& api_;
  int ordinal_;
  DeviceHandle handle_ = 0;
  int capability_ = 0;
  DeviceProperties properties_;
  std::shared_ptr<CudaDevice> whole_;  // null for a whole device
  GreenContextHandle green_ = nullptr;
  std::mutex mutex_;
  StatePtr state_;
};

// One row of Device::info() for each of the driver's attributes.
struct AttributeName {
  int attribute;
  const char* name;
};
std::span<const AttributeName> attribute_names();

}  // namespace quern::backend::cuda
