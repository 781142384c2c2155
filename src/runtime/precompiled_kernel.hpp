// SPDX-License-Identifier: MIT
// A kernel that is a function of the library itself, launched like any other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "quern/queue.hpp"
#include "runtime/launch.hpp"

namespace quern::detail {

class PrecompiledKernel {
 public:
  // Null where devices of this queue's backend cannot call it. The signature's local memory is for one call,
  // which may be of many groups. The owner is kept until the last launch is done.
  static std::shared_ptr<const PrecompiledKernel> make(const Queue& queue, Signature signature,
                                                       backend::PrecompiledFunction* function,
                                                       std::shared_ptr<const void> owner);

  // Bytes of a buffer that it is given a pointer to, and what it does there.
  struct Memory {
    const Buffer* buffer;
    std::size_t offset, size;
    bool writes;
  };
  // Arguments are the bytes of `value`, then the pointers.
  Event launch(const Queue& queue, const backend::LaunchShape& shape, std::span<const std::byte> value,
               std::span<const Memory> memory, WaitList wait_for) const;

  // The same as a compiled kernel whose parameters the signature has: arguments are checked against them.
  Event launch(const Queue& queue, const Range& range, std::span<const KernelArgument> arguments,
               WaitList wait_for) const;

  [[nodiscard]] bool is_for(const Queue& queue) const noexcept;

 private:
  KernelInstance instance_;
};

}  // namespace quern::detail
