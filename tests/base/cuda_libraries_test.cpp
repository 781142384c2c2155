// SPDX-License-Identifier: MIT
// The search for CUDA's libraries: in the process, in listed folders, and in those of conda and of Python
// packages; and the choice of one version.
#include "base/cuda_libraries.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace quern {
namespace {

namespace fs = std::filesystem;

class CudaLibraries : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("CONDA_PREFIX");
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
  void add(const std::string& file) const {
    fs::create_directories((root_ / file).parent_path());
    std::fclose(std::fopen((root_ / file).c_str(), "w"));
  }
  [[nodiscard]] std::string folder(const char* name) const { return (root_ / name).string(); }
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

TEST_F(CudaLibraries, are_found_in_folders_of_conda) {
  add("conda/lib/libx.so.12");
  add("conda/targets/x86_64-linux/lib/libx.so.13");
  add("conda/targets/sbsa-linux/lib/libx.so.13");
  ::setenv("CONDA_PREFIX", folder("conda").c_str(), 1);
  const std::vector<std::string> found = find("");
  ::unsetenv("CONDA_PREFIX");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].starts_with(folder("conda/targets"))) << found[0];
  EXPECT_EQ(found[1], folder("conda/lib/libx.so.12"));
}

TEST_F(CudaLibraries, that_the_process_has_loaded_are_first) {
  const std::string soname = "libgtest_is_not_this.so.1";
  EXPECT_TRUE(find_cuda_libraries({&soname, 1}, "").empty());
  // The C library is loaded in each process, from one of the loader's folders.
  const std::string loaded = "libc.so.6";
  add("listed/libc.so.6");
  const std::vector<std::string> found = find_cuda_libraries({&loaded, 1}, folder("listed"));
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(fs::path(found.front()).filename(), "libc.so.6");
  EXPECT_NE(found.front(), folder("listed/libc.so.6"));
  EXPECT_EQ(found.back(), folder("listed/libc.so.6"));
}

TEST_F(CudaLibraries, have_sonames_by_their_version) {
  EXPECT_EQ(cuda_soname("cublas", 13), "libcublas.so.13");
  EXPECT_EQ(cuda_soname("cublas", 12), "libcublas.so.12");
  EXPECT_EQ(cuda_soname("cufft", 13), "libcufft.so.12");
  EXPECT_EQ(cuda_soname("cusolver", 12), "libcusolver.so.11");
  EXPECT_EQ(cuda_soname("cusparse", 12), cuda_soname("cusparse", 13));
}

TEST_F(CudaLibraries, belong_to_a_version_by_name_folder_and_neighbours) {
  EXPECT_EQ(cuda_major_of("/any/libcublas.so.13"), 13);
  EXPECT_EQ(cuda_major_of("/any/libcublas.so.12.6.4.1"), 12);
  EXPECT_EQ(cuda_major_of("/any/libcufft.so.12"), 13);
  EXPECT_EQ(cuda_major_of("/any/libcufft.so.11"), 12);
  EXPECT_EQ(cuda_major_of("/site/nvidia/cu13/lib/libcusparse.so.12"), 13);
  EXPECT_EQ(cuda_major_of("/site/nvidia/cusparse/lib/libcusparse.so.12"), 12);
  EXPECT_EQ(cuda_major_of(folder("listed/libcusparse.so.12")), 0);
  add("listed/libnvJitLink.so.13");
  EXPECT_EQ(cuda_major_of(folder("listed/libcusparse.so.12")), 13);
  add("listed/libcublas.so.12");
  EXPECT_EQ(cuda_major_of(folder("listed/libcusparse.so.12")), 0) << "libraries of both";
  add("cuda-12.4/lib64/libcusparse.so.12");
  EXPECT_EQ(cuda_major_of(folder("cuda-12.4/lib64/libcusparse.so.12")), 12);
}

TEST_F(CudaLibraries, of_a_process_have_one_version_that_the_driver_runs) {
  using Names = std::vector<std::string>;
  const auto choose = [](int driver, const Names& found, const Names& loaded = {}) {
    return choose_cuda_major(driver, loaded, [&](const std::string& soname) {
      return std::find(found.begin(), found.end(), soname) != found.end();
    });
  };
  const Names old = {"libcublas.so.12", "libcufft.so.11", "libcusolver.so.11"};
  const Names recent = {"libcublas.so.13", "libcufft.so.12", "libcusolver.so.12"};
  Names both = old;
  both.insert(both.end(), recent.begin(), recent.end());
  EXPECT_EQ(choose(13, both), 13);
  EXPECT_EQ(choose(14, both), 13);
  EXPECT_EQ(choose(12, both), 12);
  EXPECT_EQ(choose(0, both), 13) << "there is no driver";
  EXPECT_EQ(choose(12, recent), 0) << "newer than the driver";
  EXPECT_EQ(choose(13, old), 12);
  EXPECT_EQ(choose(13, {}), 0);
  both.pop_back();
  EXPECT_EQ(choose(13, both), 12) << "of which all libraries are found";
  EXPECT_EQ(choose(13, recent, {"/site/torch/lib/libcudart.so.12"}), 12) << "already in the process";
  EXPECT_EQ(choose(13, old, {"/a/libm.so.6", "/a/libcufft.so.12.1.0"}), 13);
  EXPECT_EQ(choose(12, old, {"/a/libcublas.so.13"}), 12) << "loaded, but newer than the driver";
  EXPECT_EQ(choose(13, recent, {"/a/libnvrtc.so.12"}), 13) << "Quern itself loads NVRTC";
  // The folders that are listed are searched.
  add("old/libcublas.so.12");
  EXPECT_EQ(choose_cuda_major(12, folder("old")), 12);
}

}  // namespace
}  // namespace quern
