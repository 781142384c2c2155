// SPDX-License-Identifier: MIT
// Random numbers: counter-based generators whose integers, uniforms and normals are the same on every device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/kernel.hpp"
#include "quern/queue.hpp"

namespace quern {
namespace QUERN_API random {

enum class Engine : std::uint8_t {
  philox,    // Philox4x32-10
  threefry,  // Threefry4x32-20
};

using Words = std::array<std::uint32_t, 4>;

// The engine itself: four words of a counter and a key; Philox uses the first two words of the key.
Words block(Engine engine, const Words& counter, const Words& key);

// All that a generator is. The numbers are one long row of 32-bit words, and a draw takes the next of them:
// word w of block b is word 4 b + w. Philox counts blocks with the counter (low b, high b, key[2] + jumps,
// 0), Threefry with (low b, high b, jumps, 0); samplers that reject use counters with another last word.
struct State {
  Engine engine = Engine::philox;
  Words key = {};
  std::uint32_t jumps = 0;
  std::uint64_t position = 0;  // the next word
  std::uint64_t children = 0;  // streams spawned so far
};

// A state whose key is made of the seed, all words of which count.
State seeded(std::span<const std::uint32_t> seed, Engine engine = Engine::philox);
State seeded(std::uint64_t seed, Engine engine = Engine::philox);
State from_entropy(Engine engine = Engine::philox);  // of the operating system

// Distributions, by the names of NumPy's methods.
enum class Family : std::uint8_t {
  uniform,
  normal,
  lognormal,
  exponential,
  gamma,
  integers,
  poisson,
  binomial,
  beta,
  chisquare,
  f,
  gumbel,
  laplace,
  log_gamma,  // the logarithm of a gamma number of scale 1, which keeps those of tiny shapes apart
  logistic,
  noncentral_chisquare,
  noncentral_f,
  pareto,
  power,
  rayleigh,
  standard_cauchy,
  standard_t,
  triangular,
  vonmises,
  wald,
  weibull,
  geometric,
  hypergeometric,
  logseries,
  negative_binomial,
  zipf,
};

// The values that a parameter may have: an interval whose ends may be left out.
struct Domain {
  const char* text;  // such as ">= 0 and finite"
  double least, most;
  bool has_least, has_most;
  [[nodiscard]] bool holds(double value) const {
    return (has_least ? value >= least : value > least) && (has_most ? value <= most : value < most);
  }
};
struct Parameter {
  const char* name;  // as NumPy calls it
  Domain domain;
  bool is_whole = false;  // takes integers only
};
const char* name_of(Family family);
std::span<const Parameter> parameters_of(Family family);
// Throws ArgumentError where no distribution is called so.
Family family_of(std::string_view name);

// Distributions with their parameters, which the draw checks.
struct Uniform {
  static constexpr Family family = Family::uniform;
  double low = 0, high = 1;
};
struct Normal {
  static constexpr Family family = Family::normal;
  double mean = 0, deviation = 1;
};
struct Lognormal {
  static constexpr Family family = Family::lognormal;
  double mean = 0, deviation = 1;  // of the logarithm
};
struct Exponential {
  static constexpr Family family = Family::exponential;
  double scale = 1;
};
struct Gamma {
  static constexpr Family family = Family::gamma;
  double shape = 1, scale = 1;
};
// Every integer from first to last, both included. For uint64 the bits of both are taken as unsigned.
struct Integers {
  static constexpr Family family = Family::integers;
  std::int64_t first = 0, last = 0;
};
struct Poisson {
  static constexpr Family family = Family::poisson;
  double rate = 1;
};
struct Binomial {
  static constexpr Family family = Family::binomial;
  std::int64_t trials = 1;
  double probability = 0.5;
};
struct Beta {
  static constexpr Family family = Family::beta;
  double a = 1, b = 1;
};
struct Chisquare {
  static constexpr Family family = Family::chisquare;
  double degrees = 1;  // of freedom
};
struct F {
  static constexpr Family family = Family::f;
  double numerator_degrees = 1, denominator_degrees = 1;
};
struct Gumbel {
  static constexpr Family family = Family::gumbel;
  double location = 0, scale = 1;
};
struct Laplace {
  static constexpr Family family = Family::laplace;
  double location = 0, scale = 1;
};
struct LogGamma {
  static constexpr Family family = Family::log_gamma;
  double shape = 1;
};
struct Logistic {
  static constexpr Family family = Family::logistic;
  double location = 0, scale = 1;
};
struct NoncentralChisquare {
  static constexpr Family family = Family::noncentral_chisquare;
  double degrees = 1, noncentrality = 0;
};
struct NoncentralF {
  static constexpr Family family = Family::noncentral_f;
  double numerator_degrees = 1, denominator_degrees = 1, noncentrality = 0;
};
// Of the second kind, which begins at 0: also called Lomax.
struct Pareto {
  static constexpr Family family = Family::pareto;
  double shape = 1;
};
// Numbers from 0 to 1 with a density proportional to x^(exponent - 1).
struct Power {
  static constexpr Family family = Family::power;
  double exponent = 1;
};
struct Rayleigh {
  static constexpr Family family = Family::rayleigh;
  double scale = 1;
};
struct StandardCauchy {
  static constexpr Family family = Family::standard_cauchy;
};
struct StandardT {
  static constexpr Family family = Family::standard_t;
  double degrees = 1;
};
struct Triangular {
  static constexpr Family family = Family::triangular;
  double left = 0, mode = 0.5, right = 1;
};
// Angles from -pi to pi.
struct VonMises {
  static constexpr Family family = Family::vonmises;
  double mean = 0, concentration = 1;
};
struct Wald {
  static constexpr Family family = Family::wald;
  double mean = 1, scale = 1;
};
struct Weibull {
  static constexpr Family family = Family::weibull;
  double shape = 1;
};
// How many trials a first success takes.
struct Geometric {
  static constexpr Family family = Family::geometric;
  double probability = 0.5;
};
// How many of a sample without replacement are good.
struct Hypergeometric {
  static constexpr Family family = Family::hypergeometric;
  double good = 1, bad = 1, sample = 1;
};
struct Logseries {
  static constexpr Family family = Family::logseries;
  double probability = 0.5;
};
// How many trials fail before there are so many successes.
struct NegativeBinomial {
  static constexpr Family family = Family::negative_binomial;
  double successes = 1, probability = 0.5;
};
struct Zipf {
  static constexpr Family family = Family::zipf;
  double exponent = 2;
};
using Distribution =
    std::variant<Uniform, Normal, Lognormal, Exponential, Gamma, Integers, Poisson, Binomial, Beta, Chisquare,
                 F, Gumbel, Laplace, LogGamma, Logistic, NoncentralChisquare, NoncentralF, Pareto, Power,
                 Rayleigh, StandardCauchy, StandardT, Triangular, VonMises, Wald, Weibull, Geometric,
                 Hypergeometric, Logseries, NegativeBinomial, Zipf>;
// A distribution by its family and its parameters, whose number is checked.
Distribution distribution_of(Family family, std::span<const double> parameters);

// Draws numbers, and is safe to share between threads: no two draws get the same words. Nothing here waits
// for the device. Real numbers are there of float and double, integers and counts of every integer type;
// counts and the noncentral distributions need a device with fp64.
class Generator {
 public:
  explicit Generator(std::uint64_t seed, Engine engine = Engine::philox) : Generator(seeded(seed, engine)) {}
  explicit Generator(const State& state) : state_(state) {}
  Generator(const Generator& other) : Generator(other.state()) {}
  Generator& operator=(const Generator& other);

  [[nodiscard]] State state() const;
  void set_state(const State& state);
  // New generators, whose numbers are independent of these and of each other's.
  std::vector<Generator> spawn(std::size_t count);
  // This generator as if it had drawn 2^64 words, so many times over.
  [[nodiscard]] Generator jumped(std::uint32_t jumps = 1) const;
  void advance(std::uint64_t words);
  // Takes so many words, from a multiple of `alignment` on, for a kernel of one's own: the state with the
  // first word's position.
  State reserve(std::uint64_t words, std::uint64_t alignment = 4);

  // Numbers of Uniform, Normal, Exponential and Integers are an expression: what reads them computes them
  // where it needs them, the same bits that a draw into memory has, and they are put into memory when
  // somebody looks at them all. Their words are taken now, so that it does not matter when.
  Array draw(const Queue& queue, Shape shape, DType dtype, const Distribution& distribution);
  Event draw(const Queue& queue, const Array& out, const Distribution& distribution, WaitList wait_for = {});

  // With parameters that are numbers or arrays on the queue's device, which are broadcast to the shape of
  // `out`: those of parameters_of(family) in their order. The upper bound of integers is one of them only
  // with `endpoint`. The values of arrays are not checked: out of its domain a distribution gives NaN, counts
  // -1, and integers of an empty range the lower bound. Uniform, normal, lognormal,
  // exponential and integer numbers are not those of draws whose parameters are the same for all.
  Event draw_each(const Queue& queue, const Array& out, Family family,
                  const std::vector<KernelArgument>& parameters, bool endpoint = true,
                  WaitList wait_for = {});

  template <class T>
  Array random(Shape shape, const Queue& queue) {
    return draw(queue, std::move(shape), dtype_of<T>(), Uniform{});
  }
  template <class T>
  Array uniform(Shape shape, const Queue& queue, double low = 0, double high = 1) {
    return draw(queue, std::move(shape), dtype_of<T>(), Uniform{low, high});
  }
  template <class T>
  Array normal(Shape shape, const Queue& queue, double mean = 0, double deviation = 1) {
    return draw(queue, std::move(shape), dtype_of<T>(), Normal{mean, deviation});
  }
  template <class T>
  Array integers(Shape shape, const Queue& queue, T first, T last) {
    return draw(queue, std::move(shape), dtype_of<T>(),
                Integers{static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)});
  }

  // Rows of numbers that depend on each other, along a last axis that comes after those of `shape`.
  //
  // Shares of 1, by weights `alpha` of one axis that are not negative. Weights that the dtype holds as
  // subnormal numbers only count as equal.
  Array dirichlet(const Queue& queue, Shape shape, const Array& alpha);
  // Normal numbers of the covariance factor factor^T, around a mean of one axis.
  Array multivariate_normal(const Queue& queue, Shape shape, const Array& mean, const Array& factor);
  // How often each outcome comes up in so many trials (int64). The last axis of `p` (float64) has their
  // probabilities, the last of which is what the others leave; the others and `trials` (int64) broadcast to
  // `shape`.
  Array multinomial(const Queue& queue, Shape shape, const Array& trials, const Array& p);
  // How many of each colour there are in a sample without replacement (int64); there are fewer than 10^9.
  Array multivariate_hypergeometric(const Queue& queue, Shape shape, std::span<const std::int64_t> colors,
                                    std::int64_t sample);

  // The integers from 0 to count - 1 in random order.
  Array permutation(const Queue& queue, std::int64_t count);
  // A copy of the array with what is along an axis in random order.
  Array permutation(const Queue& queue, const Array& array, int axis = 0);
  // The same in place.
  Event shuffle(const Queue& queue, const Array& array, int axis = 0, WaitList wait_for = {});
  // A copy whose lines along an axis have orders of their own; without an axis, all elements in random order.
  Array permuted(const Queue& queue, const Array& array, std::optional<int> axis = std::nullopt);

  // Indices below `count`: each equally likely, or with probabilities p, which sum to 1. Without replacement,
  // each further one is chosen from those that are left.
  Array choice(const Queue& queue, std::int64_t count, Shape shape, bool replace = true,
               std::optional<std::span<const double>> p = std::nullopt);
  // What these indices name along an axis of the array, whose place in its shape `shape` takes.
  Array choice(const Queue& queue, const Array& array, Shape shape, bool replace = true,
               std::optional<std::span<const double>> p = std::nullopt, int axis = 0);

 private:
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace random
}  // namespace quern
