// SPDX-License-Identifier: MIT
// NumPy's reductions that ignore NaN. They are composed of other reductions.
#pragma once

#include <optional>

#include "quern/api.hpp"
#include "quern/cumulative.hpp"
#include "quern/reduce.hpp"

namespace QUERN_API quern {

Array nansum(const Array& a, const ReduceOptions& options = {});
Array nanprod(const Array& a, const ReduceOptions& options = {});
Array nancumsum(const Array& a, const CumulativeOptions& options = {});
Array nancumprod(const Array& a, const CumulativeOptions& options = {});
// NaN if all elements are NaN.
Array nanmax(const Array& a, const ReduceOptions& options = {});
Array nanmin(const Array& a, const ReduceOptions& options = {});
// They wait for the check of each slice, and throw ArgumentError if all its elements are NaN.
Array nanargmax(const Array& a, const ReduceOptions& options = {});
Array nanargmin(const Array& a, const ReduceOptions& options = {});
Array nanmean(const Array& a, const ReduceOptions& options = {});
// NaN if at most `correction` elements remain.
Array nanvar(const Array& a, double correction = 0, const ReduceOptions& options = {},
             const std::optional<Array>& mean = {});
Array nanstd(const Array& a, double correction = 0, const ReduceOptions& options = {},
             const std::optional<Array>& mean = {});

}  // namespace quern
