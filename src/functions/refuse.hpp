// SPDX-License-Identifier: MIT
// The error of functions that refuse the value of an argument.
#pragma once

#include <string>

#include "quern/error.hpp"

namespace quern::functions {

[[noreturn]] inline void refuse(const std::string& text) {
  throw ArgumentError(ArgumentError::Kind::value, text);
}

}  // namespace quern::functions
