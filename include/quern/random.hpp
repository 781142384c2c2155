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

// The engine: maps a counter and a key to four words; Philox uses the first two words of the key.
Words block(Engine engine, const Words& counter, const Words& key);

// The state of a generator. The numbers are one sequence of 32-bit words, and a draw takes the next words:
// word w of block b is word 4 b + w. Philox counts blocks with the counter (low b, high b, key[2] + jumps,
// 0), Threefry with (low b, high b, jumps, 0). Samplers that reject use counters with another last word.
struct State {
  Engine engine = Engine::philox;
  Words key = {};
  std::uint32_t jumps = 0;
  std::uint64_t position = 0;  // position of the next word
  std::uint64_t children = 0;  // number of spawned streams
};

// A state whose key depends on all words of the seed.
State seeded(std::span<const std::uint32_t> seed, Engine engine = Engine::philox);
State seeded(std::uint64_t seed, Engine engine = Engine::philox);
State from_entropy(Engine engine = Engine::philox);  // entropy of the operating system

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
  log_gamma,  // the logarithm of a gamma number of scale 1, which resolves tiny shapes
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

// The domain of a parameter: an interval whose ends may be excluded.
struct Domain {
  const char* text;  // such as ">= 0 and finite"
  double least, most;
  bool has_least, has_most;
  [[nodiscard]] bool holds(double value) const {
    return (has_least ? value >= least : value > least) && (has_most ? value <= most : value < most);
  }
};
struct Parameter {
  const char* name;  // NumPy's name
  Domain domain;
  bool is_whole = false;  // integers only
};
const char* name_of(Family family);
std::span<const Parameter> parameters_of(Family family);
// Throws ArgumentError if there is no distribution of this name.
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
// Integers from first to last, both inclusive. For uint64 the bits of both are read as unsigned.
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
  double degrees = 1;  // degrees of freedom
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
// The Pareto distribution of the second kind (Lomax), which starts at 0.
struct Pareto {
  static constexpr Family family = Family::pareto;
  double shape = 1;
};
// Numbers in [0, 1] with a density proportional to x^(exponent - 1).
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
// Number of trials until the first success.
struct Geometric {
  static constexpr Family family = Family::geometric;
  double probability = 0.5;
};
// Number of good items in a sample without replacement.
struct Hypergeometric {
  static constexpr Family family = Family::hypergeometric;
  double good = 1, bad = 1, sample = 1;
};
struct Logseries {
  static constexpr Family family = Family::logseries;
  double probability = 0.5;
};
// Number of failures before `successes` successes.
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
// A distribution by its family and its parameters; the number of parameters is checked.
Distribution distribution_of(Family family, std::span<const double> parameters);

// Draws numbers. Threads may share a generator: no two draws get the same words. No function waits for the
// device. Real numbers are float or double, integers and counts any integer type. Counts and the noncentral
// distributions need a device with fp64.
class Generator {
 public:
  explicit Generator(std::uint64_t seed, Engine engine = Engine::philox) : Generator(seeded(seed, engine)) {}
  explicit Generator(const State& state) : state_(state) {}
  Generator(const Generator& other) : Generator(other.state()) {}
  Generator& operator=(const Generator& other);

  [[nodiscard]] State state() const;
  void set_state(const State& state);
  // Child generators, which are independent of this one and of each other.
  std::vector<Generator> spawn(std::size_t count);
  // This generator advanced by `jumps` times 2^64 words.
  [[nodiscard]] Generator jumped(std::uint32_t jumps = 1) const;
  void advance(std::uint64_t words, std::uint32_t jumps = 0);  // by words + jumps * 2^64 words
  // Reserves words for the caller's own kernel, starting at a multiple of `alignment`; returns the state at
  // the first word.
  State reserve(std::uint64_t words, std::uint64_t alignment = 4);

  // Draws of Uniform, Normal, Exponential and Integers are lazy expressions: the kernel that reads them
  // computes them, with the same bits as a draw into memory. They are stored when the array itself is
  // evaluated. The call reserves the words, so the time of evaluation does not matter.
  Array draw(const Queue& queue, Shape shape, DType dtype, const Distribution& distribution);
  Event draw(const Queue& queue, const Array& out, const Distribution& distribution, WaitList wait_for = {});

  // Draws with parameters that are numbers or arrays on the queue's device, broadcast to the shape of `out`,
  // in the order of parameters_of(family). The upper bound of integers is inclusive only with `endpoint`.
  // Array values are not checked: outside its domain a distribution returns NaN, a count -1, and integers of
  // an empty range the lower bound. Uniform, normal, lognormal, exponential and integer numbers differ from
  // those of draws with single numbers as parameters.
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

  // Multivariate draws; the components lie along a last axis after those of `shape`.
  //
  // Dirichlet: fractions that sum to 1, for non-negative weights `alpha` of one axis. Weights that are
  // subnormal in the dtype count as equal.
  Array dirichlet(const Queue& queue, Shape shape, const Array& alpha);
  // Multivariate normal numbers with covariance factor factor^T and a mean of one axis.
  Array multivariate_normal(const Queue& queue, Shape shape, const Array& mean, const Array& factor);
  // Counts of each outcome in `trials` trials (int64). The last axis of `p` (float64) has the probabilities;
  // the last probability is the remainder to 1. The other axes and `trials` (int64) broadcast to `shape`.
  Array multinomial(const Queue& queue, Shape shape, const Array& trials, const Array& p);
  // Counts of each colour in a sample without replacement (int64); all colours together have fewer than 10^9
  // items.
  Array multivariate_hypergeometric(const Queue& queue, Shape shape, std::span<const std::int64_t> colors,
                                    std::int64_t sample);

  // A random permutation of the integers from 0 to count - 1.
  Array permutation(const Queue& queue, std::int64_t count);
  // A copy of the array with its slices along an axis permuted.
  Array permutation(const Queue& queue, const Array& array, int axis = 0);
  // The same in place.
  Event shuffle(const Queue& queue, const Array& array, int axis = 0, WaitList wait_for = {});
  // A copy in which each line along an axis is permuted independently; without an axis, all elements.
  Array permuted(const Queue& queue, const Array& array, std::optional<int> axis = std::nullopt);

  // Indices below `count`: equally likely, or with probabilities p, which sum to 1. Without replacement, each
  // further index is chosen from the remaining ones.
  Array choice(const Queue& queue, std::int64_t count, Shape shape, bool replace = true,
               std::optional<std::span<const double>> p = std::nullopt);
  // The slices of the array at these indices along an axis; `shape` replaces that axis.
  Array choice(const Queue& queue, const Array& array, Shape shape, bool replace = true,
               std::optional<std::span<const double>> p = std::nullopt, int axis = 0);

 private:
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace random
}  // namespace quern
