// SPDX-License-Identifier: MIT
// A precompiled function as a kernel, one for each context that launched it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "quern/queue.hpp"
#include "quern/signature.hpp"
#include "runtime/precompiled_kernel.hpp"

namespace quern::algorithms {

class PrecompiledKernels {
 public:
  PrecompiledKernels(const char* name, backend::PrecompiledFunction* function, std::size_t scratch,
                     std::shared_ptr<const void> owner)
      : function_(function), owner_(std::move(owner)) {
    signature_.name = name;
    signature_.local_memory = scratch;
  }
  PrecompiledKernels(Signature signature, backend::PrecompiledFunction* function)
      : signature_(std::move(signature)), function_(function) {}
  [[nodiscard]] const std::string& name() const noexcept { return signature_.name; }
  // Returns null if the device cannot call the function.
  std::shared_ptr<const detail::PrecompiledKernel> get(const Queue& queue);

 private:
  Signature signature_;
  backend::PrecompiledFunction* function_;
  std::shared_ptr<const void> owner_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const detail::PrecompiledKernel>> known_;
};

}  // namespace quern::algorithms
