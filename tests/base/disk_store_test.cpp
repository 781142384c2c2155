// SPDX-License-Identifier: MIT
// What the store promises: right answers or misses, in order of use, within its limit.
#include "base/disk_store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/disk_store_fixture.hpp"
#include "base/environment_variable.hpp"
#include "base/forked_child.hpp"

namespace quern {
namespace {

using quern::testing::EnvironmentVariable;
using quern::testing::in_forked_child;

using DiskStoreTest = quern::testing::DiskStoreFixture;

TEST_F(DiskStoreTest, gives_back_what_was_put) {
  DiskStore store = open();
  EXPECT_EQ(store.get("ab12"), std::nullopt);
  EXPECT_TRUE(store.put("ab12", bytes("payload")));
  EXPECT_EQ(store.get("ab12"), bytes("payload"));
  EXPECT_TRUE(store.put("ab12", bytes("another")));
  EXPECT_EQ(store.get("ab12"), bytes("another"));
  EXPECT_EQ(open().get("ab12"), bytes("another"));
}

TEST_F(DiskStoreTest, synced_entries_are_entries_like_others) {
  DiskStore store = open();
  EXPECT_TRUE(store.put("ab12", bytes("payload"), DiskStore::Durability::synced));
  EXPECT_EQ(open().get("ab12"), bytes("payload"));
  EXPECT_FALSE(has_temporaries());
}

TEST_F(DiskStoreTest, entries_are_listed_and_removed_by_name) {
  DiskStore store = open();
  EXPECT_TRUE(store.names().empty());
  for (const char* const name : {"cd", "ab"}) EXPECT_TRUE(store.put(name, bytes(name)));
  write(folder() + "/other", "not an entry");
  EXPECT_EQ(store.names(), (std::vector<std::string>{"ab", "cd"}));
  EXPECT_TRUE(store.remove("ab"));
  EXPECT_FALSE(store.remove("ab"));
  EXPECT_FALSE(store.remove("../store/cd"));
  EXPECT_EQ(store.names(), (std::vector<std::string>{"cd"}));
}

TEST_F(DiskStoreTest, an_empty_payload_is_an_entry) {
  DiskStore store = open();
  EXPECT_TRUE(store.put("00", {}));
  EXPECT_EQ(store.get("00"), bytes(""));
}

TEST_F(DiskStoreTest, a_missing_folder_is_made_for_the_owner_only) {
  DiskStore store(root / "a/b/c", kLimit);
  ASSERT_TRUE(store.usable()) << store.problem();
  for (const std::string name : {"a", "a/b", "a/b/c"}) {
    struct stat status = {};
    ASSERT_EQ(::stat((root / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u) << name;
  }
}

TEST_F(DiskStoreTest, names_other_than_hex_digits_are_refused) {
  DiskStore store = open();
  for (const std::string name : {"", "..", "../ab", "ab/cd", "ab.quern", "xyz", "ab ", "/tmp/ab"}) {
    EXPECT_FALSE(store.put(name, bytes("x"))) << name;
    EXPECT_EQ(store.get(name), std::nullopt) << name;
  }
  EXPECT_FALSE(store.put(std::string(1000, 'a'), bytes("x")));
  EXPECT_EQ(store.usage().entries, 0u);
}

TEST_F(DiskStoreTest, usage_counts_entries_and_their_bytes) {
  DiskStore store = open();
  EXPECT_EQ(store.usage().entries, 0u);
  ASSERT_TRUE(store.put("aa", bytes("12345")));
  ASSERT_TRUE(store.put("bb", bytes("")));
  const DiskStore::Usage usage = store.usage();
  EXPECT_EQ(usage.entries, 2u);
  EXPECT_EQ(usage.bytes, std::filesystem::file_size(entry("aa")) + std::filesystem::file_size(entry("bb")));
  EXPECT_EQ(usage.limit, kLimit);
}

TEST_F(DiskStoreTest, clear_removes_all_entries_and_nothing_else) {
  DiskStore store = open();
  for (const std::string name : {"aa", "bb", "cc"}) ASSERT_TRUE(store.put(name, bytes(name)));
  write(entry("dd"), "");  // damaged entries go too
  write(folder() + "/thesis.txt", "mine");
  write(folder() + "/notes.quern", "mine");
  write(folder() + "/other.tmp", "mine");
  std::filesystem::create_directory(folder() + "/ab.quern");
  EXPECT_EQ(store.clear(), 4u);
  EXPECT_EQ(store.usage().entries, 0u);
  EXPECT_EQ(store.get("aa"), std::nullopt);
  EXPECT_EQ(files(), (std::set<std::string>{"thesis.txt", "notes.quern", "other.tmp", "ab.quern"}));
}

TEST_F(DiskStoreTest, prune_removes_the_least_recently_used_first) {
  DiskStore store = open();
  for (const std::string name : {"aa", "bb", "cc", "dd"}) ASSERT_TRUE(store.put(name, bytes("12345678")));
  set_age("aa", 400);
  set_age("bb", 300);
  set_age("cc", 200);
  set_age("dd", 100);
  ASSERT_NE(store.get("aa"), std::nullopt);  // now the most recent
  const std::uint64_t each = store.usage().bytes / 4;
  EXPECT_EQ(store.prune(4 * each), 0u);
  EXPECT_EQ(store.prune(2 * each), 2u);
  EXPECT_EQ(files(), (std::set<std::string>{"aa.quern", "dd.quern"}));
  EXPECT_EQ(store.prune(2 * each - 1), 1u);
  EXPECT_EQ(files(), (std::set<std::string>{"aa.quern"}));
  EXPECT_EQ(store.prune(0), 1u);
}

TEST_F(DiskStoreTest, the_limit_holds_while_entries_are_put) {
  constexpr std::uint64_t kSmall = 50000;
  DiskStore store(folder(), kSmall);
  for (unsigned i = 0; i < 200; ++i) {
    ASSERT_TRUE(store.put(name_of(i), payload_of(name_of(i), 1000)));
    set_age(name_of(i), 1000 - static_cast<int>(i));
    ASSERT_LE(store.usage().bytes, kSmall);
  }
  EXPECT_GE(store.usage().bytes, kSmall / 2);
  EXPECT_EQ(store.get(name_of(0)), std::nullopt);
  EXPECT_EQ(store.get(name_of(199)), payload_of(name_of(199), 1000));
}

TEST_F(DiskStoreTest, many_short_processes_hold_the_limit_too) {
  constexpr std::uint64_t kSmall = 64000;
  for (unsigned i = 0; i < 300; ++i) {
    DiskStore store(folder(), kSmall);  // each puts one entry and is gone
    ASSERT_TRUE(store.put(name_of(i), payload_of(name_of(i), 500)));
  }
  // The chance to overrun by this much is below e^-16.
  EXPECT_LE(open().usage().bytes, 2 * kSmall);
}

TEST_F(DiskStoreTest, an_entry_larger_than_the_limit_is_not_stored) {
  DiskStore store(folder(), 10000);
  ASSERT_TRUE(store.put("aa", bytes("small")));
  EXPECT_FALSE(store.put("bb", std::vector<std::byte>(10000)));
  EXPECT_EQ(store.get("aa"), bytes("small"));
  EXPECT_FALSE(DiskStore(folder(), 0).put("cc", bytes("")));
}

TEST_F(DiskStoreTest, a_folder_that_was_removed_is_made_again) {
  DiskStore store = open();
  ASSERT_TRUE(store.put("aa", bytes("x")));
  std::filesystem::remove_all(folder());
  EXPECT_EQ(store.get("aa"), std::nullopt);
  EXPECT_TRUE(store.put("aa", bytes("y")));
  EXPECT_EQ(store.get("aa"), bytes("y"));
}

TEST_F(DiskStoreTest, many_threads_share_one_store) {
  DiskStore store(folder(), 200000);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 60; ++i) {
        const std::string name = name_of((i + t) % 10);
        if (!store.put(name, payload_of(name, 5000))) ++wrong;
        const auto got = store.get(name);
        if (got && *got != payload_of(name, 5000)) ++wrong;
        if (i % 20 == 0) store.prune(20000);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(has_temporaries());
}

TEST_F(DiskStoreTest, an_empty_path_is_a_store_that_is_turned_off_without_a_warning) {
  ::testing::internal::CaptureStderr();
  DiskStore store("", kLimit);
  EXPECT_FALSE(store.usable());
  EXPECT_FALSE(store.put("aa", bytes("x")));
  EXPECT_EQ(store.get("aa"), std::nullopt);
  EXPECT_EQ(store.usage().entries, 0u);
  EXPECT_EQ(store.clear() + store.prune(0), 0u);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(DiskStoreTest, a_relative_folder_stays_where_it_was_when_the_process_moves) {
  EXPECT_TRUE(in_forked_child([&] {
    if (::chdir(root.path().c_str()) != 0) return false;
    DiskStore store("relative/", kLimit);
    if (::chdir("/") != 0) return false;
    return store.put("aa", bytes("x")) && std::filesystem::exists(root / "relative/aa.quern");
  }));
}

// The standard store is made once, so each of these asks in a process of its own.
TEST_F(DiskStoreTest, the_standard_folder_follows_the_environment) {
  const EnvironmentVariable home("HOME", root / "home");
  const EnvironmentVariable no_size("QUERN_CACHE_SIZE", std::nullopt);
  {
    const EnvironmentVariable own("QUERN_CACHE_DIR", root / "own");
    EXPECT_TRUE(in_forked_child([&] { return DiskStore::standard().folder() == root / "own"; }));
  }
  {
    const EnvironmentVariable off("QUERN_CACHE_DIR", "");
    EXPECT_TRUE(in_forked_child([&] { return !DiskStore::standard().usable(); }));
  }
  const EnvironmentVariable unset("QUERN_CACHE_DIR", std::nullopt);
  {
    const EnvironmentVariable xdg("XDG_CACHE_HOME", root / "xdg");
    EXPECT_TRUE(in_forked_child([&] { return DiskStore::standard().folder() == root / "xdg/quern"; }));
  }
  for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("relative")}) {
    const EnvironmentVariable xdg("XDG_CACHE_HOME", value);
    EXPECT_TRUE(in_forked_child([&] {
      return DiskStore::standard().folder() == root / "home/.cache/quern" && DiskStore::standard().usable() &&
             DiskStore::standard().usage().limit == std::uint64_t{1} << 30;
    }));
  }
}

TEST_F(DiskStoreTest, the_standard_limit_follows_the_environment) {
  const EnvironmentVariable own("QUERN_CACHE_DIR", folder());
  const EnvironmentVariable size("QUERN_CACHE_SIZE", "20M");
  EXPECT_TRUE(in_forked_child([] { return DiskStore::standard().usage().limit == 20u << 20; }));
  const EnvironmentVariable nonsense("QUERN_CACHE_SIZE", "huge");
  EXPECT_TRUE(in_forked_child([] {
    ::testing::internal::CaptureStderr();
    const bool right = DiskStore::standard().usage().limit == std::uint64_t{1} << 30;
    return right && ::testing::internal::GetCapturedStderr().find("QUERN_CACHE_SIZE=\"huge\" is ignored") !=
                        std::string::npos;
  }));
}

}  // namespace
}  // namespace quern
