// SPDX-License-Identifier: MIT
// An embedded function as a kernel, one for each context that launched it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "quern/queue.hpp"
#include "quern/signature.hpp"
#include "runtime/embedded_kernel.hpp"

namespace quern::algorithms {

class EmbeddedKernels {
 public:
  EmbeddedKernels(const char* name, backend::EmbeddedFunction* function, std::size_t scratch,
                  std::shared_ptr<const void> owner)
      : function_(function), owner_(std::move(owner)) {
    signature_.name = name;
    signature_.local_memory = scratch;
  }
  EmbeddedKernels(Signature signature, backend::EmbeddedFunction* function)
      : signature_(std::move(signature)), function_(function) {}
  // Returns null if the device cannot call the function.
  std::shared_ptr<const detail::EmbeddedKernel> get(const Queue& queue);

 private:
  Signature signature_;
  backend::EmbeddedFunction* function_;
  std::shared_ptr<const void> owner_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const detail::EmbeddedKernel>> known_;
};

}  // namespace quern::algorithms
