// SPDX-License-Identifier: MIT
// Quern's own OpenCL backend does not list Quern's platform.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "quern/device.hpp"

namespace quern::platform {
namespace {

TEST(OwnBackend, leaves_this_platform_out_and_says_so) {
  setenv("OCL_ICD_VENDORS", QUERN_PLATFORM_ICD, 1);
  setenv("OCL_ICD_FILENAMES", QUERN_PLATFORM_LIBRARY, 1);
  for (const BackendReport& report : backend_reports()) {
    if (report.backend != "opencl") continue;
    const auto is_own = [](const Device& device) {
      return device.properties().platform.starts_with("Quern");
    };
    EXPECT_TRUE(std::ranges::none_of(report.devices, is_own));
    const auto found = std::ranges::find_if(
        report.attempts, [](const auto& attempt) { return attempt.what == "OpenCL platform 'Quern'"; });
    if (found == report.attempts.end())
      GTEST_SKIP() << "there is no OpenCL loader that reads these variables";
    EXPECT_FALSE(found->ok);
  }
}

}  // namespace
}  // namespace quern::platform
