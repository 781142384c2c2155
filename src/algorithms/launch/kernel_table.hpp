// SPDX-License-Identifier: MIT
// The kernels of the ready-made algorithms, made once for each set of parameters and kept.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "codegen/sort_form.hpp"
#include "quern/kernel.hpp"
#include "quern/program.hpp"

namespace quern::algorithms {

using codegen::Defines;

// Whether the queue's device calls functions of the library, and QUERN_HOST_LOOPS and QUERN_LOOPS allow it.
bool may_call_functions(const Queue& queue);

// A kernel of the library. On the host a launch takes the function that the build lowered and compiled from
// the same source (codegen::library_programs()), where there is one: always with QUERN_HOST_LOOPS=only or
// without a compiler, never with =never, and otherwise until the kernel is compiled, which one thread does in
// the background for kernels that much work is done by.
class LibraryKernel {
 public:
  // `elements` is how much work it is, of all work-items together.
  Event launch(const Queue& queue, std::uint64_t elements, const Range& range,
               std::span<const KernelArgument> arguments, WaitList wait_for = {}) const;
  template <class... Arguments>
  Event operator()(const Queue& queue, std::uint64_t elements, const Range& range,
                   const Arguments&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> list = {KernelArgument(arguments)...};
    return launch(queue, elements, range, list);
  }
  // Whether a function of the library is to do the work of a launch over so many elements instead of the
  // compiled kernel, for algorithms that have a function of their own. Each question counts as a launch.
  [[nodiscard]] bool prefers_function(const Queue& queue, std::uint64_t elements) const;
  // The kernel that a compiler makes.
  [[nodiscard]] const Kernel& compiled() const;

  class State;
  explicit LibraryKernel(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

// Kernel `name` of a program; `key` is the key of the program in codegen::library_programs(), if it is there.
LibraryKernel library_kernel(const Program& program, const std::string& key, const std::string& name);

// Kernel `name` of the program that consists of `definitions` (types, a user's functions) followed by these
// files of src/kernels. Different defines are different programs; `definitions` and `defines` together are
// the key, so they hold structure only, never sizes or values.
LibraryKernel kernel_of(std::initializer_list<std::string_view> files, std::string_view name,
                        const Defines& defines, std::string_view definitions = {});

// Kernels that an algorithm launches so often that it does not spell their defines for every call: they are
// found again by a number that tells them apart.
class KernelMemo {
 public:
  template <class Make>
  LibraryKernel get(std::uint64_t code, const Make& make) {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(code);
    return found != kernels_.end() ? found->second : kernels_.emplace(code, make()).first->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, LibraryKernel> kernels_;
};

}  // namespace quern::algorithms
