// SPDX-License-Identifier: MIT
// Operations that the host runs by a function written by hand, and other devices by kernels.
#pragma once

#include <utility>

#include "algorithms/launch/policy.hpp"

namespace quern::algorithms {

// Calls one of two functions with the same parameters, the first of which is the queue. An operation has a
// function written by hand where it was measured to be faster than its kernel on the host.
template <class Result, class... Arguments>
class Operation {
 public:
  using Function = Result(const Queue&, Arguments...);
  constexpr Operation(Function* by_function, Function* by_kernel, FunctionUse use = FunctionUse::allowed)
      : by_function_(by_function), by_kernel_(by_kernel), use_(use) {}

  Result operator()(const Queue& queue, Arguments... arguments) const {
    return (calls_function(queue, use_) ? by_function_ : by_kernel_)(queue,
                                                                     std::forward<Arguments>(arguments)...);
  }

 private:
  Function *by_function_, *by_kernel_;
  FunctionUse use_;
};
template <class Result, class... Arguments>
Operation(Result (*)(const Queue&, Arguments...), Result (*)(const Queue&, Arguments...))
    -> Operation<Result, Arguments...>;
template <class Result, class... Arguments>
Operation(Result (*)(const Queue&, Arguments...), Result (*)(const Queue&, Arguments...), FunctionUse)
    -> Operation<Result, Arguments...>;

}  // namespace quern::algorithms
