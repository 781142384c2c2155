// SPDX-License-Identifier: MIT
// Bins as arguments of histograms: their number, their edges, or a rule for their number.
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
// Two numbers. Throws ArgumentError for anything else.
std::pair<double, double> range_of(std::string_view function, const HostNumbers& given);

// The given range, or the minimum and maximum of the elements; waits for them.
std::pair<double, double> outer_edges(std::string_view function, const Array& elements,
                                      const BinRange& range);
// Throws ArgumentError unless these are increasing edges along one axis.
void check_edges(std::string_view role, const HostNumbers& edges);
// The edges as numpy.linspace() computes them in a floating-point dtype.
HostNumbers spaced_edges(const UniformBins& bins, const DType& dtype);
// The numbers in a floating-point dtype.
HostNumbers in_type(const std::vector<double>& numbers, const DType& dtype);
// The number of bins by NumPy's rule. Waits for the statistics that the rule needs.
UniformBins estimated_bins(const Array& elements, std::string_view rule, const BinRange& range);

}  // namespace quern::functions
