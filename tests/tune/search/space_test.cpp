// SPDX-License-Identifier: MIT
// Spaces of configurations.
#include <gtest/gtest.h>

#include "quern/error.hpp"
#include "quern/tune.hpp"
#include "tune/search/values.hpp"

namespace quern {
namespace {

using test::integers;
using Parameters = std::vector<TuneParameter>;

TEST(TuneSpaceTest, numbers_and_configurations_correspond) {
  const TuneSpace space({{"a", integers({1, 2, 3})}, {"b", {true, false}}, {"c", {std::string("x"), 0.5}}});
  EXPECT_EQ(space.size(), 12u);
  for (std::uint64_t number = 0; number < space.size(); ++number) {
    EXPECT_EQ(space.number(space.at(number)), number);
    EXPECT_EQ(space.number(space.indices(number)), number);
  }
  EXPECT_EQ(space.at(0).text(), "a=1, b=true, c=x");
  EXPECT_EQ(space.at(1).text(), "a=1, b=true, c=0.5");
  EXPECT_EQ(space.number(TuneConfiguration{{"a", std::int64_t{4}}, {"b", true}, {"c", 0.5}}), std::nullopt);
  EXPECT_EQ(space.number(TuneConfiguration{{"a", std::int64_t{1}}, {"b", true}}), std::nullopt);
}

TEST(TuneSpaceTest, restrictions_exclude_combinations) {
  const TuneSpace space({{"a", integers({1, 2, 4})}, {"b", integers({1, 2, 4})}},
                        {[](const TuneConfiguration& c) { return c.integer("a") * c.integer("b") <= 4; },
                         [](const TuneConfiguration& c) { return c.integer("a") != 2; }});
  std::vector<std::string> allowed;
  for (std::uint64_t number = 0; number < space.size(); ++number)
    if (space.allows(number)) allowed.push_back(space.at(number).text());
  EXPECT_EQ(allowed, (std::vector<std::string>{"a=1, b=1", "a=1, b=2", "a=1, b=4", "a=4, b=1"}));
}

TEST(TuneSpaceTest, invalid_parameters_are_refused) {
  EXPECT_THROW(TuneSpace(Parameters{}), ArgumentError);
  EXPECT_THROW(TuneSpace(Parameters{{"a", {}}}), ArgumentError);
  EXPECT_THROW(TuneSpace(Parameters{{"", integers({1})}}), ArgumentError);
  EXPECT_THROW(TuneSpace(Parameters{{"a", integers({1})}, {"a", integers({2})}}), ArgumentError);
  EXPECT_THROW(TuneSpace(Parameters{{"a", integers({1, 1})}}), ArgumentError);
  std::vector<TuneParameter> many;
  for (int p = 0; p < 40; ++p) many.push_back({"p" + std::to_string(p), integers({1, 2, 3, 4})});
  EXPECT_THROW(TuneSpace{many}, ArgumentError);
}

}  // namespace
}  // namespace quern
