// SPDX-License-Identifier: MIT
// The search: compiles candidates ahead, verifies them, times them in turn, and lets the best run off.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/long_work.hpp"
#include "base/signals.hpp"
#include "quern/error.hpp"
#include "quern/tune.hpp"
#include "tune/search/strategies.hpp"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostBatch = 16;
constexpr std::size_t kMostInRunOff = 5;
constexpr double kNearBest = 1.15;  // of the run-off
constexpr double kSureSeconds = 1e-3;
constexpr auto kSlice = std::chrono::milliseconds(50);

std::string text_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

// A configuration on its way through the search.
struct Trial {
  std::uint64_t number = 0;
  TuneCandidate candidate;
  double shortest = std::numeric_limits<double>::infinity();
  bool is_prepared = false;
};

using Batch = std::vector<std::unique_ptr<Trial>>;

// Prepares a batch on threads of its own, or in wait_for() if none can start.
class Preparation {
 public:
  Preparation(TuneTarget& target, Batch& batch, unsigned threads) : target_(target), batch_(batch) {
    const std::size_t count = std::min<std::size_t>(std::max(threads, 1U), batch.size());
    threads_.reserve(count);
    try {
      const ThreadSignals signals;
      while (threads_.size() < count) {
        begin_work();
        threads_.emplace_back([this] {
          never_show_work_of_this_thread();
          work();
        });
      }
    } catch (const std::system_error&) {  // those that have started do the work
      end_work();
    }
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  ~Preparation() {
    cancelled_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  // No further candidates are begun.
  void cancel() { cancelled_ = true; }
  // False if work is left when the time has passed.
  bool wait_for(Clock::duration duration) {
    if (threads_.empty()) {
      const Clock::time_point until = Clock::now() + duration;
      while (prepare_next())
        if (Clock::now() >= until) return false;
      return true;
    }
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, duration, [&] { return working_ == 0; });
  }
  // What ends the search: DeviceLost or TuneStop; null if nothing does.
  [[nodiscard]] std::exception_ptr fatal() {
    const std::lock_guard lock(mutex_);
    return fatal_;
  }

 private:
  void work() noexcept {
    while (prepare_next()) {
    }
    end_work();
  }
  // False if there is none.
  bool prepare_next() noexcept {
    const std::size_t i = next_++;
    if (i >= batch_.size() || cancelled_) return false;
    Trial& trial = *batch_[i];
    try {
      target_.prepare(trial.candidate.configuration);
      trial.is_prepared = true;
    } catch (const TuneStop&) {
      end_by(std::current_exception());
    } catch (const DeviceLost&) {
      end_by(std::current_exception());
    } catch (...) {
      trial.candidate.status = TuneStatus::not_prepared;
      trial.candidate.error = text_of_current_exception();
    }
    return true;
  }
  void begin_work() {
    const std::lock_guard lock(mutex_);
    ++working_;
  }
  void end_work() noexcept {
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) ended_.notify_all();
  }
  void end_by(std::exception_ptr error) {
    cancelled_ = true;
    const std::lock_guard lock(mutex_);
    if (!fatal_) fatal_ = std::move(error);
  }

  TuneTarget& target_;
  Batch& batch_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t working_ = 0;  // guarded by the mutex, as the next
  std::exception_ptr fatal_;
  std::vector<std::thread> threads_;
};

struct OutOfTime {};

class Search {
 public:
  Search(TuneTarget& target, const TuneSpace& space, const TuneOptions& options)
      : target_(target), space_(space), options_(options), supply_(space, [this] { check_supply(); }) {
    if (options.repeats == 0) throw ArgumentError(ArgumentError::Kind::value, "repeats: must be at least 1");
    if (!(options.hopeless > 1)) throw ArgumentError(ArgumentError::Kind::value, "hopeless: must be above 1");
    threads_ = options.threads != 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1U);
    result_.strategy = options.strategy;
    result_.seed = options.seed;
  }

  TuneResult run() {
    try {
      count();
      look_at_all();
      run_off();
    } catch (const TuneStop&) {
      result_.interrupted = true;
    } catch (const OutOfTime&) {
      result_.timed_out = true;
    }
    choose();
    result_.seconds = elapsed();
    report();
    return std::move(result_);
  }

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  [[nodiscard]] bool is_out_of_time() const { return elapsed() > options_.time_limit; }

  void check_stop() {
    if (options_.should_stop && options_.should_stop()) throw TuneStop{};
  }
  // Ends the search if that is due. The first candidate is measured whatever the time.
  void check() {
    check_stop();
    if ((has_time_ || !result_.candidates.empty()) && is_out_of_time()) throw OutOfTime{};
  }
  // The same while the restrictions are asked, of which a space that cannot be listed may have no end.
  void check_supply() {
    check_stop();
    if ((asked_ != 0 || !supply_.can_be_listed()) && is_out_of_time()) throw OutOfTime{};
  }

  // How much there is to search. It asks the restrictions, so that it can be stopped, too.
  void count() {
    result_.space_size = supply_.count();
    most_ = result_.space_size;
    if (options_.max_evaluations != 0) {
      most_ = std::min<std::uint64_t>(most_, options_.max_evaluations);
    } else if (options_.strategy != TuneStrategy::brute) {
      most_ = std::min(most_, std::max<std::uint64_t>(result_.space_size / 10, 50));
    }
    if (most_ == 0)
      throw ArgumentError(ArgumentError::Kind::value, "parameters: the restrictions exclude all values");
    strategy_ = tuning::make_strategy(options_.strategy, supply_, options_.seed);
  }

  // Those that were found when the time is over are the last ones.
  Batch next_batch() {
    Batch batch;
    try {
      fill(batch);
    } catch (const OutOfTime&) {
      if (asked_ == 0) throw;
      result_.timed_out = true;
      most_ = asked_;
    }
    return batch;
  }

  void fill(Batch& batch) {
    const auto add = [&](std::uint64_t number) {
      batch.push_back(std::make_unique<Trial>());
      batch.back()->number = number;
      batch.back()->candidate.configuration = space_.at(number);
      ++asked_;
    };
    if (asked_ == 0) {
      if (const auto number = default_number()) {
        supply_.take(*number);
        add(*number);
        has_default_ = true;
      }
    }
    // Small batches inform a strategy that learns; large ones keep the compilers busy.
    const bool learns = options_.strategy == TuneStrategy::bayes || options_.strategy == TuneStrategy::anneal;
    const std::size_t size = std::clamp<std::size_t>(threads_, 2, learns ? 4 : kMostBatch);
    while (batch.size() < size && asked_ < most_) {
      const auto number = strategy_->next();
      if (!number) {
        most_ = asked_;
        break;
      }
      add(*number);
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> default_number() {
    if (!options_.defaults) {
      const std::vector<std::size_t> first(space_.parameters().size(), 0);
      const std::uint64_t number = space_.number(first);
      return supply_.allows(number) ? std::optional(number) : std::nullopt;
    }
    const auto number = space_.number(*options_.defaults);
    if (!number)
      throw ArgumentError(ArgumentError::Kind::value, "defaults: (" + options_.defaults->text() +
                                                          ") does not belong to the parameters' values");
    if (!supply_.allows(*number))
      throw ArgumentError(ArgumentError::Kind::value,
                          "defaults: (" + options_.defaults->text() + ") is excluded by a restriction");
    return number;
  }

  // A batch, and the threads that prepare it, which end before it does.
  struct Step {
    Batch batch;
    std::unique_ptr<Preparation> preparation;
  };
  std::unique_ptr<Step> begin_next() {
    auto step = std::make_unique<Step>();
    step->batch = next_batch();
    if (!step->batch.empty())
      step->preparation = std::make_unique<Preparation>(target_, step->batch, threads_);
    return step;
  }

  void look_at_all() {
    std::unique_ptr<Step> step = begin_next();
    while (!step->batch.empty()) {
      std::unique_ptr<Step> next;
      try {
        wait_for(*step->preparation);
        if (options_.compiles_while_measuring) next = begin_next();
        measure(step->batch);
      } catch (...) {
        step->preparation.reset();
        keep(step->batch);
        throw;
      }
      keep(step->batch);
      check();
      step = next ? std::move(next) : begin_next();
    }
  }

  void wait_for(Preparation& preparation) {
    while (!preparation.wait_for(kSlice)) {
      try {
        check();
      } catch (...) {
        preparation.cancel();
        throw;
      }
    }
    if (const std::exception_ptr fatal = preparation.fatal()) std::rethrow_exception(fatal);
  }

  // Runs a step of a candidate; what it throws is recorded, and its times do not count.
  template <class Step>
  bool attempt(TuneCandidate& candidate, Step&& step) {
    try {
      step();
      return true;
    } catch (const TuneStop&) {
      throw;
    } catch (const DeviceLost&) {
      throw;
    } catch (...) {
      candidate.status = TuneStatus::not_run;
      candidate.error = text_of_current_exception();
      candidate.times.clear();
      return false;
    }
  }

  bool time_once(Trial& trial) {
    return attempt(trial.candidate, [&] {
      const double seconds = target_.run(trial.candidate.configuration);
      trial.candidate.times.push_back(seconds);
      trial.shortest = std::min(trial.shortest, seconds);
      has_time_ = true;
    });
  }

  void count_time(const TuneConfiguration& configuration, double seconds) {
    if (seconds >= shortest_) return;
    shortest_ = seconds;
    shortest_configuration_ = configuration;
  }
  // The shortest time without those of candidates that have failed since then.
  void find_shortest(const Batch& batch) {
    shortest_ = std::numeric_limits<double>::infinity();
    for (const TuneCandidate& one : result_.candidates) count_time(one.configuration, one.seconds());
    for (const auto& trial : batch) count_time(trial->candidate.configuration, trial->candidate.seconds());
  }

  void measure(Batch& batch) {
    std::vector<Trial*> alive;
    for (const auto& trial : batch) {
      if (!trial->is_prepared) continue;
      check();
      if (!alive.empty() && !has_time_ && is_out_of_time()) break;  // the first one is timed, and is the last
      const bool is_right = attempt(trial->candidate, [&] {
        const TuneConfiguration& configuration = trial->candidate.configuration;
        std::string difference = target_.verify(configuration);
        if (!difference.empty()) {
          trial->candidate.status = TuneStatus::wrong;
          trial->candidate.error = std::move(difference);
          return;
        }
        for (unsigned run = 0; run < options_.warmup; ++run) (void)target_.run(configuration);
      });
      if (is_right && trial->candidate.status != TuneStatus::wrong) alive.push_back(trial.get());
    }
    for (unsigned round = 0; round < options_.repeats && !alive.empty(); ++round) {
      for (Trial* const trial : alive) {
        check();
        if (!time_once(*trial)) {
          find_shortest(batch);
          continue;
        }
        trial->candidate.found_at = elapsed();
        trial->candidate.status = TuneStatus::measured;
        count_time(trial->candidate.configuration, trial->shortest);
      }
      // The noise of a minimum falls with the number of runs, and so does what a slow candidate may be above
      // the best.
      const double most = 1 + (options_.hopeless - 1) / (1 + round);
      std::erase_if(alive, [&](Trial* trial) {
        if (trial->candidate.status != TuneStatus::measured) return true;
        // One run of some microseconds says little, and three cost little.
        const bool is_sure = round >= 2 || trial->shortest * (1 + round) > kSureSeconds;
        if (trial->shortest <= most * shortest_ || !is_sure || round + 1 == options_.repeats) return false;
        trial->candidate.status = TuneStatus::hopeless;
        return true;
      });
    }
  }

  // Tells the strategy, and moves the candidates to the result.
  void keep(Batch& batch) {
    for (const auto& trial : batch) {
      TuneCandidate& candidate = trial->candidate;
      const bool is_measured = candidate.is_valid() && !candidate.times.empty();
      if (candidate.status != TuneStatus::not_measured) {
        strategy_->tell(trial->number,
                        is_measured ? trial->shortest : std::numeric_limits<double>::infinity());
        // The default runs in the run-off, however slow it is.
        const bool is_default = has_default_ && result_.candidates.empty() && is_measured;
        if (!is_default && (!is_measured || candidate.status == TuneStatus::hopeless))
          target_.release(candidate.configuration);
      }
      result_.candidates.push_back(std::move(candidate));
    }
    batch.clear();
    report();
  }

  void report() {
    if (!options_.on_progress) return;
    TuneProgress progress{result_.candidates.size(), static_cast<std::size_t>(most_), elapsed(), nullptr, 0};
    if (std::isfinite(shortest_)) {
      progress.best = &shortest_configuration_;
      progress.best_seconds = shortest_;
    }
    options_.on_progress(progress);
  }

  [[nodiscard]] const TuneCandidate* default_candidate() const {
    return has_default_ && !result_.candidates.empty() && result_.candidates.front().is_valid()
               ? &result_.candidates.front()
               : nullptr;
  }

  // The fastest candidates and the default once more, in turn: the machine may have been slower before.
  void run_off() {
    double shortest = std::numeric_limits<double>::infinity();  // hopeless ones are released
    for (const TuneCandidate& one : result_.candidates)
      if (one.status == TuneStatus::measured) shortest = std::min(shortest, one.seconds());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < result_.candidates.size(); ++i)
      if (result_.candidates[i].status == TuneStatus::measured &&
          result_.candidates[i].seconds() <= kNearBest * shortest)
        order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return result_.candidates[a].seconds() < result_.candidates[b].seconds();
    });
    if (order.size() > kMostInRunOff) order.resize(kMostInRunOff);
    if (default_candidate() != nullptr && std::find(order.begin(), order.end(), 0U) == order.end())
      order.push_back(0);
    if (order.size() < 2) return;
    std::vector<std::vector<double>> times(order.size());
    for (unsigned round = 0; round < options_.repeats; ++round) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        TuneCandidate& candidate = result_.candidates[order[i]];
        if (!candidate.is_valid()) continue;
        check();
        if (attempt(candidate, [&] { times[i].push_back(target_.run(candidate.configuration)); })) continue;
        target_.release(candidate.configuration);
        find_shortest({});
      }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!result_.candidates[order[i]].is_valid()) continue;
      auto& all = result_.candidates[order[i]].times;
      all.insert(all.end(), times[i].begin(), times[i].end());
      run_off_.emplace_back(order[i], *std::min_element(times[i].begin(), times[i].end()));
    }
  }

  void choose() {
    std::vector<std::pair<std::size_t, double>> valid = run_off_;
    const auto add_all = [&](auto&& counts) {
      for (std::size_t i = 0; i < result_.candidates.size(); ++i)
        if (const TuneCandidate& one = result_.candidates[i]; counts(one))
          valid.emplace_back(i, one.seconds());
    };
    if (valid.empty()) add_all([](const TuneCandidate& one) { return one.status == TuneStatus::measured; });
    // Those that they were hopeless beside have failed since then.
    if (valid.empty()) add_all([](const TuneCandidate& one) { return one.is_valid(); });
    if (valid.empty()) return;
    const auto best = std::min_element(valid.begin(), valid.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    result_.best = best->first;
    const auto first =
        std::find_if(valid.begin(), valid.end(), [](const auto& one) { return one.first == 0; });
    if (default_candidate() != nullptr && first != valid.end() &&
        best->second > first->second * (1 - options_.least_gain))
      result_.best = 0;
  }

  TuneTarget& target_;
  const TuneSpace& space_;
  const TuneOptions& options_;
  tuning::Supply supply_;
  std::unique_ptr<tuning::Strategy> strategy_;
  unsigned threads_ = 1;
  std::uint64_t most_ = 0, asked_ = 0;
  bool has_default_ = false, has_time_ = false;
  const Clock::time_point start_ = Clock::now();
  double shortest_ = std::numeric_limits<double>::infinity();
  TuneConfiguration shortest_configuration_;
  std::vector<std::pair<std::size_t, double>> run_off_;
  TuneResult result_;
};

}  // namespace

void TuneTarget::prepare(const TuneConfiguration& /*configuration*/) {}

std::string TuneTarget::verify(const TuneConfiguration& /*configuration*/) {
  return {};
}

void TuneTarget::release(const TuneConfiguration& /*configuration*/) {}

TuneResult tune(TuneTarget& target, const TuneSpace& space, const TuneOptions& options) {
  return Search(target, space, options).run();
}

}  // namespace quern
