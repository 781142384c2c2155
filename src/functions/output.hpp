// SPDX-License-Identifier: MIT
// Where results go: into a new array, or into the one that the caller gave, and only where a mask holds.
#pragma once

#include <optional>
#include <string_view>

#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"
#include "quern/reduce.hpp"

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
// The same for a reduction, whose result has the shape of the array.
Array stored(std::string_view function, Array result, const ReduceOptions& options);

// The type of a number that is beside none: NumPy's, with the default precision of the device.
DType default_type(const Number& number, const Queue& queue);
// Has the caller warned, as NumPy does, where a finite number becomes an infinite element.
void warn_of_overflow(const Number& number, const DType& dtype);

}  // namespace quern::functions
