// SPDX-License-Identifier: MIT
// The table of programs: each is made once, and there are never too many.
#include "algorithms/launch/program_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace quern::algorithms {
namespace {

TEST(ProgramTable, a_value_is_made_where_its_key_is_new) {
  ProgramTable<int, std::string> table;
  int made = 0;
  const auto make = [&] { return std::make_shared<std::string>(std::to_string(++made)); };
  const auto one = table.get(1, make), again = table.get(1, make), other = table.get(2, make);
  EXPECT_EQ(one, again);
  EXPECT_EQ(*other, "2");
  EXPECT_EQ(made, 2);
}

TEST(ProgramTable, at_the_limit_all_go_and_those_in_use_stay_what_they_are) {
  ProgramTable<int, int> table(3);
  const auto kept = table.get(0, [] { return std::make_shared<int>(0); });
  for (int k = 1; k < 100; ++k) {
    EXPECT_EQ(*table.get(k, [&] { return std::make_shared<int>(k); }), k);
    EXPECT_LE(table.size(), 3U);
  }
  EXPECT_EQ(*kept, 0);
  EXPECT_NE(table.get(0, [] { return std::make_shared<int>(0); }), kept);
}

TEST(ProgramTable, a_value_that_cannot_be_made_leaves_nothing) {
  ProgramTable<int, int> table;
  EXPECT_THROW(table.get(1, []() -> std::shared_ptr<int> { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(table.size(), 0U);
}

TEST(ProgramTable, threads_get_the_same_value) {
  ProgramTable<int, int> table(8);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k)
        if (*table.get(k % 20, [&] { return std::make_shared<int>(k % 20); }) != k % 20) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace quern::algorithms
