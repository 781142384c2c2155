// SPDX-License-Identifier: MIT
// Libraries of CUDA that are found and do not work, on the fake driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "libraries/cublas.hpp"
#include "libraries/cuda_search.hpp"
#include "quern/device.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {
namespace {

// What a process finds that has loaded cuBLAS of CUDA 12 before Quern searches.
class LoadedCublas : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA_DRIVER, 1);
    setenv("QUERN_FAKE_CUDA_DEVICES", "2", 1);
    library = dlopen(QUERN_FAKE_CUBLAS, RTLD_NOW | RTLD_LOCAL);
  }
  static int& number(const char* name) { return *static_cast<int*>(dlsym(library, name)); }
  static inline void* library = nullptr;
};

TEST_F(LoadedCublas, decides_the_version_of_cuda_and_is_used_until_it_fails_on_a_device) {
  ASSERT_NE(library, nullptr) << dlerror();
  ASSERT_EQ(devices("cuda").size(), 2U);
  const Queue first(device("cuda:0")), second(device("cuda:1"));
  EXPECT_EQ(cuda_major(), 12);
  EXPECT_EQ(cublas_report().path, QUERN_FAKE_CUBLAS);
  EXPECT_EQ(cublas_report().version, "12.3.4");
  EXPECT_EQ(cublas_report().failure, "");

  number("fake_cublas_failures") = 1;
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(cublas_takes(first, Scalar::float32, Scalar::float32));
  EXPECT_EQ(number("fake_cublas_creations"), 1) << "a device is tried once";
  EXPECT_EQ(cublas_report().failure, "cublasCreate failed on cuda:0 with FAKE_NOT_INITIALIZED");

  for (int k = 0; k < 3; ++k) EXPECT_TRUE(cublas_takes(second, Scalar::float32, Scalar::float32));
  EXPECT_FALSE(cublas_takes(first, Scalar::float64, Scalar::float64)) << "of all types";
  EXPECT_EQ(number("fake_cublas_creations"), 2);

  for (const LibraryReport& report : find_libraries()) {
    if (report.name == "cuBLAS") {
      EXPECT_NE(report.failure, "") << "the public report says it, too";
    } else if (report.backend != "cuda") {
      EXPECT_EQ(report.failure, "") << report.name;
    }
  }
}

}  // namespace
}  // namespace quern::libraries
