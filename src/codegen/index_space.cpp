// SPDX-License-Identifier: MIT
// Broadcasting, and the smallest nest of loops that visits the elements of several strided operands together.
#include "codegen/index_space.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
Lengths broadcast_shapes(std::span<const View> views, const std::string& what) {
  Lengths result;
  for (const View& view : views) {
    if (view.shape.size() > result.size())
      result.insert(result.begin(), view.shape.size() - result.size(), 1);
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
      std::int64_t& length = result[result.size() - view.shape.size() + d];
      if (view.shape[d] == length || view.shape[d] == 1) continue;
      if (length != 1) {
        std::string shapes;
        for (const View& each : views) shapes += (shapes.empty() ? "" : ", ") + shape_text(each.shape);
        throw ArgumentError(ArgumentError::Kind::value,
                            what + ": shapes " + shapes + " do not broadcast together");
      }
      length = view.shape[d];
    }
  }
  return result;
}

std::int64_t IndexSpace::size() const {
  std::int64_t size = 1;
  for (const std::int64_t length : lengths) size *= length;
  return size;
}

std::int64_t IndexSpace::reach() const {
  std::int64_t most = size();
  for (const Lengths& operand : strides) {
    std::int64_t up = 0, down = 0;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      const std::int64_t step = operand[d] * std::max<std::int64_t>(lengths[d] - 1, 0);
      (step < 0 ? down : up) += step;
    }
    most = std::max({most, up, -down});
  }
  return most;
}

IndexSpace index_space(const Lengths& shape, std::span<const View> views, const std::vector<bool>& axes) {
  IndexSpace space;
  space.strides.resize(views.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    if ((!axes.empty() && !axes[d]) || shape[d] == 1) continue;
    const auto stride = [&](const View& view) -> std::int64_t {
      const std::size_t missing = shape.size() - view.shape.size();
      return d < missing || view.shape[d - missing] == 1 ? 0 : view.strides[d - missing];
    };
    bool merges = !space.lengths.empty();
    for (std::size_t v = 0; merges && v < views.size(); ++v)
      merges = stride(views[v]) == space.strides[v].back() * space.lengths.back();
    if (merges) {
      space.lengths.back() *= shape[d];
      continue;
    }
    space.lengths.push_back(shape[d]);
    for (std::size_t v = 0; v < views.size(); ++v) space.strides[v].push_back(stride(views[v]));
  }
  if (space.lengths.empty()) {
    space.lengths.push_back(1);
    for (Lengths& operand : space.strides) operand.push_back(0);
  }
  return space;
}

}  // namespace quern::codegen
