// SPDX-License-Identifier: MIT
// Reductions of arrays over all or some axes, with NumPy's types and rules. An expression as argument is
// fused into the kernel.
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

// The axes of a reduction; by default all. Negative axes count from the end.
class Over {
 public:
  Over() = default;
  Over(int axis) : axes_(std::vector<int>{axis}), is_single_(true) {}
  Over(std::initializer_list<int> axes) : axes_(std::vector<int>(axes)) {}
  Over(std::vector<int> axes) : axes_(std::move(axes)) {}
  Over(std::optional<std::vector<int>> axes) : axes_(std::move(axes)) {}
  // A single axis, which NumPy also accepts for a 0-d array: 0 or -1.
  [[nodiscard]] bool is_single() const noexcept { return is_single_; }
  [[nodiscard]] bool all() const noexcept { return !axes_.has_value(); }
  // Empty: all axes.
  [[nodiscard]] const std::optional<std::vector<int>>& axes() const noexcept { return axes_; }

 private:
  std::optional<std::vector<int>> axes_;
  bool is_single_ = false;
};

// As in sum(x, {0}) and sum(x, {.over = {0, 1}, .keepdims = true}).
struct ReduceOptions {
  Over over = {};
  bool keepdims = false;               // keep the reduced axes with length 1
  std::optional<DType> dtype = {};     // of the result, and of the sum if it is wider than the elements'
  std::optional<Number> initial = {};  // an additional value, of the result's dtype
  std::optional<Array> where = {};     // a mask: other elements are ignored
  std::optional<Array> out = {};       // array for the result; a new array by default
};

// Reduces by "sum", "prod", "min", "max", "any", "all" or "count_nonzero". Sums and products of small
// integers have 64 bits. NaN propagates. Throws ArgumentError for any other name, for an unsupported dtype,
// and for the minimum or maximum of no elements.
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
// The maximum minus the minimum.
Array ptp(const Array& a, const ReduceOptions& options = {});

// The index of the minimum or maximum, the first if several are equal, and the first NaN if there is one: in
// C order, or along one axis.
Array argmin(const Array& a, const ReduceOptions& options = {});
Array argmax(const Array& a, const ReduceOptions& options = {});

// The mean in floating point; integers use the default precision.
Array mean(const Array& a, const ReduceOptions& options = {});
// The variance: the mean of squared deviations, with divisor count - `correction`. The mean is computed
// unless given.
Array variance(const Array& a, double correction = 0, const ReduceOptions& options = {},
               const std::optional<Array>& mean = {});
Array standard_deviation(const Array& a, double correction = 0, const ReduceOptions& options = {},
                         const std::optional<Array>& mean = {});

}  // namespace quern
