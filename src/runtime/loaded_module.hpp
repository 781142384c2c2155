// SPDX-License-Identifier: MIT
// A module on a device, its functions, and the record of launches that still run its code.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "backend/backend.hpp"
#include "runtime/context_state.hpp"
#include "runtime/hazards.hpp"

namespace quern::detail {

class LoadedModule {
 public:
  LoadedModule(std::shared_ptr<ContextState> context, std::unique_ptr<backend::Module> module)
      : contents_(std::make_shared<Contents>()) {
    contents_->context = std::move(context);
    contents_->module = std::move(module);
    // A launch does not declare which module variables it uses, so the failure of another launch that wrote
    // them does not affect it.
    uses_.deferred_errors().exempt();
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule() { defer_release(std::move(uses_), std::move(contents_)); }

  [[nodiscard]] backend::Module& module() noexcept { return *contents_->module; }

  // Returns the function of a symbol, which is looked up once. It lives as long as the module.
  backend::Function& function(const std::string& symbol, const Signature* signature) {
    const std::lock_guard lock(mutex_);
    auto& function = contents_->functions[symbol];
    if (!function) function = contents_->module->function(symbol, signature);
    return *function;
  }

  // Launches read the module. Once the program has a buffer of one of its variables, launches count as
  // writes, and so do writes to the variable. Both are then ordered across queues like any other memory.
  [[nodiscard]] UseRecord& uses() noexcept { return uses_; }
  [[nodiscard]] bool has_shared_globals() const noexcept {
    return shared_globals_.load(std::memory_order_relaxed);
  }
  void share_globals() noexcept { shared_globals_.store(true, std::memory_order_relaxed); }

 private:
  struct Contents {  // destroyed from the last to the first
    std::shared_ptr<ContextState> context;
    std::unique_ptr<backend::Module> module;
    std::map<std::string, std::unique_ptr<backend::Function>> functions;
  };
  std::mutex mutex_;
  std::shared_ptr<Contents> contents_;
  UseRecord uses_;
  std::atomic<bool> shared_globals_{false};
};

}  // namespace quern::detail
