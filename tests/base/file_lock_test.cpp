// SPDX-License-Identifier: MIT
// Locks between processes, and how they end.
#include "base/file_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/disk_store_fixture.hpp"
#include "base/forked_child.hpp"
#include "base/temporary_folder.hpp"
#include "quern/waiting.hpp"

namespace quern {
namespace {

using quern::testing::fork_child;
using quern::testing::in_forked_child;
using quern::testing::TemporaryFolder;
using std::chrono::milliseconds;
using State = FileLock::State;

constexpr milliseconds kNow{0}, kLong{60000};

class FileLockTest : public ::testing::Test {
 protected:
  FileDescriptor open(int flags = O_RDWR | O_CREAT) const {
    return FileDescriptor(::open((folder / "locks").c_str(), flags | O_CLOEXEC, 0600));
  }
  TemporaryFolder folder;
};

// Ends a process, and says so once it is dead.
void kill_and_wait(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

// A child that has the lock when this returns, and keeps it until it is killed.
template <class Lock>
pid_t holder(const Lock& lock) {
  int ready[2] = {-1, -1};
  EXPECT_EQ(::pipe(ready), 0);
  const pid_t child = fork_child([&] {
    const FileLock held = lock();
    const char state = held.state() == State::held ? 'h' : 'n';
    if (::write(ready[1], &state, 1) != 1) return false;
    for (;;) ::pause();
  });
  ::close(ready[1]);
  char state = '?';
  EXPECT_EQ(::read(ready[0], &state, 1), 1);
  EXPECT_EQ(state, 'h');
  ::close(ready[0]);
  return child;
}

TEST_F(FileLockTest, a_place_has_one_holder_at_a_time) {
  {
    const FileLock first(open(), 7, kNow);
    EXPECT_EQ(first.state(), State::held);
    EXPECT_EQ(FileLock(open(), 7, kNow).state(), State::busy);
    EXPECT_EQ(FileLock(open(), 7, milliseconds(5)).state(), State::busy);
    EXPECT_EQ(FileLock(open(), 8, kNow).state(), State::held);
  }
  EXPECT_EQ(FileLock(open(), 7, kNow).state(), State::held);
}

TEST_F(FileLockTest, large_places_and_moved_locks_are_held_too) {
  FileLock first(open(), ~std::uint64_t{0}, kNow);
  const FileLock moved = std::move(first);
  EXPECT_EQ(moved.state(), State::held);
  EXPECT_EQ(FileLock(open(), ~std::uint64_t{0}, kNow).state(), State::busy);
}

TEST_F(FileLockTest, a_file_that_cannot_be_locked_is_no_lock) {
  EXPECT_EQ(FileLock(FileDescriptor(), 0, kLong).state(), State::absent);
  (void)open();
  EXPECT_EQ(FileLock(open(O_RDONLY), 0, kLong).state(), State::absent);
}

TEST_F(FileLockTest, a_killed_process_lets_go) {
  const pid_t child = holder([&] { return FileLock(open(), 3, kNow); });
  EXPECT_EQ(FileLock(open(), 3, kNow).state(), State::busy);
  kill_and_wait(child);
  EXPECT_EQ(FileLock(open(), 3, kNow).state(), State::held);
}

TEST_F(FileLockTest, a_waiting_thread_gets_the_lock_when_the_holder_ends) {
  const pid_t child = holder([&] { return FileLock(open(), 3, kNow); });
  std::atomic<bool> has_it = false;
  std::thread waiter([&] { has_it = FileLock(open(), 3, kLong).state() == State::held; });
  kill_and_wait(child);
  waiter.join();
  EXPECT_TRUE(has_it);
}

TEST_F(FileLockTest, a_forked_child_of_the_holder_does_not_keep_it) {
  pid_t child = -1;
  {
    const FileLock lock(open(), 1, kNow);
    child = fork_child([] {
      for (;;) ::pause();
      return true;
    });
  }
  EXPECT_EQ(FileLock(open(), 1, kNow).state(), State::held);
  kill_and_wait(child);
}

TEST_F(FileLockTest, an_interruption_ends_the_wait) {
  const FileLock first(open(), 1, kNow);
  EXPECT_TRUE(in_forked_child([&] {
    set_wait_hook([] { throw std::runtime_error("Ctrl-C"); });
    try {
      const FileLock second(open(), 1, kLong);
    } catch (const std::runtime_error& error) {
      return error.what() == std::string("Ctrl-C");
    }
    return false;
  }));
}

class StoreLockTest : public quern::testing::DiskStoreFixture {};

TEST_F(StoreLockTest, entries_have_locks_of_their_own) {
  DiskStore store = open(), other = open();
  const FileLock first = store.lock(name_of(1), kNow);
  EXPECT_EQ(first.state(), State::held);
  EXPECT_EQ(other.lock(name_of(1), kNow).state(), State::busy);
  EXPECT_EQ(other.lock(name_of(2), kNow).state(), State::held);
  EXPECT_EQ(store.usage().entries, 0u);  // the file of locks is none
}

TEST_F(StoreLockTest, a_store_that_cannot_be_used_has_no_locks) {
  DiskStore off("", kLimit);
  EXPECT_EQ(off.lock(name_of(1), kLong).state(), State::absent);
  EXPECT_EQ(open().lock("no digest", kLong).state(), State::absent);
  std::filesystem::create_directories(folder());
  ::chmod(folder().c_str(), 0700);
  std::filesystem::create_symlink(root / "elsewhere", folder() + "/locks");
  EXPECT_EQ(open().lock(name_of(1), kLong).state(), State::absent);
  EXPECT_FALSE(std::filesystem::exists(root / "elsewhere"));
}

TEST_F(StoreLockTest, an_entry_that_cannot_be_stored_is_not_waited_for) {
  DiskStore store = open();
  const FileLock first = store.lock(name_of(1), kNow);
  DiskStore other = open();
  // A folder in the place of the entry: renaming a file onto it fails, as it does on a full disk.
  std::filesystem::create_directories(entry(name_of(1)) + "/inner");
  EXPECT_FALSE(other.put(name_of(1), bytes("x")));
  EXPECT_EQ(other.lock(name_of(1), kLong).state(), State::absent);
  EXPECT_TRUE(other.put(name_of(2), bytes("x")));
  EXPECT_EQ(other.lock(name_of(2), kLong).state(), State::held);
}

}  // namespace
}  // namespace quern
