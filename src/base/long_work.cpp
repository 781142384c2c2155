// SPDX-License-Identifier: MIT
// The thread that draws the line of long work.
#include "base/long_work.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/environment.hpp"
#include "base/signals.hpp"
#include "quern/progress.hpp"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> hidden_by{0};
thread_local bool is_quiet = false;

bool is_shown() {
  if (is_quiet || hidden_by.load(std::memory_order_relaxed) > 0) return false;
  const auto wanted = environment("QUERN_PROGRESS");
  if (wanted == "never") return false;
  return wanted == "always" || isatty(STDERR_FILENO) != 0;
}

std::string minutes(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + (rest.size() < 2 ? ":0" : ":") + rest;
}

void write_text(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count <= 0) return;  // a terminal that is gone
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

void hide_progress(bool hidden) {
  hidden_by.fetch_add(hidden ? 1 : -1, std::memory_order_relaxed);
}

void never_show_work_of_this_thread() noexcept {
  is_quiet = true;
}

class LongWork::Line {
 public:
  Line(std::string what, std::uint64_t total) : what_(std::move(what)), total_(total) {
    const ThreadSignals signals;
    thread_ = std::thread([this] { run(); });
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  std::atomic<std::uint64_t> done = 0;

 private:
  void run() {
    using std::chrono::milliseconds;
    const auto start = Clock::now();
    const bool redraws = isatty(STDERR_FILENO) != 0;
    bool is_drawn = false;
    auto next = start + milliseconds(1000);
    std::unique_lock lock(mutex_);
    while (!changed_.wait_until(lock, next, [&] { return is_over_; })) {
      next += milliseconds(redraws ? 500 : 5000);
      if (hidden_by.load(std::memory_order_relaxed) > 0) continue;
      const std::string text = text_after(std::chrono::duration<double>(Clock::now() - start).count());
      write_text(redraws ? "\r" + text + "\x1b[K" : text + "\n");
      is_drawn = redraws;
    }
    if (is_drawn) write_text("\r\x1b[K");
  }

  std::string text_after(double seconds) const {
    std::string text = what_ + ": ";
    const std::uint64_t now = std::min(done.load(std::memory_order_relaxed), total_);
    if (now == 0) return text + minutes(seconds);
    const double share = static_cast<double>(now) / static_cast<double>(total_);
    return text + std::to_string(static_cast<int>(100 * share)) + " %, " +
           minutes(seconds / share * (1 - share)) + " left";
  }

  const std::string what_;
  const std::uint64_t total_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

LongWork::LongWork(std::string what, std::uint64_t total) {
  if (!is_shown()) return;
  try {
    line_ = std::make_unique<Line>(std::move(what), total);
  } catch (const std::system_error&) {  // the system cannot start a thread: nothing is shown
  }
}

LongWork::~LongWork() = default;

std::unique_ptr<LongWork> work_of_copy(const std::string& where, std::uint64_t nbytes) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 30;
  if (nbytes < kLarge) return nullptr;
  const std::uint64_t tenths = nbytes / (kLarge / 10);
  return std::make_unique<LongWork>(
      "copying " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB" + where, nbytes);
}

void LongWork::advance(std::uint64_t amount) noexcept {
  if (line_) line_->done.fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace quern
