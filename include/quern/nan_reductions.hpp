// SPDX-License-Identifier: MIT
// Reductions that leave NaN out, by NumPy's names. They are made of others, and run as those do.
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
// NaN where there is nothing else.
Array nanmax(const Array& a, const ReduceOptions& options = {});
Array nanmin(const Array& a, const ReduceOptions& options = {});
// They wait to know that there is something, and throw ArgumentError where there is not.
Array nanargmax(const Array& a, const ReduceOptions& options = {});
Array nanargmin(const Array& a, const ReduceOptions& options = {});
Array nanmean(const Array& a, const ReduceOptions& options = {});
// NaN where no more elements than `correction` are left.
Array nanvar(const Array& a, double correction = 0, const ReduceOptions& options = {},
             const std::optional<Array>& mean = {});
Array nanstd(const Array& a, double correction = 0, const ReduceOptions& options = {},
             const std::optional<Array>& mean = {});

}  // namespace quern
