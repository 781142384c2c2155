// SPDX-License-Identifier: MIT
// Looking for OpenCL where the library or the drivers are missing: the attempts say so, and nothing throws.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "backend/registry.hpp"

namespace quern::backend {
namespace {

// What discover_opencl() reports in a child process with this variable set. The test process itself never
// loads OpenCL, so each child starts afresh.
std::string discover_with(const char* variable, const std::string& setting) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("OPENCL_VENDOR_PATH");  // some loaders look there as well
    setenv(variable, setting.c_str(), 1);
    std::string text;
    try {
      const Discovery found = discover_opencl();
      text = std::to_string(found.devices.size()) + " devices\n";
      for (const Attempt& attempt : found.attempts) {
        text += std::string(attempt.ok ? "yes: " : "no: ") + attempt.what + ": " + attempt.outcome + "\n";
      }
    } catch (const std::exception& error) {
      text = std::string("threw ") + error.what();
    }
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(OpenCLAbsent, a_missing_library_is_reported) {
  const std::string text = discover_with("QUERN_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so.1");
  EXPECT_TRUE(text.starts_with("0 devices")) << text;
  EXPECT_NE(text.find("no: /nonexistent/libOpenCL.so.1"), std::string::npos) << text;
  EXPECT_NE(text.find("install"), std::string::npos) << text;
}

TEST(OpenCLAbsent, a_library_that_is_not_opencl_is_reported) {
  const std::string text = discover_with("QUERN_OPENCL_LIBRARY", "libm.so.6");
  EXPECT_TRUE(text.starts_with("0 devices")) << text;
  EXPECT_NE(text.find("clGetPlatformIDs"), std::string::npos) << text;
}

TEST(OpenCLAbsent, a_machine_without_drivers_is_told_what_to_install) {
  if (discover_with("QUERN_UNUSED", "").find("yes: libOpenCL") == std::string::npos) {
    GTEST_SKIP() << "there is no OpenCL loader here";
  }
  const auto folder = std::filesystem::temp_directory_path() / ("quern-no-icd-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string text = discover_with("OCL_ICD_VENDORS", folder.string() + "/");
  std::filesystem::remove_all(folder);
  if (!text.starts_with("0 devices")) GTEST_SKIP() << "this loader does not mind OCL_ICD_VENDORS:\n" << text;
  EXPECT_NE(text.find("CL_PLATFORM_NOT_FOUND_KHR"), std::string::npos) << text;
  EXPECT_NE(text.find("pocl-opencl-icd"), std::string::npos) << text;
}

}  // namespace
}  // namespace quern::backend
