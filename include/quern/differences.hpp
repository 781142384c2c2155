// SPDX-License-Identifier: MIT
// Differences between neighbours, gradients, integrals and interpolation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

struct DiffOptions {
  std::int64_t n = 1;  // number of times
  int axis = -1;
  std::optional<Array> prepend = {}, append = {};  // values to put before and after along the axis
};
// Differences of neighbours along an axis; for booleans, whether they differ.
Array diff(const Array& a, const DiffOptions& options = {});
// The same for all elements in C order, with values before and after them.
Array ediff1d(const Array& a, const std::optional<Array>& to_end = {},
              const std::optional<Array>& to_begin = {});

struct GradientOptions {
  std::vector<Operand> spacing = {};          // for each axis the step, or the coordinates of the elements
  std::optional<std::vector<int>> axes = {};  // all axes if empty
  int edge_order = 1;  // order of accuracy at the boundaries: from two elements, or from three
};
// Gradients along each axis, by central differences in the interior.
std::vector<Array> gradient(const Array& f, const GradientOptions& options = {});

// The integral along an axis by the trapezoidal rule, at the coordinates `x` or in steps of `dx`.
Array trapezoid(const Array& y, const std::optional<Array>& x = {}, const Operand& dx = 1.0, int axis = -1);

struct InterpolationEnds {
  std::optional<Number> left = {}, right = {};  // values outside of the points; by default those of the ends
  std::optional<double> period = {};            // period of the points, which may then be in any order
};
// Linear interpolation at x of the points (xp, fp), which are sorted by xp.
Array interp(const Array& x, const Array& xp, const Array& fp, const InterpolationEnds& ends = {});

}  // namespace quern
