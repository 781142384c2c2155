// SPDX-License-Identifier: MIT
// Locks of open file descriptions, which belong neither to a process nor to a thread.
#include "base/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/interruption.hpp"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kLongestPause{20};
constexpr milliseconds kLongestLimit{std::chrono::hours(24)};

struct flock request(short type, std::uint64_t place) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(place & 0x3fffffffffffffff);
  lock.l_len = 1;
  return lock;
}

}  // namespace

FileLock::FileLock(FileDescriptor file, std::uint64_t place, milliseconds limit) : file_(std::move(file)) {
  if (!file_.valid()) return;
  struct flock lock = request(F_WRLCK, place);
  const auto deadline = Clock::now() + std::clamp(limit, milliseconds(0), kLongestLimit);
  for (auto pause = milliseconds(1);; pause = std::min(2 * pause, kLongestPause)) {
    if (::fcntl(file_.get(), F_OFD_SETLK, &lock) == 0) {
      state_ = State::held;
      return;
    }
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return;
    if (Clock::now() >= deadline) {
      state_ = State::busy;
      return;
    }
    check_interruption();
    std::this_thread::sleep_for(pause);
  }
}

FileLock::~FileLock() {
  // Closing is not enough: a child that was forked meanwhile shares the file description.
  if (state_ != State::held || !file_.valid()) return;
  struct flock lock = request(F_UNLCK, 0);
  lock.l_len = 0;  // the whole file
  ::fcntl(file_.get(), F_OFD_SETLK, &lock);
}

}  // namespace quern
