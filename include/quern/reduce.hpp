// SPDX-License-Identifier: MIT
// Reductions of arrays over all or some of their axes, with NumPy's types and rules. An expression that is
// reduced is computed on the way, in the same kernel.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/arithmetic.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// The axes that a function goes over: all of them where none are named. Negative ones count from the end.
class Over {
 public:
  Over() = default;
  Over(int axis) : axes_(std::vector<int>{axis}), is_single_(true) {}
  Over(std::initializer_list<int> axes) : axes_(std::vector<int>(axes)) {}
  Over(std::vector<int> axes) : axes_(std::move(axes)) {}
  Over(std::optional<std::vector<int>> axes) : axes_(std::move(axes)) {}
  // Given as one axis, which a number has in NumPy, too: 0 or -1.
  [[nodiscard]] bool is_single() const noexcept { return is_single_; }
  [[nodiscard]] bool all() const noexcept { return !axes_.has_value(); }
  // Nothing for all of them.
  [[nodiscard]] const std::optional<std::vector<int>>& axes() const noexcept { return axes_; }

 private:
  std::optional<std::vector<int>> axes_;
  bool is_single_ = false;
};

// As in sum(x, {0}) and sum(x, {.over = {0, 1}, .keepdims = true}).
struct ReduceOptions {
  Over over = {};
  bool keepdims = false;               // axes of one element stay in place of those that are reduced
  std::optional<DType> dtype = {};     // of the result, and of the sum where that is wider than the elements'
  std::optional<Number> initial = {};  // one value more, of the result's type
  std::optional<Array> where = {};     // a mask: other elements do not count
  std::optional<Array> out = {};       // where the result goes, which is a new array otherwise
};

// "sum", "prod", "min", "max", "any", "all" or "count_nonzero". Sums and products of small integers are of 64
// bits. NaN is passed on. Throws ArgumentError for a name or type that is none of these, and for the least
// of no elements.
Array reduce(std::string_view name, const Array& a, const ReduceOptions& options = {});
inline Array sum(const Array& a, const ReduceOptions& options = {}) {
  return reduce("sum", a, options);
}
inline Array prod(const Array& a, const ReduceOptions& options = {}) {
  return reduce("prod", a, options);
}
inline Array min(const Array& a, const ReduceOptions& options = {}) {
  return reduce("min", a, options);
}
inline Array max(const Array& a, const ReduceOptions& options = {}) {
  return reduce("max", a, options);
}
inline Array any(const Array& a, const ReduceOptions& options = {}) {
  return reduce("any", a, options);
}
inline Array all(const Array& a, const ReduceOptions& options = {}) {
  return reduce("all", a, options);
}
inline Array count_nonzero(const Array& a, const ReduceOptions& options = {}) {
  return reduce("count_nonzero", a, options);
}
// The distance of the greatest element from the least.
Array ptp(const Array& a, const ReduceOptions& options = {});

// Where the least or the greatest element is, the first of equal ones and the first NaN where there is one:
// in C order, or along one axis.
Array argmin(const Array& a, const ReduceOptions& options = {});
Array argmax(const Array& a, const ReduceOptions& options = {});

// In floating point; integers are of the default precision.
Array mean(const Array& a, const ReduceOptions& options = {});
// The mean of the squared distances to the mean, over the count less `correction`. The mean is computed where
// none is given.
Array variance(const Array& a, double correction = 0, const ReduceOptions& options = {},
               const std::optional<Array>& mean = {});
Array standard_deviation(const Array& a, double correction = 0, const ReduceOptions& options = {},
                         const std::optional<Array>& mean = {});

}  // namespace quern
