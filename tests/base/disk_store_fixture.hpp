// SPDX-License-Identifier: MIT
// A store in a folder of its own, and a look behind it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/disk_store.hpp"
#include "base/temporary_folder.hpp"

namespace quern::testing {

class DiskStoreFixture : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLimit = std::uint64_t{64} << 20;

  [[nodiscard]] std::string folder() const { return root / "store"; }
  [[nodiscard]] std::string entry(const std::string& name) const { return folder() + "/" + name + ".quern"; }
  [[nodiscard]] DiskStore open() const { return {folder(), kLimit}; }

  static std::vector<std::byte> bytes(std::string_view text) {
    const auto span = std::as_bytes(std::span(text));
    return {span.begin(), span.end()};
  }

  static std::string name_of(unsigned number) { return Digest().add_field(std::to_string(number)).hex(); }

  // A payload that follows from its name, so that a wrong one is noticed.
  static std::vector<std::byte> payload_of(const std::string& name, std::size_t size) {
    std::seed_seq seed(name.begin(), name.end());
    std::mt19937 random(seed);
    std::vector<std::byte> payload(size);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random());
    return payload;
  }

  static void write(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  static std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The names of all files in the store's folder.
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& item : std::filesystem::directory_iterator(folder()))
      names.insert(item.path().filename());
    return names;
  }

  [[nodiscard]] bool has_temporaries() const {
    for (const std::string& name : files()) {
      if (name.ends_with(".tmp")) return true;
    }
    return false;
  }

  static void set_age_of_file(const std::string& path, int seconds) {
    const timespec then = {std::time(nullptr) - seconds, 0};
    const timespec times[2] = {then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
  }
  void set_age(const std::string& name, int seconds) const { set_age_of_file(entry(name), seconds); }

  TemporaryFolder root;
};

}  // namespace quern::testing
