// SPDX-License-Identifier: MIT
// What is made of differences between neighbours: slopes, integrals, and values between points.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

struct DiffOptions {
  std::int64_t n = 1;  // how often
  int axis = -1;
  std::optional<Array> prepend = {}, append = {};  // what comes before and behind along the axis
};
// The differences of neighbours along an axis; of booleans, whether they differ.
Array diff(const Array& a, const DiffOptions& options = {});
// The same of all elements in C order, with others in front and behind.
Array ediff1d(const Array& a, const std::optional<Array>& to_end = {},
              const std::optional<Array>& to_begin = {});

struct GradientOptions {
  std::vector<Operand> spacing = {};          // for each axis the step, or the places of the elements
  std::optional<std::vector<int>> axes = {};  // all of them where none are named
  int edge_order = 1;                         // of the slopes at the ends: of two elements, or of three
};
// The slopes along each axis, between the neighbours inside.
std::vector<Array> gradient(const Array& f, const GradientOptions& options = {});

// The integral along an axis by trapezoids, at the places `x`, or in steps of `dx`.
Array trapezoid(const Array& y, const std::optional<Array>& x = {}, const Operand& dx = 1.0, int axis = -1);

struct InterpolationEnds {
  std::optional<Number> left = {}, right = {};  // outside of the points, which is otherwise that of the ends
  std::optional<double> period = {};            // with which the points repeat, in any order
};
// The values between the points (xp, fp), which are sorted by xp, at x.
Array interp(const Array& x, const Array& xp, const Array& fp, const InterpolationEnds& ends = {});

}  // namespace quern
