// SPDX-License-Identifier: MIT
// Loaded CUDA modules and their kernels.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/state.hpp"

namespace quern::backend::cuda {

// Size of the hidden parameter struct quern_ndrange, the last parameter of kernels that the front end
// lowered.
inline constexpr std::size_t kNdRangeBytes = 56;

class CudaFunction final : public Function {
 public:
  CudaFunction(StatePtr state, FunctionHandle handle, const std::string& symbol, const Signature* signature);

  [[nodiscard]] const FunctionAttributes& attributes() const noexcept override { return attributes_; }
  [[nodiscard]] std::optional<unsigned> groups_per_compute_unit(std::size_t group_size,
                                                                std::size_t dynamic_local) const override;

  [[nodiscard]] FunctionHandle handle() const noexcept { return handle_; }
  [[nodiscard]] const char* name() const noexcept { return name_; }  // lives as long as the device
  // Whether the front end generated the kernel, which then takes the hidden parameter.
  [[nodiscard]] bool lowered() const noexcept { return lowered_; }

  // The user's parameters; unknown for a CUDA C kernel with drivers before CUDA 12.4.
  [[nodiscard]] bool knows_parameters() const noexcept { return knows_parameters_; }
  [[nodiscard]] std::size_t parameter_count() const noexcept { return parameter_sizes_.size(); }
  [[nodiscard]] std::size_t parameter_size(std::size_t index) const noexcept {
    return parameter_sizes_[index];
  }
  // For a lowered kernel: a pointer to local memory, which is passed as an offset.
  [[nodiscard]] bool takes_local(std::size_t index) const noexcept {
    return index < takes_local_.size() && takes_local_[index];
  }
  [[nodiscard]] bool accepts(std::size_t index, std::size_t nbytes) const noexcept {
    return !knows_parameters_ || parameter_sizes_[index] == nbytes || parameter_sizes_[index] == 0;
  }

  // Above 48 KiB a kernel's dynamic local memory must be enabled once.
  [[nodiscard]] std::size_t dynamic_local_allowed() const noexcept {
    return dynamic_allowed_.load(std::memory_order_relaxed);
  }
  void allow_dynamic_local(std::size_t nbytes);

 private:
  [[nodiscard]] int attribute(FunctionAttribute which) const;
  void learn_parameters(const Signature* signature);

  StatePtr state_;
  FunctionHandle handle_;
  const char* name_;
  bool lowered_;
  bool knows_parameters_ = false;
  std::vector<std::size_t> parameter_sizes_;  // 0 if unknown
  std::vector<bool> takes_local_;
  FunctionAttributes attributes_;
  mutable std::mutex mutex_;
  std::atomic<std::size_t> dynamic_allowed_{0};
};

class CudaModule final : public Module {
 public:
  CudaModule(StatePtr state, ModuleHandle handle) : state_(std::move(state)), handle_(handle) {}
  ~CudaModule() override { state_->discard_module(handle_); }
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  std::unique_ptr<Function> function(const std::string& name, const Signature* signature) override;
  [[nodiscard]] std::vector<std::string> function_names() const override;
  [[nodiscard]] std::optional<Signature> signature_of(const std::string&) const override {
    return std::nullopt;
  }
  void load_functions() override;
  std::unique_ptr<Memory> global(const std::string& name) override;

 private:
  [[nodiscard]] std::vector<FunctionHandle> functions() const;

  StatePtr state_;
  ModuleHandle handle_;
};

// Throws Error for bytes that are not a complete cubin, fat binary or PTX text, which could crash the driver.
void check_image(std::span<const std::byte> image);

std::unique_ptr<Module> load_module(const StatePtr& state, std::span<const std::byte> image);

}  // namespace quern::backend::cuda
