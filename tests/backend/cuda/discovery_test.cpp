// SPDX-License-Identifier: MIT
// Looking for CUDA devices where the driver is missing, broken, a stub or something else altogether.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/cuda/device.hpp"
#include "backend/registry.hpp"

namespace quern::backend {
namespace {

class CudaDiscovery : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"QUERN_CUDA_LIBRARY", "QUERN_FAKE_CUDA_INIT", "QUERN_FAKE_CUDA_DEVICES",
                             "QUERN_FAKE_CUDA_BROKEN"}) {
      unsetenv(name);
    }
  }
  static Discovery with_library(const std::string& path) {
    setenv("QUERN_CUDA_LIBRARY", path.c_str(), 1);
    return discover_cuda();
  }
  static std::string outcomes(const Discovery& found) {
    std::string out;
    for (const Attempt& attempt : found.attempts) out += attempt.what + ": " + attempt.outcome + "\n";
    return out;
  }
};

TEST_F(CudaDiscovery, a_missing_library_is_an_attempt_that_says_so) {
  const Discovery found = with_library("/nonexistent/libcuda.so.1");
  EXPECT_TRUE(found.devices.empty());
  ASSERT_EQ(found.attempts.size(), 1U);
  EXPECT_FALSE(found.attempts[0].ok);
  EXPECT_EQ(found.attempts[0].what, "/nonexistent/libcuda.so.1");
  EXPECT_NE(found.attempts[0].outcome.find("QUERN_CUDA_LIBRARY"), std::string::npos) << outcomes(found);
}

TEST_F(CudaDiscovery, a_text_file_is_not_loaded) {
  const auto path = std::filesystem::temp_directory_path() / "quern_not_a_library.so";
  std::ofstream(path) << "this is not a library\n";
  const Discovery found = with_library(path.string());
  std::filesystem::remove(path);
  EXPECT_TRUE(found.devices.empty());
  ASSERT_EQ(found.attempts.size(), 1U);
  EXPECT_FALSE(found.attempts[0].ok);
}

TEST_F(CudaDiscovery, a_library_without_the_entry_points_is_named_with_what_it_lacks) {
  const Discovery found = with_library("libm.so.6");
  EXPECT_TRUE(found.devices.empty());
  ASSERT_EQ(found.attempts.size(), 1U);
  EXPECT_NE(found.attempts[0].outcome.find("lacks cuInit"), std::string::npos) << outcomes(found);
}

TEST_F(CudaDiscovery, the_stub_library_is_recognised) {
  const char* stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (!std::filesystem::exists(stub)) GTEST_SKIP() << "there is no CUDA toolkit in /usr/local/cuda";
  const Discovery found = with_library(stub);
  EXPECT_TRUE(found.devices.empty());
  ASSERT_EQ(found.attempts.size(), 1U);
  EXPECT_NE(found.attempts[0].outcome.find("CUDA_ERROR_STUB_LIBRARY"), std::string::npos) << outcomes(found);
}

TEST_F(CudaDiscovery, an_initialisation_error_is_reported_with_its_number) {
  setenv("QUERN_FAKE_CUDA_INIT", "803", 1);
  const Discovery found = with_library(QUERN_FAKE_CUDA_DRIVER);
  EXPECT_TRUE(found.devices.empty());
  EXPECT_NE(outcomes(found).find("803"), std::string::npos) << outcomes(found);
  EXPECT_NE(outcomes(found).find("different versions"), std::string::npos) << outcomes(found);
}

TEST_F(CudaDiscovery, a_failing_device_leaves_the_others_usable) {
  setenv("QUERN_FAKE_CUDA_DEVICES", "3", 1);
  setenv("QUERN_FAKE_CUDA_BROKEN", "1", 1);
  const Discovery found = with_library(QUERN_FAKE_CUDA_DRIVER);
  ASSERT_EQ(found.devices.size(), 2U) << outcomes(found);
  EXPECT_NE(outcomes(found).find("cuda:1: cuDeviceGetName failed"), std::string::npos) << outcomes(found);
  const auto context = found.devices[1]->make_context(std::span(&found.devices[1], 1));
  EXPECT_NE(context->make_queue(0, {}), nullptr);
}

TEST_F(CudaDiscovery, no_device_is_reported) {
  setenv("QUERN_FAKE_CUDA_DEVICES", "0", 1);
  const Discovery found = with_library(QUERN_FAKE_CUDA_DRIVER);
  EXPECT_TRUE(found.devices.empty());
  EXPECT_NE(outcomes(found).find("no CUDA device"), std::string::npos) << outcomes(found);
}

TEST_F(CudaDiscovery, info_lists_every_attribute_with_its_name) {
  const Discovery found = with_library(QUERN_FAKE_CUDA_DRIVER);
  ASSERT_EQ(found.devices.size(), 1U) << outcomes(found);
  const Info info = found.devices[0]->info();
  EXPECT_GT(info.size(), cuda::attribute_names().size());
  EXPECT_NE(std::find(info.begin(), info.end(), std::pair<std::string, std::string>("warp_size", "32")),
            info.end());
}

}  // namespace
}  // namespace quern::backend
