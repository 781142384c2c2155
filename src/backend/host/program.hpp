// SPDX-License-Identifier: MIT
// Loaded host programs and their kernels, and measured speeds of kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/host/fault.hpp"
#include "frontend/host_abi.h"

namespace quern::backend::host {

inline constexpr std::size_t kMaxWorkGroupSize = 8192;

// Nanoseconds per work-item on one thread, measured by every piece of a kernel that ran. It decides only
// where work runs (on the calling thread, by a waiter, in which pieces), never a result. It rises faster than
// it falls: mistaking a long kernel for a short one would block a caller; the opposite costs a few
// microseconds.
class RateEstimate {
 public:
  [[nodiscard]] double ns() const noexcept {
    return ns_.load(std::memory_order_relaxed);
  }  // negative: unknown
  void observe(double nanoseconds, double items) noexcept;

  // Integer arguments often determine how long a work-item runs (iterations, lengths). A rate measured with
  // small arguments says nothing about much larger ones: false until a launch with such an argument has been
  // measured.
  [[nodiscard]] bool knows(std::uint64_t largest_integer) const noexcept {
    return largest_integer / 2 <= largest_integer_.load(std::memory_order_relaxed) + 8;
  }
  void note(std::uint64_t largest_integer) noexcept;

 private:
  std::atomic<double> ns_{-1};
  std::atomic<std::uint64_t> largest_integer_{0};
};

class HostFunction final : public Function {
 public:
  HostFunction(quern_kernel_function* address, std::string name, unsigned lanes, const Signature* signature,
               std::shared_ptr<const KernelCode> code);
  [[nodiscard]] const FunctionAttributes& attributes() const noexcept override { return attributes_; }
  [[nodiscard]] bool may_fail() const noexcept override { return code_->is_plain; }
  [[nodiscard]] quern_kernel_function* entry() const noexcept { return entry_; }
  [[nodiscard]] const std::shared_ptr<const KernelCode>& code() const noexcept { return code_; }
  [[nodiscard]] bool exchanges_values() const noexcept { return exchanges_values_; }
  [[nodiscard]] const std::shared_ptr<const std::string>& name() const noexcept { return name_; }
  [[nodiscard]] const std::shared_ptr<RateEstimate>& rate() const noexcept { return rate_; }
  // The largest magnitude among the integer arguments of a call; 0 if there are none.
  [[nodiscard]] std::uint64_t largest_integer(std::span<const Argument> arguments) const noexcept;

 private:
  quern_kernel_function* entry_;
  std::shared_ptr<const KernelCode> code_;
  std::shared_ptr<const std::string> name_;  // the user's name; shared with running launches, as the rate is
  std::shared_ptr<RateEstimate> rate_ = std::make_shared<RateEstimate>();
  FunctionAttributes attributes_;
  bool exchanges_values_ = false;
  std::vector<Scalar> integers_;  // for each parameter: its integer type, or unknown
};

// A shared library loaded from memory. Throws Error if the bytes are not one for this machine or do not load.
std::unique_ptr<Module> load_module(std::span<const std::byte> binary);

// A module of one function of the library itself.
std::unique_ptr<Module> precompiled_module(quern_kernel_function* function, const Signature& signature,
                                           std::shared_ptr<const void> owner);

}  // namespace quern::backend::host
