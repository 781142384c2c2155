// SPDX-License-Identifier: MIT
// The search ends in time, and does without threads.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "quern/tune.hpp"
#include "tune/search/values.hpp"

namespace quern {
namespace {

using test::up_to;
using Parameters = std::vector<TuneParameter>;

// Counts what the search asks for.
class Counting : public TuneTarget {
 public:
  void prepare(const TuneConfiguration& /*configuration*/) override {
    const std::lock_guard lock(mutex_);
    ++prepared;
  }
  std::string verify(const TuneConfiguration& /*configuration*/) override {
    ++verified;
    return {};
  }
  double run(const TuneConfiguration& /*configuration*/) override {
    ++runs;
    return 1;
  }
  int prepared = 0, verified = 0, runs = 0;

 private:
  std::mutex mutex_;
};

// While it lives, this process can map memory for the stacks of so many further threads.
class FewThreads {
 public:
  explicit FewThreads(unsigned count) {
    pthread_getattr_default_np(&before_);
    pthread_attr_t large = {};
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, kStack);
    pthread_setattr_default_np(&large);
    pthread_attr_destroy(&large);
    getrlimit(RLIMIT_AS, &limit_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit less = limit_;
    less.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + count * kStack + kStack / 2;
    setrlimit(RLIMIT_AS, &less);
  }
  ~FewThreads() {
    setrlimit(RLIMIT_AS, &limit_);
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  static constexpr std::size_t kStack = std::size_t{1} << 30;
  pthread_attr_t before_ = {};
  rlimit limit_ = {};
};

TEST(TuneLimitTest, threads_that_cannot_start_are_not_needed) {
  for (const unsigned possible : {0U, 1U}) {
    Counting target;
    TuneOptions options;
    options.threads = 4;
    const FewThreads few(possible);
    EXPECT_EQ(tune(target, TuneSpace(Parameters{{"a", up_to(9)}}), options).candidates.size(), 9u);
    EXPECT_EQ(target.prepared, 9);
  }
}

TEST(TuneLimitTest, a_time_limit_counts_as_soon_as_one_candidate_has_a_time) {
  Counting target;
  TuneOptions options;
  options.time_limit = 0;
  options.warmup = 0;
  options.threads = 8;
  const TuneResult result = tune(target, TuneSpace(Parameters{{"a", up_to(8)}}), options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(target.runs, 1);
  EXPECT_EQ(target.verified, 1);
  EXPECT_EQ(result.winner().configuration.integer("a"), 0);
}

class StrictTest : public ::testing::TestWithParam<bool> {
 protected:
  // Too many to be listed, of which a restriction allows the first at most.
  [[nodiscard]] TuneSpace space() {
    return TuneSpace(Parameters{{"a", up_to(128)}, {"b", up_to(128)}, {"c", up_to(128)}},
                     {[this](const TuneConfiguration& c) {
                       ++asked_;
                       return GetParam() && c.integer("a") + c.integer("b") + c.integer("c") == 0;
                     }});
  }
  int asked_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Default, StrictTest, ::testing::Bool());

TEST_P(StrictTest, a_stop_is_seen_while_restrictions_are_asked) {
  Counting target;
  TuneOptions options;
  options.should_stop = [&] { return asked_ > 1000; };
  EXPECT_TRUE(tune(target, space(), options).interrupted);
  EXPECT_LT(asked_, 2000);
}

TEST_P(StrictTest, the_time_limit_counts_while_restrictions_are_asked) {
  Counting target;
  TuneOptions options;
  options.time_limit = 0;
  const TuneResult result = tune(target, space(), options);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.candidates.size(), GetParam() ? 1u : 0u);
  EXPECT_EQ(result.best.has_value(), GetParam());
  EXPECT_LT(asked_, 2000);
}

TEST(TuneLimitTest, a_stop_is_seen_while_a_space_is_listed) {
  int asked = 0;
  Counting target;
  TuneOptions options;
  options.should_stop = [&] { return asked > 1000; };
  const TuneSpace space(Parameters{{"a", up_to(256)}, {"b", up_to(256)}},
                        {[&](const TuneConfiguration&) { return ++asked > 0; }});
  const TuneResult result = tune(target, space, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_LT(asked, 2000);
}

}  // namespace
}  // namespace quern
