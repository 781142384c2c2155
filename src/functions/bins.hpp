// SPDX-License-Identifier: MIT
// Bins as they are given to histograms: their number, their edges, or a rule for their number.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/histogram.hpp"
#include "quern/registry.hpp"

namespace quern::functions {

Bins bins_of(const registry::Arguments& a, std::size_t k);
BinRange range_of(const registry::Arguments& a, std::size_t k);
// Two numbers. Throws ArgumentError for others.
std::pair<double, double> range_of(std::string_view function, const HostNumbers& given);

// The range, or the extremes of the elements, which are waited for.
std::pair<double, double> outer_edges(std::string_view function, const Array& elements,
                                      const BinRange& range);
// Throws ArgumentError where these are not increasing edges along one axis.
void check_edges(std::string_view role, const HostNumbers& edges);
// The edges as numpy.linspace() computes them in a type of floating point.
HostNumbers spaced_edges(const UniformBins& bins, const DType& dtype);
// The numbers in a type of floating point.
HostNumbers in_type(const std::vector<double>& numbers, const DType& dtype);
// By a rule of NumPy's. It waits for what the rule asks about the elements.
UniformBins estimated_bins(const Array& elements, std::string_view rule, const BinRange& range);

}  // namespace quern::functions
