// SPDX-License-Identifier: MIT
// The search for CUDA's libraries: in listed folders and in those of Python packages.
#include "base/cuda_libraries.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace quern {
namespace {

namespace fs = std::filesystem;

class CudaLibraries : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("quern_cuda_libraries_" + std::to_string(::getpid()));
    for (const char* file :
         {"listed/libx.so.12", "site/nvidia/cu13/lib/libx.so.13", "site/nvidia/x/lib/libx.so.12"}) {
      fs::create_directories((root_ / file).parent_path());
      std::fclose(std::fopen((root_ / file).c_str(), "w"));
    }
    fs::create_directories(root_ / "site/nvidia/empty");
  }
  void TearDown() override {
    set_package_roots({});
    fs::remove_all(root_);
  }
  [[nodiscard]] std::vector<std::string> find(const std::string& listed) const {
    const std::array<std::string, 2> names = {"libx.so.13", "libx.so.12"};
    return find_cuda_libraries(names, listed);
  }
  fs::path root_;
};

TEST_F(CudaLibraries, are_found_in_packages_and_listed_folders_in_the_order_of_their_names) {
  EXPECT_TRUE(find("").empty());
  set_package_roots({(root_ / "missing").string(), (root_ / "site").string()});
  const std::vector<std::string> expected = {(root_ / "site/nvidia/cu13/lib/libx.so.13").string(),
                                             (root_ / "listed/libx.so.12").string(),
                                             (root_ / "site/nvidia/x/lib/libx.so.12").string()};
  EXPECT_EQ(find(":" + (root_ / "listed").string() + ":"), expected);
}

}  // namespace
}  // namespace quern
