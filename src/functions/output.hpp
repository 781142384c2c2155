// SPDX-License-Identifier: MIT
// Where results go: into a new array, or into the one that the caller gave, and only where a mask holds.
#pragma once

#include <optional>
#include <string_view>

#include "quern/array.hpp"
#include "quern/casting.hpp"

namespace quern::functions {

struct Output {
  const Array* array = nullptr;  // null: a new one
  const Array* where = nullptr;  // null: everywhere
  Casting casting = Casting::same_kind;
  bool broadcasts = true;  // whether a smaller result fills the array
};
inline const Array* address(const std::optional<Array>& array) {
  return array ? &*array : nullptr;
}

// The result, or the array with it. Without one, elements where the mask does not hold are zero, which NumPy
// leaves as memory happens to be. Throws ArgumentError where the result does not fit.
Array written(std::string_view function, Array result, const Output& output);

}  // namespace quern::functions
