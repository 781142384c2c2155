// SPDX-License-Identifier: MIT
// Counts: Poisson and binomial. For small means, probabilities are added up until they exceed a uniform
// number; otherwise transformed rejection is used (Hoermann: The transformed rejection method for generating
// Poisson random variables, 1993, and The generation of binomial random variates, 1993).
#include <algorithm>
#include <cmath>
#include <limits>

#include "random/families.hpp"

namespace quern::random {
namespace {

constexpr double kSmallMean = 10;

// ln k! minus the leading terms of Stirling's formula in k + 1.
double stirling_rest(double k) {
  return std::lgamma(k + 1) - ((k + 0.5) * std::log(k + 1) - (k + 1) + 0.91893853320467274);
}

double stirling_rest_of_any(double k) {
  if (k < 10) return stirling_rest(k);
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

}  // namespace

double greatest(const DType& dtype) {
  const bool is_unsigned = dtype.scalar >= Scalar::uint8 || dtype.scalar == Scalar::boolean;
  return std::ldexp(1.0, static_cast<int>(dtype.itemsize * 8) - (is_unsigned ? 0 : 1)) - 1;
}

Event draw_poisson(Generator& generator, const Queue& queue, const Array& out, const Poisson& distribution,
                   WaitList wait_for) {
  check_types(Family::poisson, queue, out.dtype());
  const double rate = distribution.rate;
  if (!(rate >= 0)) refuse_value("poisson: expected lam >= 0, got " + std::to_string(rate));
  // A bound that no drawn number exceeds in practice must fit the type.
  if (rate + 40 + 10 * std::sqrt(rate) > greatest(out.dtype()))
    refuse_value("poisson: numbers with lam = " + std::to_string(rate) + " may not fit " +
                 out.dtype().name());
  if (rate < kSmallMean) {
    const double parameters[] = {std::exp(-rate), rate};
    return sample(generator, queue, out, "poisson_small", parameters, wait_for);
  }
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double log_scale = std::log(1.1239 + 1.1328 / (b - 3.4));
  const double quick = 0.9277 - 3.6224 / (b - 2);
  const double log_root = 0.5 * std::log(2 * 3.14159265358979323846 * rate);
  const double parameters[] = {rate, a, b, quick, log_scale + log_root};
  return sample(generator, queue, out, "poisson", parameters, wait_for);
}

Event draw_binomial(Generator& generator, const Queue& queue, const Array& out, const Binomial& distribution,
                    WaitList wait_for) {
  check_types(Family::binomial, queue, out.dtype());
  const auto n = static_cast<double>(distribution.trials);
  if (distribution.trials < 0)
    refuse_value("binomial: expected n >= 0, got " + std::to_string(distribution.trials));
  if (!(distribution.probability >= 0 && distribution.probability <= 1))
    refuse_value("binomial: expected 0 <= p <= 1, got " + std::to_string(distribution.probability));
  if (n > greatest(out.dtype()))
    refuse_value("binomial: n = " + std::to_string(distribution.trials) + " does not fit " +
                 out.dtype().name());
  // The rarer of the two outcomes is counted.
  const bool flipped = distribution.probability > 0.5;
  const double p = flipped ? 1 - distribution.probability : distribution.probability, q = 1 - p;
  if (n * p < kSmallMean) {
    const double parameters[] = {n, flipped ? 1.0 : 0.0, std::exp(n * std::log1p(-p)), p / q};
    return sample(generator, queue, out, "binomial_small", parameters, wait_for);
  }
  const double deviation = std::sqrt(n * p * q);
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double mode = std::floor((n + 1) * p);
  const double parameters[] = {n,
                               flipped ? 1.0 : 0.0,
                               n * p + 0.5,
                               a,
                               b,
                               0.92 - 4.2 / b,
                               std::log((2.83 + 5.1 / b) * deviation),
                               mode,
                               std::log(p / q * ((n - mode + 1) / (mode + 1))),
                               stirling_rest_of_any(mode) + stirling_rest_of_any(n - mode)};
  return sample(generator, queue, out, "binomial", parameters, wait_for);
}

}  // namespace quern::random
