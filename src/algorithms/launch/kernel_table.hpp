// SPDX-License-Identifier: MIT
// The kernels of the algorithms. Each set of parameters makes its kernel once.
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

// A kernel of the library. For some kernels the build compiles a function from the same source
// (codegen::library_programs()). On the host a launch calls this function for small work, without a compiler,
// with QUERN_HOST_LOOPS=only, and until a background thread has compiled the kernel. Otherwise, and always
// with QUERN_HOST_LOOPS=never, it launches the compiled kernel.
class LibraryKernel {
 public:
  // `elements` is the number of elements of all work-items together.
  Event launch(const Queue& queue, std::uint64_t elements, const Range& range,
               std::span<const KernelArgument> arguments, WaitList wait_for = {}) const;
  template <class... Arguments>
  Event operator()(const Queue& queue, std::uint64_t elements, const Range& range,
                   const Arguments&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> list = {KernelArgument(arguments)...};
    return launch(queue, elements, range, list);
  }
  // For algorithms with a function written by hand: calls `function` where a launch over so many elements
  // would call a precompiled function, and `launch` elsewhere.
  template <class Function, class Launch>
  auto choose(const Queue& queue, std::uint64_t elements, const Function& function,
              const Launch& launch) const {
    return prefers_function(queue, elements) ? function() : launch();
  }
  // The kernel that a compiler makes.
  [[nodiscard]] const Kernel& compiled() const;

  class State;
  explicit LibraryKernel(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  [[nodiscard]] bool prefers_function(const Queue& queue, std::uint64_t elements) const;

  std::shared_ptr<State> state_;
};

// Kernel `name` of a program; `key` is the key of the program in codegen::library_programs(), if it is there.
LibraryKernel library_kernel(const Program& program, const std::string& key, const std::string& name);

// Kernel `name` of the program that consists of `definitions` (types, a user's functions) followed by these
// files of src/kernels. Different defines are different programs; `definitions` and `defines` together are
// the key, so they hold structure only, never sizes or values.
LibraryKernel kernel_of(std::initializer_list<std::string_view> files, std::string_view name,
                        const Defines& defines, std::string_view definitions = {});

// Finds kernels by a number, for algorithms whose launches are too short to build the texts of the defines
// each time.
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
