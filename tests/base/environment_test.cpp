// SPDX-License-Identifier: MIT
// Settings from the environment, sensible and not.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/environment_variable.hpp"

namespace quern {
namespace {

using quern::testing::EnvironmentVariable;

constexpr char kName[] = "QUERN_TEST_SETTING";

TEST(Environment, tells_unset_from_empty) {
  const EnvironmentVariable unset(kName, std::nullopt);
  EXPECT_EQ(environment(kName), std::nullopt);
  const EnvironmentVariable empty(kName, "");
  EXPECT_EQ(environment(kName), "");
}

TEST(Environment, a_kept_variable_survives_changes_to_the_environment) {
  const EnvironmentVariable set(kName, "first:second");
  {
    const KeptVariable kept(kName);
    std::getenv(kName)[5] = '\0';
    EXPECT_EQ(environment(kName), "first");
  }
  EXPECT_EQ(environment(kName), "first:second");
  {
    const KeptVariable kept(kName);
    setenv(kName, "another list that is longer than it was", 1);
  }
  EXPECT_EQ(environment(kName), "another list that is longer than it was");
  const EnvironmentVariable unset(kName, std::nullopt);
  { const KeptVariable kept(kName); }
  EXPECT_EQ(environment(kName), std::nullopt);
}

TEST(Environment, an_integer_is_read_whole) {
  for (const auto& [text, number] : {std::pair{"8", 8L}, {" 16 ", 16L}, {"-3", -3L}, {"+5", 5L}, {"0", 0L}}) {
    const EnvironmentVariable set(kName, text);
    EXPECT_EQ(environment_integer(kName), number) << text;
  }
}

TEST(Environment, an_unset_or_empty_integer_is_nothing_without_a_warning) {
  ::testing::internal::CaptureStderr();
  for (const auto& value :
       {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>("  ")}) {
    const EnvironmentVariable set(kName, value);
    EXPECT_EQ(environment_integer(kName), std::nullopt);
    EXPECT_EQ(environment_bytes(kName), std::nullopt);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Environment, nonsense_is_warned_about_once_and_ignored) {
  for (const char* text : {"many", "8 cores", "3.5", "99999999999999999999", "+-3", "-", "0x8"}) {
    const EnvironmentVariable set(kName, text);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(environment_integer(kName), std::nullopt) << text;
    EXPECT_EQ(environment_integer(kName), std::nullopt) << text;
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "quern: warning: QUERN_TEST_SETTING=\"" +
                                                            std::string(text) +
                                                            "\" is ignored: expected a whole number\n");
  }
}

TEST(Environment, an_integer_out_of_range_names_the_range) {
  const EnvironmentVariable set(kName, "0");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(environment_integer(kName, 1, 4096), std::nullopt);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("a whole number from 1 up to 4096"),
            std::string::npos);
}

TEST(Environment, sizes_have_units) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("1048576"), 1048576u);
  EXPECT_EQ(parse_bytes("512K"), 512u << 10);
  EXPECT_EQ(parse_bytes("256m"), 256u << 20);
  EXPECT_EQ(parse_bytes("1G"), 1u << 30);
  EXPECT_EQ(parse_bytes(" 2 GiB "), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_bytes("3TB"), std::uint64_t{3} << 40);
  EXPECT_EQ(parse_bytes("10B"), 10u);
}

TEST(Environment, text_that_is_not_a_size_is_no_value) {
  for (const char* text : {"", " ", "G", "-1", "1X", "1.5G", "1G2", "18446744073709551616", "99999999999T"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(Environment, a_bad_size_is_warned_about) {
  const EnvironmentVariable set(kName, "lots");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(environment_bytes(kName), std::nullopt);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "\"lots\" is ignored: expected a number of bytes such as"),
            std::string::npos);
}

}  // namespace
}  // namespace quern
