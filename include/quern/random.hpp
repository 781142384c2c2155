// SPDX-License-Identifier: MIT
// Random numbers: counter-based generators whose integers, uniforms and normals are the same on every device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "quern/array.hpp"
#include "quern/event.hpp"
#include "quern/kernel.hpp"
#include "quern/queue.hpp"

namespace quern::random {

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

// What numbers can be drawn from. Parameters are checked by the draw.
struct Uniform {
  double low = 0, high = 1;
};
struct Normal {
  double mean = 0, deviation = 1;
};
struct Lognormal {
  double mean = 0, deviation = 1;  // of the logarithm
};
struct Exponential {
  double scale = 1;
};
struct Gamma {
  double shape = 1, scale = 1;
};
// Every integer from first to last, both included. For uint64 the bits of both are taken as unsigned.
struct Integers {
  std::int64_t first = 0, last = 0;
};
struct Poisson {
  double rate = 1;
};
struct Binomial {
  std::int64_t trials = 1;
  double probability = 0.5;
};
using Distribution =
    std::variant<Uniform, Normal, Lognormal, Exponential, Gamma, Integers, Poisson, Binomial>;

// The same distributions, where parameters differ from element to element.
enum class Family : std::uint8_t {
  uniform,
  normal,
  lognormal,
  exponential,
  gamma,
  integers,
  poisson,
  binomial
};

// Draws numbers, and is safe to share between threads: no two draws get the same words. Nothing here waits
// for the device. uniform, normal, lognormal, exponential and gamma are there of float and double; integers,
// poisson and binomial of every integer type (poisson and binomial need a device with fp64).
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
  // `out`: those of the distribution's structure in their order, where it has one the second counts for
  // nothing. The upper bound of integers is one of them only with `endpoint`. Nobody looks at what the arrays
  // hold: out of its domain a distribution gives NaN, counts -1, and integers of an empty range the lower
  // bound. The numbers are not those of draws whose parameters are the same for all.
  Event draw_each(const Queue& queue, const Array& out, Family family, const KernelArgument& a,
                  const KernelArgument& b, bool endpoint = true, WaitList wait_for = {});

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

  // The integers from 0 to count - 1 in random order.
  Array permutation(const Queue& queue, std::int64_t count);
  // A copy of the array with its rows (along the first axis) in random order.
  Array permutation(const Queue& queue, const Array& array);
  // The same in place.
  Event shuffle(const Queue& queue, const Array& array, WaitList wait_for = {});

  // Indices below `count`: each equally likely, or with probabilities p, which sum to 1. Without replacement,
  // each further one is chosen from those that are left.
  Array choice(const Queue& queue, std::int64_t count, Shape shape, bool replace = true,
               std::optional<std::span<const double>> p = std::nullopt);
  // The rows of the array that these indices name.
  Array choice(const Queue& queue, const Array& array, Shape shape, bool replace = true,
               std::optional<std::span<const double>> p = std::nullopt);

 private:
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace quern::random
