// SPDX-License-Identifier: MIT
// Errors of an evaluation, which come long after the lines that are to blame: they list the operations, and
// where each was written.
#pragma once

#include <exception>
#include <string_view>

#include "array/evaluate.hpp"

namespace quern::array {

// The error with what was to be computed: `what`, as in "the sum of an array of shape", of this expression.
[[nodiscard]] std::exception_ptr described(const std::exception_ptr& error, const FusedExpression& fused,
                                           const Shape& shape, std::string_view what);

// f(), whose errors are described.
template <class F>
decltype(auto) describing(const FusedExpression& fused, const Shape& shape, std::string_view what, F&& f) {
  try {
    return f();
  } catch (...) {
    std::rethrow_exception(described(std::current_exception(), fused, shape, what));
  }
}

}  // namespace quern::array
