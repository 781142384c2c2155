// SPDX-License-Identifier: MIT
// Strategies: which configuration is measured next.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include "quern/tune.hpp"

namespace quern::tuning {

// A random number below `count`, the same with every standard library.
inline std::uint64_t draw(std::mt19937_64& random, std::uint64_t count) {
  const std::uint64_t most = std::mt19937_64::max() - std::mt19937_64::max() % count;
  for (;;)
    if (const std::uint64_t word = random(); word < most) return word % count;
}
inline double draw_unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

// The logarithm of a time, which may be 0 on a coarse clock.
inline double logarithm_of(double seconds) {
  return std::log(std::max(seconds, 1e-12));
}

// The configurations of a space that the restrictions allow, each of which is taken once.
class Supply {
 public:
  // check() is called now and then while restrictions are asked; what it throws ends that.
  Supply(const TuneSpace& space, std::function<void()> check);

  [[nodiscard]] const TuneSpace& space() const noexcept { return space_; }
  // Whether the allowed configurations of the space are few enough to be kept as a list.
  [[nodiscard]] bool can_be_listed() const noexcept;
  // Asks the restrictions each time if they are not listed.
  [[nodiscard]] bool allows(std::uint64_t number);
  [[nodiscard]] bool is_taken(std::uint64_t number) const { return taken_.contains(number); }
  void take(std::uint64_t number) { taken_.insert(number); }
  // An allowed configuration that is not taken, or nothing if there seem to be none.
  std::optional<std::uint64_t> any(std::mt19937_64& random);
  // Up to `most` different ones.
  std::vector<std::uint64_t> some(std::mt19937_64& random, std::size_t most);
  // All, in order, if the space is small enough to be listed; else nothing.
  [[nodiscard]] const std::vector<std::uint64_t>* all();
  // The most configurations that can be measured.
  [[nodiscard]] std::uint64_t count();

 private:
  const TuneSpace& space_;
  std::function<void()> check_;
  unsigned asked_ = 0;
  std::unordered_set<std::uint64_t> taken_;
  std::optional<std::vector<std::uint64_t>> list_;
};

class Strategy {
 public:
  Strategy(Supply& supply, std::uint64_t seed) : supply_(supply), random_(seed) {}
  virtual ~Strategy() = default;
  // The next configuration, which the strategy takes from the supply; nothing if the search is over. It may
  // be asked again before it is told what came of the last ones.
  virtual std::optional<std::uint64_t> next() = 0;
  // The seconds of a configuration that was taken; infinite if it cannot be used.
  virtual void tell(std::uint64_t number, double seconds) = 0;

 protected:
  Supply& supply_;
  std::mt19937_64 random_;
};

std::unique_ptr<Strategy> make_strategy(TuneStrategy strategy, Supply& supply, std::uint64_t seed);
std::unique_ptr<Strategy> make_bayes(Supply& supply, std::uint64_t seed);

}  // namespace quern::tuning
