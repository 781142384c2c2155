// SPDX-License-Identifier: MIT
// Draws on the host by precompiled kernels of the library.
#include "random/functions.hpp"

#include <algorithm>
#include <array>

#include "algorithms/host/hand_written_kernel.hpp"
#include "algorithms/host/host_loop_table.hpp"

namespace quern::random {
namespace {

constexpr std::size_t kMostArguments = 16;

struct Call {
  quern_kernel_function* function;
  std::array<array::NumberBytes, kMostArguments> arguments;
};

// The launch, with the arguments at the positions that the kernel expects.
void run_kernel(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  // Launch arguments are not aligned, but vectors among them must be.
  struct alignas(16) Value {
    array::NumberBytes bytes;
  };
  const Call& call = algorithms::call_of<Call>(launch);
  std::array<Value, kMostArguments> values;
  std::array<const void*, kMostArguments + 1> arguments;
  arguments[0] = launch->arguments[1];
  for (std::size_t k = 0; k < kMostArguments; ++k) {
    values[k].bytes = call.arguments[k];
    arguments[k + 1] = &values[k];
  }
  quern_launch inner = *launch;
  inner.arguments = arguments.data();
  call.function(&inner, first_group, last_group);
}

}  // namespace

Event call_function(const Queue& queue, const std::string& name, std::size_t items, std::size_t group,
                    const Buffer& out, std::span<const array::NumberBytes> arguments, WaitList wait_for) {
  Call call{algorithms::random_loop(name), {}};
  std::copy(arguments.begin(), arguments.end(), call.arguments.begin());
  static const algorithms::HandWrittenKernel kDraw{"random", &run_kernel};
  return kDraw.launch(queue, items, group, call, {algorithms::HandWrittenKernel::writes(out)}, wait_for);
}

}  // namespace quern::random
