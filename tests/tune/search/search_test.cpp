// SPDX-License-Identifier: MIT
// The search on costs that are computed, whose optimum is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "quern/error.hpp"
#include "quern/tune.hpp"
#include "tune/search/values.hpp"

namespace quern {
namespace {

using test::integers;
using test::up_to;
using Parameters = std::vector<TuneParameter>;

using Cost = std::function<double(const TuneConfiguration&)>;

// Records what the search asks for.
class Synthetic : public TuneTarget {
 public:
  explicit Synthetic(Cost cost) : cost_(std::move(cost)) {}

  void prepare(const TuneConfiguration& configuration) override {
    const std::lock_guard lock(mutex_);
    prepared_.insert(configuration.text());
    if (on_prepare) on_prepare(configuration);
  }
  std::string verify(const TuneConfiguration& configuration) override {
    verified_.push_back(configuration.text());
    return on_verify ? on_verify(configuration) : "";
  }
  double run(const TuneConfiguration& configuration) override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(prepared_.contains(configuration.text())) << configuration.text();
    EXPECT_EQ(std::count(verified_.begin(), verified_.end(), configuration.text()), 1)
        << configuration.text();
    runs_.push_back(configuration.text());
    return cost_(configuration);
  }

  void release(const TuneConfiguration& configuration) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(prepared_.erase(configuration.text()), 1u);
  }

  [[nodiscard]] std::size_t runs_of(const std::string& text) const {
    return static_cast<std::size_t>(std::count(runs_.begin(), runs_.end(), text));
  }
  std::function<void(const TuneConfiguration&)> on_prepare;
  std::function<std::string(const TuneConfiguration&)> on_verify;
  std::vector<std::string> runs_, verified_;

 private:
  Cost cost_;
  std::mutex mutex_;
  std::set<std::string> prepared_;
};

// A bowl with a ridge over four parameters; the optimum is 1 at (11, 3, 6, "b").
double bowl(const TuneConfiguration& c) {
  const auto a = static_cast<double>(c.integer("a")), b = static_cast<double>(c.integer("b")),
             d = static_cast<double>(c.integer("d"));
  const double text = std::get<std::string>(c.at("e")) == "b" ? 0 : 0.4;
  return 1 + 0.02 * (a - 11) * (a - 11) + 0.08 * (b - 3) * (b - 3) + 0.05 * (d - 6) * (d - 6) + text;
}
TuneSpace bowl_space() {
  return TuneSpace(Parameters{{"a", up_to(16)},
                              {"b", up_to(8)},
                              {"d", up_to(10)},
                              {"e", {std::string("a"), std::string("b"), std::string("c")}}});
}

// The number of candidates until one is within 5 % of the best.
std::size_t evaluations_to(const TuneResult& result, double best) {
  for (std::size_t i = 0; i < result.candidates.size(); ++i)
    if (result.candidates[i].seconds() <= 1.05 * best) return i + 1;
  return result.candidates.size() + 1;
}

TEST(TuneTest, brute_force_finds_the_optimum_and_measures_each_once) {
  Synthetic target(bowl);
  TuneOptions options;
  options.repeats = 1;
  const TuneSpace space = bowl_space();
  const TuneResult result = tune(target, space, options);
  EXPECT_EQ(result.candidates.size(), space.size());
  EXPECT_EQ(result.winner().configuration.text(), "a=11, b=3, d=6, e=b");
  std::set<std::string> seen;
  for (const TuneCandidate& one : result.candidates)
    EXPECT_TRUE(seen.insert(one.configuration.text()).second);
}

TEST(TuneTest, learning_strategies_need_a_fraction_of_the_space) {
  const TuneSpace space = bowl_space();  // 3,840 combinations, 11 of which are within 5 %
  // A random search needs about 350 of them for an even chance.
  const std::map<TuneStrategy, std::size_t> most = {{TuneStrategy::anneal, 240}, {TuneStrategy::bayes, 60}};
  for (const auto& [strategy, limit] : most) {
    std::vector<std::size_t> counts;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Synthetic target(bowl);
      TuneOptions options;
      options.strategy = strategy;
      options.seed = seed;
      options.repeats = 1;
      options.max_evaluations = 400 < limit * 2 ? 400 : limit * 2;
      counts.push_back(evaluations_to(tune(target, space, options), 1));
    }
    std::sort(counts.begin(), counts.end());
    EXPECT_LE(counts[2], limit) << name_of(strategy);
  }
}

TEST(TuneTest, every_strategy_exhausts_a_small_space) {
  for (const TuneStrategy strategy :
       {TuneStrategy::brute, TuneStrategy::random, TuneStrategy::anneal, TuneStrategy::bayes}) {
    Synthetic target([](const TuneConfiguration& c) { return c.integer("a") == 3 ? 1.0 : 2.0; });
    TuneOptions options;
    options.strategy = strategy;
    options.max_evaluations = 1000;
    const TuneResult result =
        tune(target, TuneSpace(Parameters{{"a", up_to(5)}, {"b", up_to(4)}}, {[](const TuneConfiguration& c) {
                                 return c.integer("b") != 2;
                               }}),
             options);
    EXPECT_EQ(result.candidates.size(), 15u) << name_of(strategy);
    EXPECT_EQ(result.winner().configuration.integer("a"), 3);
    for (const TuneCandidate& one : result.candidates) EXPECT_NE(one.configuration.integer("b"), 2);
  }
}

TEST(TuneTest, the_same_seed_gives_the_same_search) {
  const TuneSpace space = bowl_space();
  for (const TuneStrategy strategy : {TuneStrategy::random, TuneStrategy::anneal, TuneStrategy::bayes}) {
    const auto search = [&](std::uint64_t seed) {
      Synthetic target(bowl);
      TuneOptions options;
      options.strategy = strategy;
      options.seed = seed;
      options.max_evaluations = 40;
      options.threads = 3;
      std::vector<std::string> order;
      for (const TuneCandidate& one : tune(target, space, options).candidates)
        order.push_back(one.configuration.text());
      return order;
    };
    EXPECT_EQ(search(1), search(1)) << name_of(strategy);
    EXPECT_NE(search(1), search(2)) << name_of(strategy);
  }
}

TEST(TuneTest, spaces_too_large_to_list_are_searched) {
  std::vector<TuneParameter> parameters;
  for (int p = 0; p < 12; ++p) parameters.push_back({"p" + std::to_string(p), up_to(8)});
  const TuneSpace space(parameters, {[](const TuneConfiguration& c) { return c.integer("p0") != 7; }});
  for (const TuneStrategy strategy : {TuneStrategy::random, TuneStrategy::anneal, TuneStrategy::bayes}) {
    Synthetic target([](const TuneConfiguration& c) { return 1.0 + static_cast<double>(c.integer("p1")); });
    TuneOptions options;
    options.strategy = strategy;
    options.max_evaluations = 40;
    options.repeats = 1;
    const TuneResult result = tune(target, space, options);
    EXPECT_EQ(result.candidates.size(), 40u);
    EXPECT_EQ(result.winner().configuration.integer("p1"), 0);
  }
}

TEST(TuneTest, failures_are_recorded_and_never_win) {
  Synthetic target([](const TuneConfiguration& c) {
    if (c.integer("a") == 2) throw Error("out of registers");
    return 10.0 - static_cast<double>(c.integer("a"));
  });
  target.on_prepare = [](const TuneConfiguration& c) {
    if (c.integer("a") == 3) throw BuildError("does not compile");
  };
  target.on_verify = [](const TuneConfiguration& c) -> std::string {
    if (c.integer("a") == 4) throw std::runtime_error("cannot compare");
    return c.integer("a") == 5 ? "element 7 differs" : "";
  };
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(6)}}));
  ASSERT_EQ(result.candidates.size(), 6u);
  const auto expect = [&](std::size_t i, TuneStatus status, const std::string& error) {
    EXPECT_EQ(result.candidates[i].status, status) << i;
    EXPECT_EQ(result.candidates[i].error, error) << i;
    EXPECT_TRUE(std::isinf(result.candidates[i].seconds())) << i;
  };
  expect(2, TuneStatus::not_run, "out of registers");
  expect(3, TuneStatus::not_prepared, "does not compile");
  expect(4, TuneStatus::not_run, "cannot compare");
  expect(5, TuneStatus::wrong, "element 7 differs");
  EXPECT_EQ(result.winner().configuration.integer("a"), 1);
  EXPECT_EQ(target.runs_of("a=5"), 0u);
}

TEST(TuneTest, without_a_right_candidate_the_errors_are_named) {
  Synthetic target([](const TuneConfiguration&) { return 1.0; });
  target.on_verify = [](const TuneConfiguration&) { return std::string("all wrong"); };
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(3)}}));
  EXPECT_FALSE(result.best);
  try {
    (void)result.winner();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("all wrong"), std::string::npos);
  }
}

TEST(TuneTest, hopeless_candidates_run_once) {
  Synthetic target([](const TuneConfiguration& c) { return c.integer("a") == 0 ? 1.0 : 3.0; });
  TuneOptions options;
  options.warmup = 0;
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(5)}}), options);
  EXPECT_EQ(target.runs_of("a=4"), 1u);
  EXPECT_EQ(result.candidates[4].status, TuneStatus::hopeless);
  EXPECT_GE(target.runs_of("a=0"), options.repeats);
}

TEST(TuneTest, a_hopeless_default_takes_part_in_the_run_off) {
  Synthetic target([](const TuneConfiguration& c) { return c.integer("a") == 0 ? 9.0 : 1.0; });
  TuneOptions options;
  options.threads = 2;
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(5)}}), options);
  EXPECT_EQ(result.candidates[0].status, TuneStatus::hopeless);
  EXPECT_GE(target.runs_of("a=0"), options.repeats);
  EXPECT_EQ(result.default_seconds(), 9.0);
}

TEST(TuneTest, repeats_are_interleaved) {
  Synthetic target([](const TuneConfiguration&) { return 1.0; });
  TuneOptions options;
  options.warmup = 0;
  options.threads = 2;
  options.repeats = 3;
  (void)tune(target, TuneSpace(Parameters{{"a", up_to(2)}}), options);
  const std::vector<std::string> first(target.runs_.begin(), target.runs_.begin() + 6);
  EXPECT_EQ(first, (std::vector<std::string>{"a=0", "a=1", "a=0", "a=1", "a=0", "a=1"}));
}

TEST(TuneTest, the_default_wins_unless_another_is_clearly_faster) {
  for (const auto& [cost, winner] : {std::pair{0.99, 0}, std::pair{0.9, 1}}) {
    const double other = cost;
    Synthetic target([other](const TuneConfiguration& c) { return c.integer("a") == 0 ? 1.0 : other; });
    EXPECT_EQ(tune(target, TuneSpace(Parameters{{"a", up_to(2)}})).winner().configuration.integer("a"),
              winner);
  }
}

TEST(TuneTest, the_run_off_corrects_a_lucky_measurement) {
  // Candidate 2 was fast once, as it is if another program slowed the others down.
  std::map<std::int64_t, int> calls;
  Synthetic target([&](const TuneConfiguration& c) {
    const std::int64_t a = c.integer("a");
    const int call = calls[a]++;
    if (a == 2) return call < 3 ? 0.95 : 1.5;
    return a == 1 ? 1.0 : 1.3;
  });
  TuneOptions options;
  options.repeats = 3;
  options.warmup = 0;
  EXPECT_EQ(tune(target, TuneSpace(Parameters{{"a", up_to(3)}}), options).winner().configuration.integer("a"),
            1);
}

TEST(TuneTest, a_failure_in_the_run_off_drops_the_candidate) {
  std::map<std::int64_t, int> calls;
  Synthetic target([&](const TuneConfiguration& c) {
    const std::int64_t a = c.integer("a");
    if (a == 2 && ++calls[a] > 4) throw Error("too hot");
    return a == 0 ? 1.0 : a == 1 ? 0.9 : 0.8;
  });
  TuneOptions options;
  options.repeats = 3;
  options.warmup = 0;
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(3)}}), options);
  EXPECT_EQ(result.winner().configuration.integer("a"), 1);
  EXPECT_EQ(result.candidates[2].status, TuneStatus::not_run);
  EXPECT_EQ(result.candidates[2].error, "too hot");
  EXPECT_EQ(result.candidates[1].times.size(), 6u);
}

TEST(TuneTest, times_of_a_candidate_that_fails_later_do_not_count) {
  std::map<std::int64_t, int> calls;
  Synthetic target([&](const TuneConfiguration& c) {
    const std::int64_t a = c.integer("a");
    if (a == 1 && ++calls[a] == 2) throw Error("out of memory");
    return a == 1 ? 0.1 : 1.0 - 0.1 * static_cast<double>(a);
  });
  TuneOptions options;
  options.warmup = 0;
  options.threads = 2;
  std::vector<double> best;
  options.on_progress = [&](const TuneProgress& progress) { best.push_back(progress.best_seconds); };
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(4)}}), options);
  EXPECT_EQ(result.candidates[1].status, TuneStatus::not_run);
  EXPECT_EQ(result.candidates[2].status, TuneStatus::measured);
  EXPECT_EQ(result.winner().configuration.integer("a"), 3);
  EXPECT_EQ(best.front(), 1.0);
}

TEST(TuneTest, a_candidate_that_was_hopeless_beside_one_that_failed_may_win) {
  int calls = 0;
  Synthetic target([&](const TuneConfiguration& c) {
    if (c.integer("a") == 1 && ++calls == 2) throw Error("out of memory");
    return c.integer("a") == 1 ? 0.1 : 1.0;
  });
  TuneOptions options;
  options.warmup = 0;
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(2)}}), options);
  EXPECT_EQ(result.candidates[0].status, TuneStatus::hopeless);
  EXPECT_EQ(result.winner().configuration.integer("a"), 0);
}

TEST(TuneTest, times_of_zero_are_compared) {
  for (const TuneStrategy strategy : {TuneStrategy::anneal, TuneStrategy::bayes}) {
    Synthetic target([](const TuneConfiguration& c) { return c.integer("a") < 4 ? 0.0 : 1.0; });
    TuneOptions options;
    options.strategy = strategy;
    options.max_evaluations = 40;
    EXPECT_EQ(
        tune(target, TuneSpace(Parameters{{"a", up_to(8)}, {"b", up_to(8)}}), options).candidates.size(), 40u)
        << name_of(strategy);
  }
}

TEST(TuneTest, named_defaults_are_measured_first) {
  Synthetic target([](const TuneConfiguration&) { return 1.0; });
  TuneOptions options;
  options.defaults = TuneConfiguration{{"a", std::int64_t{3}}};
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(5)}}), options);
  EXPECT_EQ(result.candidates[0].configuration.integer("a"), 3);
  EXPECT_EQ(result.winner().configuration.integer("a"), 3);
  options.defaults = TuneConfiguration{{"a", std::int64_t{9}}};
  EXPECT_THROW((void)tune(target, TuneSpace(Parameters{{"a", up_to(5)}}), options), ArgumentError);
}

TEST(TuneTest, preparations_run_in_parallel_and_before_measurements) {
  std::atomic<int> at_once{0}, most{0};
  class Slow : public Synthetic {
   public:
    Slow(std::atomic<int>& now, std::atomic<int>& peak)
        : Synthetic([](const TuneConfiguration&) { return 1.0; }), now_(now), peak_(peak) {}
    void prepare(const TuneConfiguration& configuration) override {
      const int count = ++now_;
      for (int seen = peak_; seen < count && !peak_.compare_exchange_weak(seen, count);) {
      }
      // Long enough for the other threads to come, and without an end if they never do.
      for (int wait = 0; wait < 2000 && peak_ < 3; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      Synthetic::prepare(configuration);
      --now_;
    }
    double run(const TuneConfiguration& configuration) override {
      EXPECT_EQ(now_, 0);  // compilers would use the processors that are measured
      return Synthetic::run(configuration);
    }

   private:
    std::atomic<int>&now_, &peak_;
  };
  Slow target(at_once, most);
  TuneOptions options;
  options.threads = 3;
  (void)tune(target, TuneSpace(Parameters{{"a", up_to(9)}}), options);
  EXPECT_EQ(most, 3);
}

TEST(TuneTest, devices_that_do_not_compile_are_measured_during_compilation) {
  for (const TuneStrategy strategy : {TuneStrategy::brute, TuneStrategy::bayes, TuneStrategy::anneal}) {
    Synthetic target(bowl);
    TuneOptions options;
    options.strategy = strategy;
    options.compiles_while_measuring = true;
    options.max_evaluations = 60;
    options.threads = 3;
    EXPECT_EQ(tune(target, bowl_space(), options).candidates.size(), 60u);
  }
}

TEST(TuneTest, a_time_limit_ends_the_search_with_the_best_so_far) {
  Synthetic target([](const TuneConfiguration& c) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 10.0 - static_cast<double>(c.integer("a")) * 0.1;
  });
  TuneOptions options;
  options.time_limit = 0.1;
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(100)}}), options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.interrupted);
  EXPECT_LT(result.candidates.size(), 100u);
  EXPECT_TRUE(result.best);
}

TEST(TuneTest, a_stop_returns_the_best_so_far) {
  for (const bool by_target : {true, false}) {
    std::atomic<int> runs{0};
    Synthetic target([&](const TuneConfiguration& c) {
      if (++runs == 60 && by_target) throw TuneStop{};
      return 100.0 - static_cast<double>(c.integer("a"));
    });
    TuneOptions options;
    options.threads = 2;
    if (!by_target) options.should_stop = [&] { return runs >= 60; };
    const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(100)}}), options);
    EXPECT_TRUE(result.interrupted);
    EXPECT_LT(result.candidates.size(), 100u);
    EXPECT_GT(result.winner().configuration.integer("a"), 0);
  }
}

TEST(TuneTest, a_lost_device_ends_the_search_with_its_error) {
  Synthetic target([](const TuneConfiguration& c) -> double {
    if (c.integer("a") == 2) throw DeviceLost("gone");
    return 1.0;
  });
  EXPECT_THROW((void)tune(target, TuneSpace(Parameters{{"a", up_to(4)}})), DeviceLost);
}

TEST(TuneTest, progress_says_what_is_done_and_what_is_best) {
  Synthetic target(bowl);
  std::vector<std::size_t> done;
  double best = 0;
  TuneOptions options;
  options.strategy = TuneStrategy::random;
  options.max_evaluations = 30;
  options.on_progress = [&](const TuneProgress& progress) {
    done.push_back(progress.done);
    EXPECT_EQ(progress.total, 30u);
    ASSERT_NE(progress.best, nullptr);
    EXPECT_EQ(bowl(*progress.best), progress.best_seconds);
    best = progress.best_seconds;
  };
  const TuneResult result = tune(target, bowl_space(), options);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 30u);
  EXPECT_LE(best, result.winner().seconds());
}

TEST(TuneTest, invalid_options_are_refused) {
  Synthetic target([](const TuneConfiguration&) { return 1.0; });
  const TuneSpace space({{"a", up_to(2)}});
  TuneOptions options;
  options.repeats = 0;
  EXPECT_THROW((void)tune(target, space, options), ArgumentError);
  options = {};
  options.hopeless = 1;
  EXPECT_THROW((void)tune(target, space, options), ArgumentError);
  EXPECT_THROW((void)tune(target, TuneSpace(Parameters{{"a", up_to(2)}},
                                            {[](const TuneConfiguration&) { return false; }})),
               ArgumentError);
  EXPECT_THROW((void)tune_strategy("guess"), ArgumentError);
  EXPECT_EQ(tune_strategy("bayes"), TuneStrategy::bayes);
}

TEST(TuneTest, results_are_exported) {
  Synthetic target([](const TuneConfiguration& c) {
    if (c.integer("a") == 2) throw Error("bad, \"quoted\"\nand more");
    return c.integer("a") == 1 ? 1e-3 : 1.5e-3;
  });
  TuneOptions options;
  options.repeats = 2;
  TuneResult result =
      tune(target, TuneSpace(Parameters{{"a", integers({0, 1, 2})}, {"b", {std::string("<x>")}}}), options);
  result.title = "a & b";
  const std::string table = result.table();
  EXPECT_NE(table.find("1 ms"), std::string::npos) << table;
  EXPECT_LT(table.find("best"), table.find("measured (first)")) << table;
  EXPECT_NE(result.table(1).find("... and 2 more"), std::string::npos);
  const std::string csv = result.csv();
  EXPECT_TRUE(csv.starts_with("a,b,seconds,runs,status,found_at,error\n0,<x>,0.0015,")) << csv;
  EXPECT_NE(csv.find("\"bad, \"\"quoted\"\" ...\""), std::string::npos) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_NE(result.json().find("\"best\": {\"a\": 1, \"b\": \"<x>\"}"), std::string::npos) << result.json();
  const std::string svg = result.svg();
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_EQ(svg.find("<x>"), std::string::npos);
  EXPECT_EQ(TuneResult{}.table(), "no candidates\n");
  EXPECT_TRUE(TuneResult{}.svg().ends_with("</svg>\n"));
}

TEST(TuneTest, errors_are_cut_between_characters) {
  // Two bytes each, after an odd number: every even length ends within one.
  std::string error = "x";
  for (int i = 0; i < 200; ++i) error += "\xc3\xa9";
  TuneResult result;
  result.candidates.resize(1);
  result.candidates[0].configuration = {{"a", std::int64_t{1}}};
  result.candidates[0].status = TuneStatus::not_run;
  result.candidates[0].error = error;
  for (const std::string& text : {result.table(), result.csv(), result.svg()}) {
    std::size_t count = 0;
    for (std::size_t i = text.find("x\xc3") + 1; text[i] == '\xc3'; i += 2) {
      ASSERT_EQ(text[i + 1], '\xa9') << text;
      ++count;
    }
    EXPECT_GT(count, 20u);
    EXPECT_LT(count, 200u);
  }
}

}  // namespace
}  // namespace quern
