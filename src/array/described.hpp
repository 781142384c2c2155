// SPDX-License-Identifier: MIT
// Adds context to errors of an evaluation. The error is raised long after the lines that caused it, so its
// message lists the operations and the line of each.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "array/evaluate.hpp"

namespace quern::array {

inline constexpr std::string_view kArray = "an array of shape";

// Returns the error with a description of the computation: its operations in their order. `what` names it, as
// in "the sum of an array of shape".
[[nodiscard]] std::exception_ptr described(const std::exception_ptr& error,
                                           const std::vector<std::string>& operations, const Shape& shape,
                                           std::string_view what);

// Calls f(), which runs the computation, and adds the description to any error that it throws. A computation
// lists its operations: an expression, a product or a transform.
template <class Computation, class F>
decltype(auto) describing(const Computation& computation, const Shape& shape, std::string_view what, F&& f) {
  try {
    return f();
  } catch (...) {
    std::rethrow_exception(described(std::current_exception(), computation.operations(), shape, what));
  }
}

}  // namespace quern::array
