// SPDX-License-Identifier: MIT
// The number of bins of a histogram, by NumPy's rules.
#include "functions/bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>

#include "array/build.hpp"
#include "base/bfloat16.hpp"
#include "base/half.hpp"
#include "codegen/ops.hpp"
#include "functions/operands.hpp"
#include "quern/error.hpp"
#include "quern/reduce.hpp"
#include "quern/select.hpp"
#include "quern/statistics.hpp"

namespace quern::functions {
namespace {

double number_of(const Array& one) {
  return host_numbers(one)[0];
}

// The width of a bin by a rule; 0 if the rule gives none.
class Rule {
 public:
  Rule(const Array& elements, double low, double high)
      : x_(as_float(elements)), n_(static_cast<double>(elements.size())), low_(low), high_(high) {
    const auto [least, greatest] = finite_range(array::queue_of(elements, nullptr), elements);
    ptp_ = greatest - least;
  }

  [[nodiscard]] double sqrt() const { return ptp_ / std::sqrt(n_); }
  [[nodiscard]] double sturges() const { return ptp_ / (std::log2(n_) + 1); }
  [[nodiscard]] double rice() const { return ptp_ / (2 * std::pow(n_, 1.0 / 3)); }
  [[nodiscard]] double scott() const {
    return std::pow(24 * std::sqrt(std::numbers::pi) / n_, 1.0 / 3) * deviation();
  }
  [[nodiscard]] double fd() const {
    const HostNumbers ends = host_numbers(percentile(x_, HostNumbers{75, 25}));
    return 2 * (ends[0] - ends[1]) * std::pow(n_, -1.0 / 3);
  }
  [[nodiscard]] double automatic() const { return std::min(std::max(fd(), sqrt() / 2), sturges()); }
  [[nodiscard]] double doane() const {
    const double sigma = n_ > 2 ? deviation() : 0;
    if (!(sigma > 0)) return 0;
    const double spread = std::sqrt(6 * (n_ - 2) / ((n_ + 1) * (n_ + 3)));
    const Array distance = (x_ - mean(x_)) / Number(sigma);
    const double skew = number_of(mean(distance * distance * distance));
    return ptp_ / (1 + std::log2(n_) + std::log2(1 + std::fabs(skew) / spread));
  }
  // The number of bins with the least estimated error.
  [[nodiscard]] double stone() const {
    if (n_ <= 1 || ptp_ == 0) return 0;
    const auto most = static_cast<std::int64_t>(std::max(100.0, std::floor(std::sqrt(n_))));
    std::int64_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t bins = 1; bins <= most; ++bins) {
      const Histogram found = histogram(x_, bins, {.range = std::pair(low_, high_)});
      double squares = 0;
      for (const double count : host_numbers(found.counts).values()) squares += count / n_ * (count / n_);
      const double error = (2 - (n_ + 1) * squares) * static_cast<double>(bins) / ptp_;
      if (error < least) {
        least = error;
        best = bins;
      }
    }
    return ptp_ / static_cast<double>(best);
  }

 private:
  [[nodiscard]] double deviation() const { return number_of(standard_deviation(x_)); }

  Array x_;
  double n_, low_, high_, ptp_ = 0;
};

struct Named {
  std::string_view name;
  double (Rule::*width)() const;
};
constexpr std::array kRules = std::to_array<Named>({{"auto", &Rule::automatic},
                                                    {"fd", &Rule::fd},
                                                    {"doane", &Rule::doane},
                                                    {"scott", &Rule::scott},
                                                    {"stone", &Rule::stone},
                                                    {"rice", &Rule::rice},
                                                    {"sturges", &Rule::sturges},
                                                    {"sqrt", &Rule::sqrt}});

}  // namespace

Bins bins_of(const registry::Arguments& a, std::size_t k) {
  if (a.is<std::int64_t>(k)) return a.integer(k);
  if (a.is<std::string>(k)) return a.get<std::string>(k);
  if (a.is<Array>(k)) return a.array(k);
  const HostNumbers& given = a.numbers(k);
  if (given.shape().empty())
    throw ArgumentError(ArgumentError::Kind::type, std::string(a.function().name) +
                                                       ": bins: expected an integer, edges or a rule's name");
  return given;
}

BinRange range_of(const registry::Arguments& a, std::size_t k) {
  if (!a.has(k)) return {};
  return range_of(a.function().name, a.numbers(k));
}

std::pair<double, double> range_of(std::string_view function, const HostNumbers& given) {
  if (given.size() != 2)
    throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": range: expected two numbers");
  return {given[0], given[1]};
}

std::pair<double, double> outer_edges(std::string_view function, const Array& elements,
                                      const BinRange& range) {
  if (!range) return finite_range(array::queue_of(elements, nullptr), elements);
  if (!std::isfinite(range->first) || !std::isfinite(range->second) || range->first > range->second)
    throw ArgumentError(ArgumentError::Kind::value, std::string(function) + ": range: the range from " +
                                                        std::to_string(range->first) + " to " +
                                                        std::to_string(range->second) +
                                                        " is not finite, or its ends are in the wrong order");
  return *range;
}

void check_edges(std::string_view role, const HostNumbers& edges) {
  bool is_increasing = edges.shape().size() == 1 && edges.size() > 0;
  for (std::size_t k = 1; k < edges.size() && is_increasing; ++k) is_increasing = edges[k] >= edges[k - 1];
  if (!is_increasing)
    throw ArgumentError(ArgumentError::Kind::value,
                        std::string(role) + ": expected a number of bins, or increasing edges");
}

HostNumbers spaced_edges(const UniformBins& bins, const DType& dtype) {
  const auto rounded = [&](double value) { return in_type({value}, dtype)[0]; };
  const bool is_empty = bins.low == bins.high;
  const double low = rounded(is_empty ? bins.low - 0.5 : bins.low);
  const double high = rounded(is_empty ? bins.high + 0.5 : bins.high);
  const double step = rounded(rounded(high - low) / static_cast<double>(bins.count));
  std::vector<double> edges(bins.count + 1);
  for (std::size_t k = 0; k < edges.size(); ++k)
    edges[k] = rounded(rounded(rounded(static_cast<double>(k)) * step) + low);
  edges.back() = high;
  return in_type(edges, dtype);
}

HostNumbers in_type(const std::vector<double>& numbers, const DType& dtype) {
  if (dtype.scalar == Scalar::float64) return numbers;
  std::vector<std::byte> elements(numbers.size() * dtype.itemsize);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto single = static_cast<float>(numbers[k]);
    const std::uint16_t half = dtype.scalar == Scalar::bfloat16 ? to_bfloat16(single) : to_half(numbers[k]);
    const bool is_half = dtype.itemsize == sizeof half;
    const void* const one = is_half ? static_cast<const void*>(&half) : &single;
    std::memcpy(elements.data() + k * dtype.itemsize, one, dtype.itemsize);
  }
  return {dtype, {static_cast<std::int64_t>(numbers.size())}, std::move(elements)};
}

UniformBins estimated_bins(const Array& elements, std::string_view rule, const BinRange& range) {
  const auto named =
      std::find_if(kRules.begin(), kRules.end(), [&](const Named& one) { return one.name == rule; });
  if (named == kRules.end())
    throw ArgumentError(ArgumentError::Kind::value,
                        "histogram: bins: expected a number, edges, or one of auto, fd, doane, scott, stone, "
                        "rice, sturges and sqrt, got '" +
                            std::string(rule) + "'");
  auto [low, high] = outer_edges("histogram", elements, range);
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  Array kept = elements;
  if (range) {
    const Array inside = apply("logical_and", {elements >= Number(low), elements <= Number(high)});
    kept = copy_if(array::queue_of(elements, nullptr), elements, Predicate(as_contiguous(inside)));
  }
  if (kept.size() == 0) return {1, low, high};
  double width = (Rule(kept, low, high).*named->width)();
  if (width == 0) return {1, low, high};
  if (codegen::kind_of(elements.dtype()) != codegen::Kinds::floating) width = std::max(width, 1.0);
  return {static_cast<std::size_t>(std::ceil((high - low) / width)), low, high};
}

}  // namespace quern::functions
