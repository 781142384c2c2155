// SPDX-License-Identifier: MIT
// Functions of each element that are made of several operations, and comparisons of whole arrays.
#pragma once

#include <optional>
#include <utility>

#include "quern/api.hpp"
#include "quern/functions/elementwise.hpp"

namespace QUERN_API quern {

// To so many decimals, to even where two numbers are as near. Negative decimals round before the point.
Array round(const Array& a, std::int64_t decimals = 0, const std::optional<Array>& out = {});

// Two results, and where they go.
using Pair = std::pair<Array, Array>;
struct PairOptions {
  std::optional<Array> first = {}, second = {};  // where the results go, which are new arrays otherwise
  std::optional<Array> where = {};
  Casting casting = Casting::same_kind;
  std::optional<DType> dtype = {};  // what is computed in
  bool in_fortran_order = false;    // of new arrays
};
// floor_divide and remainder. Where no operand is an array, the queue says on which device the results are;
// so below.
Pair divmod(const Operand& x1, const Operand& x2, const PairOptions& options = {},
            const Queue* queue = nullptr);
// The fractional and the whole part, both with the sign of the number.
Pair modf(const Operand& x, const PairOptions& options = {}, const Queue* queue = nullptr);
// Mantissas from 0.5 to below 1, and exponents of 2 as int32.
Pair frexp(const Operand& x, const PairOptions& options = {}, const Queue* queue = nullptr);
// The power in float64 or complex128.
Array float_power(const Operand& x1, const Operand& x2, const ElementwiseOptions& options = {},
                  const Queue* queue = nullptr);
// The angle of complex numbers, from -pi to pi, or in degrees.
Array angle(const Array& z, bool deg = false);

struct Closeness {
  Operand rtol = 1e-5, atol = 1e-8;
  bool equal_nan = false;
};
// Whether |a - b| <= atol + rtol * |b|; infinities are close to themselves only. One of them is an array.
Array isclose(const Operand& a, const Operand& b, const Closeness& closeness = {},
              const Queue* queue = nullptr);
// For all elements; waits for the answer, as the next one does.
bool allclose(const Operand& a, const Operand& b, const Closeness& closeness = {},
              const Queue* queue = nullptr);
// Whether shapes and elements are equal.
bool array_equal(const Array& a1, const Array& a2, bool equal_nan = false);

// What replaces NaN and the infinities. Unless given: zero, and the greatest and the least finite number.
struct Replacements {
  std::optional<Operand> nan = {}, posinf = {}, neginf = {};
};
Array nan_to_num(const Array& x, const Replacements& replacements = {});
// The real parts where all imaginary parts are less than `tol`, in steps of the type's precision where that
// is greater than 1; otherwise the array. Waits for the answer.
Array real_if_close(const Array& a, double tol = 100);

}  // namespace quern
