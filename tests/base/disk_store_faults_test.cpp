// SPDX-License-Identifier: MIT
// Bad disks, bad folders, bad entries, kills and crowds: always a right result, at worst a miss.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "base/disk_store_fixture.hpp"
#include "base/forked_child.hpp"

namespace quern {
namespace {

using quern::testing::ended_well;
using quern::testing::fork_child;
using quern::testing::in_forked_child;
namespace fs = std::filesystem;

class DiskStoreFaults : public quern::testing::DiskStoreFixture {
 protected:
  // A store that is refused says why, warns once, and holds nothing.
  void expect_refused(const std::string& path, const std::string& why) {
    ::testing::internal::CaptureStderr();
    DiskStore store(path, kLimit);
    const DiskStore again(path, kLimit);
    EXPECT_FALSE(store.put("aa", bytes("x")));
    EXPECT_EQ(store.get("aa"), std::nullopt);
    EXPECT_EQ(store.usage().entries + store.clear() + store.prune(0), 0u);
    const std::string warning = ::testing::internal::GetCapturedStderr();
    EXPECT_FALSE(store.usable());
    EXPECT_NE(store.problem().find(why), std::string::npos) << store.problem();
    EXPECT_NE(warning.find(why), std::string::npos) << warning;
    EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1) << warning;
  }
};

TEST_F(DiskStoreFaults, a_symlinked_folder_is_refused) {
  fs::create_directory(root / "real");
  ::chmod((root / "real").c_str(), 0700);
  fs::create_directory_symlink(root / "real", folder());
  expect_refused(folder(), "is a symbolic link");
  EXPECT_FALSE(DiskStore(folder() + "//", kLimit).usable());  // which would name what it points to
}

TEST_F(DiskStoreFaults, a_dangling_symlink_is_refused_and_not_followed) {
  fs::create_directory_symlink(root / "nowhere", folder());
  expect_refused(folder(), "is a symbolic link");
  EXPECT_FALSE(fs::exists(root / "nowhere"));
}

TEST_F(DiskStoreFaults, a_folder_that_others_can_write_is_refused) {
  fs::create_directory(folder());
  for (const mode_t mode : {0770, 0707, 0777, 0720, 0702}) {
    ASSERT_EQ(::chmod(folder().c_str(), mode), 0);
    DiskStore store(folder(), kLimit);
    EXPECT_FALSE(store.usable()) << mode;
    EXPECT_FALSE(store.put("aa", bytes("x")));
  }
  ASSERT_EQ(::chmod(folder().c_str(), 0755), 0);  // others may read it
  EXPECT_TRUE(open().usable());
}

TEST_F(DiskStoreFaults, the_warning_says_what_would_help) {
  fs::create_directory(folder());
  ASSERT_EQ(::chmod(folder().c_str(), 0775), 0);
  expect_refused(folder(), "can be written by other users (mode 775; fix it with chmod 700)");
}

TEST_F(DiskStoreFaults, a_folder_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a folder away";
  fs::create_directory(folder());
  ASSERT_EQ(::chmod(folder().c_str(), 0700), 0);
  ASSERT_EQ(::chown(folder().c_str(), 12345, 12345), 0);
  expect_refused(folder(), "belongs to another user (12345)");
}

TEST_F(DiskStoreFaults, an_entry_of_another_user_is_a_miss) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a file away";
  DiskStore store = open();
  ASSERT_TRUE(store.put("aa", bytes("x")));
  ASSERT_EQ(::chown(entry("aa").c_str(), 12345, 12345), 0);
  EXPECT_EQ(store.get("aa"), std::nullopt);
}

TEST_F(DiskStoreFaults, a_path_that_cannot_be_a_folder_is_refused) {
  write(root / "file", "text");
  expect_refused(root / "file", "cannot be opened: Not a directory");
  expect_refused(root / "file/below/it", "cannot be opened: Not a directory");
  expect_refused("/proc/quern", "cannot be opened");
}

TEST_F(DiskStoreFaults, a_folder_that_turns_bad_in_between_is_not_used) {
  DiskStore store = open();
  ASSERT_TRUE(store.put("aa", bytes("x")));
  ASSERT_EQ(::chmod(folder().c_str(), 0777), 0);
  EXPECT_EQ(store.get("aa"), std::nullopt);
  EXPECT_FALSE(store.put("bb", bytes("x")));
  ASSERT_EQ(::chmod(folder().c_str(), 0700), 0);
  EXPECT_EQ(store.get("aa"), bytes("x"));
}

TEST_F(DiskStoreFaults, a_read_only_folder_still_answers) {
  ASSERT_EQ(::chmod(root.path().c_str(), 0777), 0);
  EXPECT_TRUE(in_forked_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;  // root may write anything
    DiskStore store = open();
    if (!store.put("aa", bytes("x")) || ::chmod(folder().c_str(), 0500) != 0) return false;
    ::testing::internal::CaptureStderr();
    const bool right = store.get("aa") == bytes("x") && !store.put("bb", bytes("y")) &&
                       !store.put("cc", bytes("y")) && store.usage().entries == 1 && store.clear() == 0 &&
                       open().get("aa") == bytes("x");
    const std::string warning = ::testing::internal::GetCapturedStderr();
    ::chmod(folder().c_str(), 0700);
    return right && warning.find("cannot be written: Permission denied") != std::string::npos &&
           std::count(warning.begin(), warning.end(), '\n') == 1;
  }));
}

TEST_F(DiskStoreFaults, a_read_only_home_leaves_memory_only) {
  ASSERT_EQ(::chmod(root.path().c_str(), 0555), 0);
  EXPECT_TRUE(in_forked_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
    DiskStore store = open();
    return !store.usable() && !store.put("aa", bytes("x")) && !store.get("aa");
  }));
  ASSERT_EQ(::chmod(root.path().c_str(), 0700), 0);
}

TEST_F(DiskStoreFaults, a_full_disk_refuses_the_entry_and_keeps_the_others) {
  fs::create_directory(root / "disk");
  const pid_t pid = fork_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", (root / "disk").c_str(), "tmpfs", 0, "size=256k") != 0) {
      ::_exit(77);
    }
    DiskStore store(root / "disk/store", kLimit);
    const auto large = payload_of("bb", 1 << 20), small = payload_of("cc", 1000);
    bool right = store.put("aa", bytes("x")) && !store.put("bb", large) && !store.get("bb") &&
                 store.get("aa") == bytes("x") && store.put("cc", small) && store.get("cc") == small;
    for (const auto& item : fs::directory_iterator(root / "disk/store")) {
      right = right && item.path().extension() == ".quern";
    }
    return right && store.usage().entries == 2;
  });
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no disk can be mounted here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(DiskStoreFaults, a_file_size_limit_refuses_the_entry_and_ends_nothing) {
  EXPECT_TRUE(in_forked_child([&] {
    ::signal(SIGXFSZ, SIG_DFL);  // would end the process
    const rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    DiskStore store = open();
    return store.put("aa", bytes("x")) && !store.put("bb", payload_of("bb", 5000)) &&
           !store.put("bb", payload_of("bb", 4096 - 47)) && store.put("cc", payload_of("cc", 4096 - 48)) &&
           store.get("aa") == bytes("x") && !store.get("bb") &&
           files() == std::set<std::string>{"aa.quern", "cc.quern"};
  }));
}

TEST_F(DiskStoreFaults, a_truncated_entry_is_a_miss_and_goes) {
  DiskStore store = open();
  const auto payload = payload_of("aa", 300);
  for (std::size_t size = 0; size < 348; size += 7) {
    ASSERT_TRUE(store.put("aa", payload));
    ASSERT_EQ(::truncate(entry("aa").c_str(), static_cast<off_t>(size)), 0);
    EXPECT_EQ(store.get("aa"), std::nullopt) << size;
    EXPECT_FALSE(fs::exists(entry("aa"))) << size;
  }
  ASSERT_TRUE(store.put("aa", payload));
  EXPECT_EQ(store.get("aa"), payload);
}

TEST_F(DiskStoreFaults, an_entry_that_grew_is_a_miss_and_goes) {
  DiskStore store = open();
  ASSERT_TRUE(store.put("aa", bytes("payload")));
  std::ofstream(entry("aa"), std::ios::app) << "x";
  EXPECT_EQ(store.get("aa"), std::nullopt);
  EXPECT_FALSE(fs::exists(entry("aa")));
}

TEST_F(DiskStoreFaults, a_flipped_bit_anywhere_is_a_miss_and_goes) {
  DiskStore store = open();
  ASSERT_TRUE(store.put("aa", bytes("payload")));
  const std::string whole = contents(entry("aa"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    write(entry("aa"), bad);
    EXPECT_EQ(store.get("aa"), std::nullopt) << at;
    EXPECT_FALSE(fs::exists(entry("aa"))) << at;
  }
}

TEST_F(DiskStoreFaults, an_entry_under_the_name_of_another_is_a_miss_and_goes) {
  DiskStore store = open();
  ASSERT_TRUE(store.put("aa", bytes("one")));
  ASSERT_TRUE(store.put("bb", bytes("two")));
  fs::rename(entry("aa"), entry("cc"));
  fs::rename(entry("bb"), entry("aa"));
  fs::rename(entry("cc"), entry("bb"));
  EXPECT_EQ(store.get("aa"), std::nullopt);
  EXPECT_EQ(store.get("bb"), std::nullopt);
  EXPECT_EQ(files(), std::set<std::string>{});
}

TEST_F(DiskStoreFaults, what_is_no_regular_file_is_a_miss) {
  DiskStore store = open();
  ASSERT_TRUE(store.put("bb", bytes("x")));
  fs::create_symlink(entry("bb"), entry("aa"));
  fs::create_directory(entry("cc"));
  ASSERT_EQ(::mkfifo(entry("dd").c_str(), 0600), 0);
  for (const std::string name : {"aa", "cc", "dd"}) EXPECT_EQ(store.get(name), std::nullopt) << name;
  EXPECT_TRUE(store.put("aa", bytes("y")));  // in place of the link, not through it
  EXPECT_EQ(store.get("aa"), bytes("y"));
  EXPECT_EQ(store.get("bb"), bytes("x"));
  EXPECT_FALSE(store.put("cc", bytes("y")));
  EXPECT_FALSE(has_temporaries());
}

TEST_F(DiskStoreFaults, stale_temporary_files_go_and_fresh_ones_stay) {
  DiskStore store = open();
  write(folder() + "/aa.1.1.tmp", "left behind");
  write(folder() + "/bb.1.1.tmp", "being written");
  set_age_of_file(folder() + "/aa.1.1.tmp", 3700);
  set_age_of_file(folder() + "/bb.1.1.tmp", 3500);
  EXPECT_EQ(store.prune(kLimit), 0u);
  EXPECT_EQ(files(), std::set<std::string>{"bb.1.1.tmp"});
}

TEST_F(DiskStoreFaults, a_temporary_name_that_is_taken_is_passed_over) {
  DiskStore store = open();
  for (unsigned count = 0; count < 50; ++count) {
    write(folder() + "/aa." + std::to_string(::getpid()) + "." + std::to_string(count) + ".tmp", "taken");
  }
  EXPECT_TRUE(store.put("aa", bytes("x")));
  EXPECT_EQ(store.get("aa"), bytes("x"));
}

TEST_F(DiskStoreFaults, a_writer_killed_at_any_moment_leaves_right_entries_or_none) {
  std::mt19937 random(7);
  constexpr unsigned kNames = 8;
  std::size_t hits = 0;
  for (int round = 0; round < 40; ++round) {
    const pid_t pid = fork_child([&] {
      DiskStore store = open();
      for (unsigned i = 0;; ++i) store.put(name_of(i % kNames), payload_of(name_of(i % kNames), 100000));
      return true;
    });
    // Longer and longer, so that some entries are whole however slow the machine is.
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % (6000u * (1u + static_cast<unsigned>(round)))));
    ::kill(pid, SIGKILL);
    ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
    DiskStore store = open();
    for (unsigned i = 0; i < kNames; ++i) {
      if (const auto got = store.get(name_of(i))) {
        ++hits;
        EXPECT_EQ(*got, payload_of(name_of(i), 100000));
      }
    }
  }
  EXPECT_GT(hits, 0u);
}

TEST_F(DiskStoreFaults, eight_processes_on_the_same_names_get_right_results) {
  std::vector<pid_t> children;
  for (unsigned process = 0; process < 8; ++process) {
    children.push_back(fork_child([&, process] {
      DiskStore store = open();
      std::mt19937 random(process);
      for (unsigned i = 0; i < 150; ++i) {
        const std::string name = name_of(random() % 5);
        const auto payload = payload_of(name, 3000);
        if (!store.put(name, payload)) return false;
        const auto got = store.get(name);
        if (got && *got != payload) return false;
        if (process == 7 && i % 30 == 0) store.clear();
      }
      return true;
    }));
  }
  for (const pid_t pid : children) EXPECT_TRUE(ended_well(pid));
  DiskStore store = open();
  for (unsigned i = 0; i < 5; ++i) {
    const auto got = store.get(name_of(i));
    if (got) {
      EXPECT_EQ(*got, payload_of(name_of(i), 3000));
    }
  }
  EXPECT_FALSE(has_temporaries());
}

}  // namespace
}  // namespace quern
