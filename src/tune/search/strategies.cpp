// SPDX-License-Identifier: MIT
// Brute force, random order and simulated annealing.
#include "tune/search/strategies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "quern/error.hpp"

namespace quern {
namespace tuning {
namespace {

constexpr std::uint64_t kMostListed = std::uint64_t{1} << 20;
constexpr unsigned kAskedBetweenChecks = 64;
constexpr int kTries = 10000;  // random draws before a space counts as used up

class Brute final : public Strategy {
 public:
  using Strategy::Strategy;
  std::optional<std::uint64_t> next() override {
    for (; at_ < supply_.space().size(); ++at_) {
      if (supply_.is_taken(at_) || !supply_.allows(at_)) continue;
      supply_.take(at_);
      return at_++;
    }
    return std::nullopt;
  }
  void tell(std::uint64_t /*number*/, double /*seconds*/) override {}

 private:
  std::uint64_t at_ = 0;
};

class RandomOrder final : public Strategy {
 public:
  using Strategy::Strategy;
  std::optional<std::uint64_t> next() override {
    const auto number = supply_.any(random_);
    if (number) supply_.take(*number);
    return number;
  }
  void tell(std::uint64_t /*number*/, double /*seconds*/) override {}
};

// Each step changes one parameter, often to a neighbouring value. A slower configuration is accepted with a
// probability that falls with its slowness and with the number of steps. After many steps without an
// improvement it starts again elsewhere.
class Anneal final : public Strategy {
 public:
  Anneal(Supply& supply, std::uint64_t seed) : Strategy(supply, seed) {
    const double size = static_cast<double>(std::max<std::uint64_t>(supply.count(), 2));
    cooling_ = std::exp(-1.5 / std::clamp(size / 40, 10.0, 100.0));
  }

  std::optional<std::uint64_t> next() override {
    std::optional<std::uint64_t> number;
    // After a start, three draws elsewhere show where to go on from.
    if (current_ && draws_ >= kDraws) number = neighbour();
    if (!number) {
      number = supply_.any(random_);
      ++draws_;
    }
    if (number) supply_.take(*number);
    return number;
  }

  void tell(std::uint64_t number, double seconds) override {
    known_[number] = seconds;
    if (seconds < best_seconds_) {
      best_ = number;
      best_seconds_ = seconds;
      since_best_ = 0;
    } else if (++since_best_ >= kPatience && std::isfinite(best_seconds_)) {
      current_ = best_;
      current_seconds_ = best_seconds_;
      temperature_ = kFirstTemperature / 2;
      since_best_ = draws_ = 0;
      return;
    }
    if (!std::isfinite(seconds)) return;
    const double slower = logarithm_of(seconds) - logarithm_of(current_seconds_);
    if (!current_ || slower <= 0 || draw_unit(random_) < std::exp(-slower / temperature_)) {
      current_ = number;
      current_seconds_ = seconds;
    }
    temperature_ *= cooling_;
  }

 private:
  static constexpr double kFirstTemperature = 0.3;
  static constexpr int kDraws = 4, kPatience = 30;

  std::optional<std::uint64_t> neighbour() {
    const auto& parameters = supply_.space().parameters();
    for (int attempt = 0; attempt < 200; ++attempt) {
      std::vector<std::size_t> index = supply_.space().indices(*current_);
      // Far steps become likelier when the near ones are used up.
      const int changes = 1 + (attempt > 50 ? 1 : 0) + (attempt > 100 ? 1 : 0);
      for (int change = 0; change < changes; ++change) {
        const auto p = static_cast<std::size_t>(draw(random_, parameters.size()));
        const std::size_t count = parameters[p].values.size();
        if (draw(random_, 3) != 0) {
          const bool up = draw(random_, 2) != 0;
          if (up ? index[p] + 1 < count : index[p] > 0) index[p] = up ? index[p] + 1 : index[p] - 1;
        } else {
          index[p] = static_cast<std::size_t>(draw(random_, count));
        }
      }
      const std::uint64_t number = supply_.space().number(index);
      if (const auto found = known_.find(number); found != known_.end()) {
        // A step to a known place costs nothing.
        const double slower = logarithm_of(found->second) - logarithm_of(current_seconds_);
        if (number != *current_ && std::isfinite(found->second) &&
            (slower <= 0 || draw_unit(random_) < std::exp(-slower / temperature_))) {
          current_ = number;
          current_seconds_ = found->second;
        }
      } else if (!supply_.is_taken(number) && supply_.allows(number)) {
        return number;
      }
    }
    return std::nullopt;
  }

  std::unordered_map<std::uint64_t, double> known_;
  std::optional<std::uint64_t> current_, best_;
  double current_seconds_ = std::numeric_limits<double>::infinity();
  double best_seconds_ = std::numeric_limits<double>::infinity();
  double temperature_ = kFirstTemperature, cooling_ = 0.95;
  int draws_ = 0, since_best_ = 0;
};

}  // namespace

Supply::Supply(const TuneSpace& space, std::function<void()> check)
    : space_(space), check_(std::move(check)) {}

bool Supply::can_be_listed() const noexcept {
  return space_.size() <= kMostListed;
}

bool Supply::allows(std::uint64_t number) {
  if (list_) return std::binary_search(list_->begin(), list_->end(), number);
  if (++asked_ % kAskedBetweenChecks == 0) check_();
  return space_.allows(number);
}

const std::vector<std::uint64_t>* Supply::all() {
  if (!can_be_listed()) return nullptr;
  if (!list_) {
    std::vector<std::uint64_t> list;
    for (std::uint64_t number = 0; number < space_.size(); ++number)
      if (allows(number)) list.push_back(number);
    list_ = std::move(list);
  }
  return &*list_;
}

std::uint64_t Supply::count() {
  const auto* const list = all();
  return list != nullptr ? list->size() : space_.size();
}

std::optional<std::uint64_t> Supply::any(std::mt19937_64& random) {
  const auto* const list = all();
  if (list == nullptr) {
    for (int attempt = 0; attempt < kTries; ++attempt)
      if (const std::uint64_t number = draw(random, space_.size()); !is_taken(number) && allows(number))
        return number;
    return std::nullopt;
  }
  if (list->empty()) return std::nullopt;
  for (int attempt = 0; attempt < 20; ++attempt)
    if (const std::uint64_t number = (*list)[static_cast<std::size_t>(draw(random, list->size()))];
        !is_taken(number))
      return number;
  std::vector<std::uint64_t> left;
  for (const std::uint64_t number : *list)
    if (!is_taken(number)) left.push_back(number);
  if (left.empty()) return std::nullopt;
  return left[static_cast<std::size_t>(draw(random, left.size()))];
}

std::vector<std::uint64_t> Supply::some(std::mt19937_64& random, std::size_t most) {
  std::vector<std::uint64_t> result;
  if (const auto* const list = all()) {
    for (const std::uint64_t number : *list)
      if (!is_taken(number)) result.push_back(number);
    for (std::size_t i = 0; i < most && result.size() > most; ++i)
      std::swap(result[i], result[i + static_cast<std::size_t>(draw(random, result.size() - i))]);
    if (result.size() > most) result.resize(most);
    return result;
  }
  std::unordered_set<std::uint64_t> drawn;
  for (std::size_t attempt = 0; attempt < 4 * most && result.size() < most; ++attempt)
    if (const std::uint64_t number = draw(random, space_.size());
        !is_taken(number) && allows(number) && drawn.insert(number).second)
      result.push_back(number);
  return result;
}

std::unique_ptr<Strategy> make_strategy(TuneStrategy strategy, Supply& supply, std::uint64_t seed) {
  switch (strategy) {
    case TuneStrategy::random:
      return std::make_unique<RandomOrder>(supply, seed);
    case TuneStrategy::anneal:
      return std::make_unique<Anneal>(supply, seed);
    case TuneStrategy::bayes:
      return make_bayes(supply, seed);
    case TuneStrategy::brute:
      break;
  }
  return std::make_unique<Brute>(supply, seed);
}

}  // namespace tuning

const char* name_of(TuneStrategy strategy) noexcept {
  switch (strategy) {
    case TuneStrategy::random:
      return "random";
    case TuneStrategy::anneal:
      return "anneal";
    case TuneStrategy::bayes:
      return "bayes";
    case TuneStrategy::brute:
      break;
  }
  return "brute";
}

TuneStrategy tune_strategy(std::string_view name) {
  for (const TuneStrategy strategy :
       {TuneStrategy::brute, TuneStrategy::random, TuneStrategy::anneal, TuneStrategy::bayes})
    if (name == name_of(strategy)) return strategy;
  throw ArgumentError(
      ArgumentError::Kind::value,
      "strategy: expected \"brute\", \"random\", \"anneal\" or \"bayes\", got \"" + std::string(name) + "\"");
}

}  // namespace quern
