// SPDX-License-Identifier: MIT
// Precompiled functions as kernels, one for each context.
#include "algorithms/launch/precompiled_kernels.hpp"

namespace quern::algorithms {

std::shared_ptr<const detail::PrecompiledKernel> PrecompiledKernels::get(const Queue& queue) {
  const std::lock_guard lock(mutex_);
  for (const auto& kernel : known_)
    if (kernel->is_for(queue)) return kernel;
  auto kernel = detail::PrecompiledKernel::make(queue, signature_, function_, owner_);
  if (!kernel) return nullptr;
  constexpr std::size_t kMost = 8;  // contexts come and go
  if (known_.size() == kMost) known_.erase(known_.begin());
  return known_.emplace_back(std::move(kernel));
}

}  // namespace quern::algorithms
