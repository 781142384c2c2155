// SPDX-License-Identifier: MIT
// A CUDA device: its properties, and the primary context, which is retained when a context is first created.
#pragma once

#include <memory>
#include <mutex>

#include "backend/backend.hpp"
#include "backend/cuda/state.hpp"

namespace quern::backend::cuda {

class CudaDevice final : public Device {
 public:
  // Throws Error if the device does not answer.
  CudaDevice(const Driver& api, int ordinal);

  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return properties_; }
  [[nodiscard]] Info info() const override;
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return static_cast<std::uintptr_t>(handle_);
  }
  std::shared_ptr<Context> make_context(std::span<const std::shared_ptr<Device>> devices) override;

  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] int capability() const noexcept { return capability_; }  // 90 for 9.0
  // Retains the primary context on the first call.
  const StatePtr& state();
  [[nodiscard]] int attribute(DeviceAttribute which) const;

 private:
  void check(Result result, const char* call) const;

  const Driver& api_;
  int ordinal_;
  DeviceHandle handle_ = 0;
  int capability_ = 0;
  DeviceProperties properties_;
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
