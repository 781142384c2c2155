// SPDX-License-Identifier: MIT
// Elementwise functions composed of several operations, and comparisons of whole arrays.
#pragma once

#include <optional>
#include <utility>

#include "quern/api.hpp"
#include "quern/functions/elementwise.hpp"

namespace QUERN_API quern {

// Rounds to `decimals` decimals, half to even. Negative decimals round before the decimal point.
Array round(const Array& a, std::int64_t decimals = 0, const std::optional<Array>& out = {});

// Options of functions with two results.
using Pair = std::pair<Array, Array>;
struct PairOptions {
  std::optional<Array> first = {}, second = {};  // arrays for the results; new arrays by default
  std::optional<Array> where = {};
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = {};  // dtype of the computation
  bool in_fortran_order = false;    // memory order of new arrays
};
// floor_divide and remainder. If no operand is an array, the queue determines the device of the results, here
// and below.
Pair divmod(const Operand& x1, const Operand& x2, const PairOptions& options = {},
            const Queue* queue = nullptr);
// The fractional and the integral part, both with the sign of the number.
Pair modf(const Operand& x, const PairOptions& options = {}, const Queue* queue = nullptr);
// Mantissas in [0.5, 1), and exponents of 2 as int32.
Pair frexp(const Operand& x, const PairOptions& options = {}, const Queue* queue = nullptr);
// The angle of complex numbers, from -pi to pi, or in degrees.
Array angle(const Array& z, bool deg = false);

struct Closeness {
  Operand rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};
// Whether |a - b| <= atol + rtol * |b|; an infinity is close only to itself. At least one operand is an
// array.
Array isclose(const Operand& a, const Operand& b, const Closeness& closeness = {},
              const Queue* queue = nullptr);
// The same for all elements; waits for the result, as the next function does.
bool allclose(const Operand& a, const Operand& b, const Closeness& closeness = {},
              const Queue* queue = nullptr);
// Whether shapes and elements are equal.
bool array_equal(const Array& a1, const Array& a2, bool equal_nan = false);

// Replaces NaN and infinities; by default by zero and by the greatest and least finite number.
struct Replacements {
  std::optional<Operand> nan = {}, posinf = {}, neginf = {};
};
Array nan_to_num(const Array& x, const Replacements& replacements = {});
// The real parts if all imaginary parts are below `tol` (in units of the dtype's epsilon if it is greater
// than 1); otherwise the array. Waits for the result.
Array real_if_close(const Array& a, double tol = 100);

}  // namespace quern
