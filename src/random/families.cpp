// SPDX-License-Identifier: MIT
// The table of distributions: names, parameters and their domains; and draws of those in random_families.cl
// and random_counts.cl.
#include "random/families.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <utility>

#include "algorithms/launch/operation.hpp"
#include "quern/arithmetic.hpp"
#include "random/functions.hpp"

namespace quern::random {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Domain kFinite{"finite", -kInfinity, kInfinity, false, false};
constexpr Domain kNotNegative{">= 0 and finite", 0, kInfinity, true, false};
constexpr Domain kPositive{"> 0 and finite", 0, kInfinity, false, false};
constexpr Domain kProbability{"from 0 to 1", 0, 1, true, true};
constexpr Domain kNotZero{"> 0 and <= 1", 0, 1, false, true};
constexpr Domain kNotOne{">= 0 and < 1", 0, 1, true, false};
constexpr Domain kAbove1{"> 1 and finite", 1, kInfinity, false, false};
constexpr Domain kCount{">= 0", 0, kInfinity, true, true};
constexpr Domain kPopulation{">= 0 and < 10**9", 0, 1e9, true, false};
constexpr Domain kAnything{"an integer", -kInfinity, kInfinity, true, true};

// The greatest exponential number, from 52 bits.
constexpr double kMostExponential = 36.75;

constexpr Parameter kUniform[] = {{"low", kFinite}, {"high", kFinite}};
constexpr Parameter kLocScale[] = {{"loc", kFinite}, {"scale", kNotNegative}};
constexpr Parameter kLognormal[] = {{"mean", kFinite}, {"sigma", kNotNegative}};
constexpr Parameter kScale[] = {{"scale", kNotNegative}};
constexpr Parameter kGamma[] = {{"shape", kNotNegative}, {"scale", kNotNegative}};
constexpr Parameter kIntegers[] = {{"low", kAnything, true}, {"high", kAnything, true}};
constexpr Parameter kPoisson[] = {{"lam", kNotNegative}};
constexpr Parameter kBinomial[] = {{"n", kCount, true}, {"p", kProbability}};
constexpr Parameter kBeta[] = {{"a", kPositive}, {"b", kPositive}};
constexpr Parameter kDegrees[] = {{"df", kPositive}};
constexpr Parameter kF[] = {{"dfnum", kPositive}, {"dfden", kPositive}};
constexpr Parameter kLogGamma[] = {{"shape", kNotNegative}};
constexpr Parameter kNoncentralChisquare[] = {{"df", kPositive}, {"nonc", kNotNegative}};
constexpr Parameter kNoncentralF[] = {{"dfnum", kPositive}, {"dfden", kPositive}, {"nonc", kNotNegative}};
constexpr Parameter kPositiveA[] = {{"a", kPositive}};
constexpr Parameter kTriangular[] = {{"left", kFinite}, {"mode", kFinite}, {"right", kFinite}};
constexpr Parameter kVonMises[] = {{"mu", kFinite}, {"kappa", kNotNegative}};
constexpr Parameter kWald[] = {{"mean", kPositive}, {"scale", kPositive}};
constexpr Parameter kWeibull[] = {{"a", kNotNegative}};
constexpr Parameter kGeometric[] = {{"p", kNotZero}};
constexpr Parameter kHypergeometric[] = {
    {"ngood", kPopulation, true}, {"nbad", kPopulation, true}, {"nsample", kCount, true}};
constexpr Parameter kLogseries[] = {{"p", kNotOne}};
constexpr Parameter kNegativeBinomial[] = {{"n", kPositive}, {"p", kNotZero}};
constexpr Parameter kZipf[] = {{"a", kAbove1}};

using Texts = FamilyRow::Texts;

// In the order of Family.
constexpr FamilyRow kFamilies[] = {
    {"uniform", Texts::reals, kUniform},
    {"normal", Texts::reals, kLocScale},
    {"lognormal", Texts::reals, kLognormal},
    {"exponential", Texts::reals, kScale},
    {"gamma", Texts::reals, kGamma},
    {"integers", Texts::integers, kIntegers},
    {"poisson", Texts::counts, kPoisson},
    {"binomial", Texts::counts, kBinomial},
    {"beta", Texts::reals, kBeta},
    {"chisquare", Texts::reals, kDegrees},
    {"f", Texts::reals, kF},
    {"gumbel", Texts::reals, kLocScale},
    {"laplace", Texts::reals, kLocScale},
    {"log_gamma", Texts::reals, kLogGamma},
    {"logistic", Texts::reals, kLocScale},
    {"noncentral_chisquare", Texts::counting_reals, kNoncentralChisquare},
    {"noncentral_f", Texts::counting_reals, kNoncentralF},
    {"pareto", Texts::reals, kPositiveA},
    {"power", Texts::reals, kPositiveA},
    {"rayleigh", Texts::reals, kScale},
    {"standard_cauchy", Texts::reals, {}},
    {"standard_t", Texts::reals, kDegrees},
    {"triangular", Texts::reals, kTriangular},
    {"vonmises", Texts::reals, kVonMises},
    {"wald", Texts::reals, kWald},
    {"weibull", Texts::reals, kWeibull},
    {"geometric", Texts::counts, kGeometric},
    {"hypergeometric", Texts::counts, kHypergeometric},
    {"logseries", Texts::counts, kLogseries},
    {"negative_binomial", Texts::counts, kNegativeBinomial},
    {"zipf", Texts::counts, kZipf},
};
static_assert(std::size(kFamilies) == std::variant_size_v<Distribution>);
// random_all.cl uses these numbers.
static_assert(static_cast<int>(Family::beta) == 8 && static_cast<int>(Family::weibull) == 25 &&
              static_cast<int>(Family::geometric) == 26 && static_cast<int>(Family::zipf) == 30);

// The greatest number that can be drawn in practice. Zipf's numbers stay below 2^63 in any case.
double reach(Family family, std::span<const double> p) {
  switch (family) {
    case Family::geometric:
      return kMostExponential / -std::log1p(-p[0]) + 1;
    case Family::hypergeometric:
      return std::min(p[0], p[2]);
    case Family::logseries:
      return p[0] == 0 ? 1 : kMostExponential / -std::log(p[0]) + 1;
    case Family::negative_binomial: {
      // Upper ends of gamma numbers, whose tail is exponential, and of Poisson numbers with such means.
      const double rate = (p[0] + 10 * std::sqrt(p[0]) + kMostExponential) * ((1 - p[1]) / p[1]);
      return rate + 40 + 10 * std::sqrt(rate);
    }
    default:
      return std::min(std::exp2(53 / (p[0] - 1)), 0x1p63 - 1024);
  }
}

void check_together(Family family, std::span<const double> p) {
  if (family == Family::triangular && !(p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2]))
    refuse_value("triangular: expected left <= mode <= right and left < right, got " + number_text(p[0]) +
                 ", " + number_text(p[1]) + " and " + number_text(p[2]));
  if (family == Family::hypergeometric && p[2] > p[0] + p[1])
    refuse_value("hypergeometric: expected nsample <= ngood + nbad, got " + number_text(p[2]));
}

template <std::size_t Place = 0>
Distribution made_of(Family family, std::span<const double> parameters) {
  using One = std::variant_alternative_t<Place, Distribution>;
  if (One::family != family) {
    if constexpr (Place + 1 < std::variant_size_v<Distribution>)
      return made_of<Place + 1>(family, parameters);
  }
  if constexpr (std::is_same_v<One, Integers>) {
    return Integers{static_cast<std::int64_t>(parameters[0]), static_cast<std::int64_t>(parameters[1])};
  } else if constexpr (std::is_same_v<One, Binomial>) {
    return Binomial{static_cast<std::int64_t>(parameters[0]), parameters[1]};
  } else if constexpr (std::is_empty_v<One>) {
    return One{};
  } else {
    std::array<double, sizeof(One) / sizeof(double)> values;
    std::copy_n(parameters.begin(), values.size(), values.begin());
    return std::bit_cast<One>(values);
  }
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

const FamilyRow& row_of(Family family) {
  return kFamilies[static_cast<std::size_t>(family)];
}

const char* name_of(Family family) {
  return row_of(family).name;
}

std::span<const Parameter> parameters_of(Family family) {
  return row_of(family).parameters;
}

Family family_of(std::string_view name) {
  for (std::size_t f = 0; f < std::size(kFamilies); ++f)
    if (name == kFamilies[f].name) return static_cast<Family>(f);
  refuse_value("unknown distribution " + std::string(name));
}

void check_count(Family family, std::size_t count) {
  const std::size_t expected = parameters_of(family).size();
  if (count != expected)
    refuse_value(std::string(name_of(family)) + ": expected " + std::to_string(expected) +
                 " parameters, got " + std::to_string(count));
}

Distribution distribution_of(Family family, std::span<const double> parameters) {
  check_count(family, parameters.size());
  return made_of(family, parameters);
}

void check_types(Family family, const Queue& queue, const DType& dtype) {
  const FamilyRow& row = row_of(family);
  const Scalar scalar = dtype.scalar;
  if (is_real(row)) {
    if (scalar != Scalar::float32 && scalar != Scalar::float64)
      refuse_type(std::string(row.name) + ": expected dtype float32 or float64, got " + dtype.name());
  } else if (scalar > Scalar::uint64 || (scalar == Scalar::boolean && row.texts != Texts::integers)) {
    refuse_type(std::string(row.name) + ": expected an integer dtype, got " + dtype.name());
  }
  if ((row.texts == Texts::counts || row.texts == Texts::counting_reals) &&
      !queue.device().properties().has_fp64)
    refuse_type(std::string(row.name) + ": needs float64, which '" + queue.device().spec() +
                "' does not have");
}

namespace {

Event draw_by_kernel(const Queue& queue, Generator& generator, const Array& out, Family family,
                     std::span<const double> parameters, WaitList wait_for) {
  return generator.draw_each(
      queue, out, family, std::vector<KernelArgument>(parameters.begin(), parameters.end()), true, wait_for);
}

Event draw_by_function(const Queue& queue, Generator& generator, const Array& out, Family family,
                       std::span<const double> parameters, WaitList wait_for) {
  const FamilyRow& row = row_of(family);
  const bool in_float = out.dtype().scalar == Scalar::float32;
  if (!is_real(row) && out.dtype().itemsize != 8) {
    // Functions count in 64 bits.
    const Array wide = empty(queue, out.shape(), DType::of(Scalar::int64));
    draw_by_function(queue, generator, wide, family, parameters, wait_for);
    assign(out, wide, &queue);
    return queue.marker();
  }
  const State state = generator.reserve(out.size(), 1);
  std::array<array::NumberBytes, 4> arguments{};
  arguments[0] = bytes_of(static_cast<std::uint32_t>(family));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    arguments[k + 1] = in_float ? bytes_of(static_cast<float>(parameters[k])) : bytes_of(parameters[k]);
  const bool is_one_by_one = family == Family::hypergeometric || family == Family::zipf;
  const char* const kernel = is_real(row) ? "reals" : is_one_by_one ? "counts" : "count_tiles";
  return call_sampler(state, queue, out, kernel, in_float, arguments, wait_for);
}

}  // namespace

Event draw_family(Generator& generator, const Queue& queue, const Array& out, Family family,
                  std::span<const double> parameters, WaitList wait_for) {
  const FamilyRow& row = row_of(family);
  check_types(family, queue, out.dtype());
  const bool in_float = out.dtype().scalar == Scalar::float32;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& parameter = row.parameters[k];
    // As the kernel gets it: a number above 0 may be 0 in float.
    const double value = in_float ? static_cast<double>(static_cast<float>(parameters[k])) : parameters[k];
    if (!parameter.domain.holds(parameters[k]) || !parameter.domain.holds(value))
      refuse_value(std::string(row.name) + ": expected " + parameter.name + " " + parameter.domain.text +
                   (in_float ? " in float32" : "") + ", got " + number_text(parameters[k]));
    if (parameter.is_whole && parameters[k] != std::floor(parameters[k]))
      refuse_value(std::string(row.name) + ": expected " + parameter.name + " to be an integer, got " +
                   number_text(parameters[k]));
  }
  check_together(family, parameters);
  if (!is_real(row) && reach(family, parameters) > greatest(out.dtype()))
    refuse_value(std::string(row.name) + ": numbers with " + row.parameters[0].name + " = " +
                 number_text(parameters[0]) + " may not fit " + out.dtype().name());
  if (out.size() == 0) return queue.marker(wait_for);
  constexpr algorithms::Operation kDraw(&draw_by_function, &draw_by_kernel);
  return kDraw(queue, generator, out, family, parameters, wait_for);
}

}  // namespace quern::random
