// SPDX-License-Identifier: MIT
// Outputs of functions: a new array, or the caller's array, optionally under a mask.
#pragma once

#include <optional>
#include <string_view>

#include "quern/arithmetic.hpp"
#include "quern/array.hpp"
#include "quern/casting.hpp"
#include "quern/reduce.hpp"

namespace quern::functions {

struct Output {
  const Array* array = nullptr;  // null: a new array
  const Array* where = nullptr;  // null: no mask
  Casting casting = Casting::same_kind;
  bool broadcasts = true;  // whether a smaller result is broadcast to the array
};
inline const Array* address(const std::optional<Array>& array) {
  return array ? &*array : nullptr;
}

// The result, or `out` with the result stored. In a new array, masked elements are zero, which NumPy leaves
// uninitialised. Throws ArgumentError if the result does not fit.
Array written(std::string_view function, Array result, const Output& output);
// The same for a reduction, whose result has the shape of the array.
Array stored(std::string_view function, Array result, const ReduceOptions& options);

// The dtype of a number without arrays: NumPy's, with the default precision of the device.
DType default_type(const Number& number, const Queue& queue);
// Requests NumPy's warning if a finite number becomes an infinite element.
void warn_of_overflow(const Number& number, const DType& dtype);

}  // namespace quern::functions
