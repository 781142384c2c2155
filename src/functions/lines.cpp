// SPDX-License-Identifier: MIT
// Arrays as lines along a last axis, and their weights.
#include "functions/lines.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "array/write.hpp"
#include "base/text.hpp"
#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/views.hpp"

namespace quern::functions {

std::vector<std::size_t> checked_axes(std::string_view function, const Over& over, std::size_t rank) {
  std::vector<std::size_t> result;
  if (over.all()) {
    result.resize(rank);
    std::iota(result.begin(), result.end(), std::size_t{0});
    return result;
  }
  for (const int axis : *over.axes()) {
    const std::size_t at = checked_axis(axis, rank);
    if (std::find(result.begin(), result.end(), at) != result.end())
      throw ArgumentError(ArgumentError::Kind::value,
                          std::string(function) + ": axis " + std::to_string(axis) + " is repeated");
    result.push_back(at);
  }
  return result;
}

Lines lines_of(std::string_view function, const Array& x, const Over& over) {
  const std::vector<std::size_t> axes = checked_axes(function, over, x.shape().size());
  std::vector<int> order;
  Shape outer, kept;
  for (std::size_t d = 0; d < x.shape().size(); ++d) {
    const bool is_gone = std::find(axes.begin(), axes.end(), d) != axes.end();
    kept.push_back(is_gone ? 1 : x.shape()[d]);
    if (is_gone) continue;
    outer.push_back(x.shape()[d]);
    order.push_back(static_cast<int>(d));
  }
  Shape shape = outer;
  std::int64_t length = 1;
  for (const std::size_t d : axes) {
    order.push_back(static_cast<int>(d));
    length *= x.shape()[d];
  }
  shape.push_back(length);
  const Array moved = order.empty() ? x : permute_dims(x, order);
  return {reshape(moved, shape), std::move(outer), std::move(kept)};
}

Array fitted_weights(std::string_view function, const Array& weights, const Array& a, const Over& over) {
  if (weights.shape() == a.shape()) return weights;
  const std::vector<std::size_t> axes = checked_axes(function, over, a.shape().size());
  Shape lengths;
  for (const std::size_t axis : axes) lengths.push_back(a.shape()[axis]);
  if (over.all() || !(weights.shape() == lengths))
    throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": weights of shape " +
                                                        shape_text(weights.shape()) +
                                                        " for an array of shape " + shape_text(a.shape()) +
                                                        "; expected its shape or the lengths of the axes");
  std::vector<int> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int p, int q) {
    return axes[static_cast<std::size_t>(p)] < axes[static_cast<std::size_t>(q)];
  });
  Shape shape;
  for (std::size_t d = 0; d < a.shape().size(); ++d)
    shape.push_back(std::find(axes.begin(), axes.end(), d) != axes.end() ? a.shape()[d] : 1);
  return reshape(order.empty() ? weights : permute_dims(weights, order), shape);
}

}  // namespace quern::functions
