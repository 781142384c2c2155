// SPDX-License-Identifier: MIT
// InlineVector: copies, moves and changes, with elements inside the object and on the heap.
#include "quern/inline_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace quern {
namespace {

using Strings = InlineVector<std::string, 2>;

Strings strings(int count) {
  Strings result;
  for (int i = 0; i < count; ++i)
    result.push_back("a string that is too long to be short " + std::to_string(i));
  return result;
}

TEST(InlineVector, what_is_moved_away_is_empty_whether_it_was_short_or_long) {
  for (const int count : {0, 1, 2, 3, 9}) {
    Strings from = strings(count);
    Strings to = std::move(from);
    EXPECT_EQ(to, strings(count));
    EXPECT_TRUE(from.empty());
    from.push_back("again");
    EXPECT_EQ(from.back(), "again");
  }
}

TEST(InlineVector, assignment_replaces_what_was_there) {
  for (const int before : {0, 2, 5}) {
    for (const int after : {0, 1, 7}) {
      Strings copied = strings(before), moved = strings(before), source = strings(after);
      copied = source;
      moved = std::move(source);
      EXPECT_EQ(copied, strings(after));
      EXPECT_EQ(moved, strings(after));
      const Strings& same = copied;
      copied = same;
      EXPECT_EQ(copied, strings(after));
    }
  }
}

// Short vectors of numbers are copied as one block.
TEST(InlineVector, numbers_are_copied_moved_and_compared_whether_short_or_long) {
  using Numbers = InlineVector<std::int64_t, 4>;
  const auto numbers = [](int count) {
    Numbers result;
    for (int i = 0; i < count; ++i) result.push_back(i + 1);
    return result;
  };
  for (const int before : {0, 1, 4, 5, 9}) {
    for (const int after : {0, 1, 3, 4, 5, 9}) {
      Numbers shrunk = numbers(12);  // has heap memory for a few elements
      while (shrunk.size() > static_cast<std::size_t>(after)) shrunk.pop_back();
      for (Numbers source : {numbers(after), shrunk}) {
        const std::vector<std::int64_t> expected(source.begin(), source.end());
        const Numbers made = source;
        Numbers copied = numbers(before), moved = numbers(before);
        copied = source;
        moved = std::move(source);
        EXPECT_TRUE(source.empty());
        for (const Numbers& one : {made, copied, moved}) {
          EXPECT_EQ(std::vector<std::int64_t>(one.begin(), one.end()), expected);
          EXPECT_EQ(one, numbers(after));
          EXPECT_EQ(one == numbers(before), before == after);
        }
        copied.push_back(7);  // the copies are their own
        EXPECT_EQ(made, numbers(after));
        EXPECT_EQ(copied.back(), 7);
      }
    }
  }
  EXPECT_FALSE((Numbers{1, 2} == Numbers{1, 3}));
}

TEST(InlineVector, it_grows_with_an_element_of_its_own) {
  Strings values = {"a string that is too long to be short", "b"};
  values.push_back(values.front());
  EXPECT_EQ(values.back(), values.front());
  values.resize(6, values.front());
  EXPECT_EQ(values[5], values.front());
}

TEST(InlineVector, insertions_and_erasures_are_those_of_a_vector) {
  InlineVector<int, 4> ours = {1, 2, 3};
  std::vector<int> theirs = {1, 2, 3};
  const std::vector<int> more = {7, 8, 9};
  ours.insert(ours.begin() + 1, 5);
  theirs.insert(theirs.begin() + 1, 5);
  ours.insert(ours.begin(), 2, 6);
  theirs.insert(theirs.begin(), 2, 6);
  ours.insert(ours.end() - 1, more.begin(), more.end());
  theirs.insert(theirs.end() - 1, more.begin(), more.end());
  EXPECT_EQ(ours, theirs);
  ours.erase(ours.begin() + 2);
  theirs.erase(theirs.begin() + 2);
  EXPECT_EQ(ours, theirs);
  ours.erase(ours.begin() + 1, ours.end() - 2);
  theirs.erase(theirs.begin() + 1, theirs.end() - 2);
  EXPECT_EQ(ours, theirs);
}

TEST(InlineVector, elements_are_destroyed_once) {
  const auto counted = std::make_shared<int>(0);
  {
    InlineVector<std::shared_ptr<int>, 2> values(5, counted);
    EXPECT_EQ(counted.use_count(), 6);
    values.erase(values.begin(), values.begin() + 2);
    EXPECT_EQ(counted.use_count(), 4);
    values.pop_back();
    EXPECT_EQ(counted.use_count(), 3);
    values.clear();
    EXPECT_EQ(counted.use_count(), 1);
    values.push_back(counted);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

}  // namespace
}  // namespace quern
