// SPDX-License-Identifier: MIT
// Builds without a backend: asking for its devices gives none, and says that the build has no such backend.
#include <gtest/gtest.h>

#include <string_view>

#include "backend/registry.hpp"

namespace quern::backend {

// The host backend is in every build, but not in this program.
Discovery discover_host() {
  return {{}, {{"looking for the host", "found", true}}};
}

namespace {

void expect_left_out(std::string_view backend, std::string_view sentence, std::string_view option) {
  const Discovery& found = discovery(backend);
  EXPECT_TRUE(found.devices.empty());
  ASSERT_EQ(found.attempts.size(), 1U);
  EXPECT_FALSE(found.attempts[0].ok);
  EXPECT_NE(found.attempts[0].outcome.find(sentence), std::string::npos) << found.attempts[0].outcome;
  EXPECT_NE(found.attempts[0].outcome.find(option), std::string::npos) << found.attempts[0].outcome;
}

TEST(LeftOut, cuda_says_that_the_build_has_no_such_backend) {
  expect_left_out("cuda", "this build of Quern has no CUDA backend", "-DQUERN_CUDA=ON");
}

TEST(LeftOut, opencl_says_that_the_build_has_no_such_backend) {
  expect_left_out("opencl", "this build of Quern has no OpenCL backend", "-DQUERN_OPENCL=ON");
}

TEST(LeftOut, other_backends_are_still_found_and_an_exit_waits_for_nothing) {
  EXPECT_TRUE(discovery("host").attempts.at(0).ok);
  finish_opencl_before_exit();
}

}  // namespace
}  // namespace quern::backend
