// SPDX-License-Identifier: MIT
// Lines about long work on standard error, which is a file here.
#include "base/long_work.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "quern/progress.hpp"

namespace quern::test {
namespace {

// What is written to standard error while `work` lives.
class LongWorks : public ::testing::Test {
 protected:
  void SetUp() override { setenv("QUERN_PROGRESS", "always", 1); }
  void TearDown() override { unsetenv("QUERN_PROGRESS"); }

  template <class Function>
  static std::string written_by(Function&& function) {
    ::testing::internal::CaptureStderr();
    function();
    return ::testing::internal::GetCapturedStderr();
  }

  // Long enough for the line after a second, which a busy machine may write late.
  static void wait_for_a_line() { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); }
};

TEST_F(LongWorks, are_shown_after_a_second) {
  const std::string text = written_by([] {
    const LongWork work("compiling k.cl");
    wait_for_a_line();
  });
  EXPECT_TRUE(text.starts_with("compiling k.cl: 0:0") && text.ends_with("\n")) << text;
}

TEST_F(LongWorks, with_a_total_show_their_share_and_the_time_left) {
  const std::string text = written_by([] {
    LongWork work("copying", 400);
    work.advance(60);
    work.advance(40);
    wait_for_a_line();
  });
  EXPECT_TRUE(text.starts_with("copying: 25 %, 0:0") && text.ends_with(" left\n")) << text;
}

TEST_F(LongWorks, that_are_short_show_nothing) {
  EXPECT_EQ(written_by([] { const LongWork work("short"); }), "");
}

TEST_F(LongWorks, are_silent_where_that_is_wanted) {
  setenv("QUERN_PROGRESS", "never", 1);
  const auto work_for_long = [] {
    const LongWork work("silent");
    wait_for_a_line();
  };
  EXPECT_EQ(written_by(work_for_long), "");
  setenv("QUERN_PROGRESS", "auto", 1);  // standard error is no terminal
  EXPECT_EQ(written_by(work_for_long), "");
}

TEST_F(LongWorks, are_hidden_while_the_program_draws_and_shown_again_afterwards) {
  const auto work_for_long = [] {
    const LongWork work("hidden");
    wait_for_a_line();
  };
  hide_progress(true);
  hide_progress(true);
  hide_progress(false);
  EXPECT_EQ(written_by(work_for_long), "");
  hide_progress(false);
  EXPECT_NE(written_by(work_for_long), "");
}

TEST_F(LongWorks, of_threads_that_no_caller_waits_for_show_nothing) {
  const std::string text = written_by([] {
    std::thread([] {
      never_show_work_of_this_thread();
      const LongWork work("background");
      wait_for_a_line();
    }).join();
  });
  EXPECT_EQ(text, "");
}

TEST_F(LongWorks, of_copies_are_those_of_a_gibibyte_and_more) {
  EXPECT_EQ(work_of_copy("", (std::uint64_t{1} << 30) - 1), nullptr);
  const std::string text = written_by([] {
    const auto work = work_of_copy(" to the device", std::uint64_t{5} << 29);
    work->advance(std::uint64_t{5} << 28);
    wait_for_a_line();
  });
  EXPECT_TRUE(text.starts_with("copying 2.5 GiB to the device: 50 %, 0:0")) << text;
}

}  // namespace
}  // namespace quern::test
