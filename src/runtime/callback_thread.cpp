// SPDX-License-Identifier: MIT
// When the callback thread serves, polls and sleeps.
#include "runtime/callback_thread.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "base/process.hpp"
#include "base/signals.hpp"

namespace quern::detail {

using Clock = std::chrono::steady_clock;

QueueCallbacks& QueueCallbacks::of_no_queue() {
  static auto* const callbacks =  // never destroyed, as the thread
      new std::shared_ptr<QueueCallbacks>(CallbackThread::instance()->make_callbacks());
  return **callbacks;
}

const std::shared_ptr<CallbackThread>& CallbackThread::instance() {
  // Never destroyed: its thread runs until the process ends.
  static auto* const thread = new std::shared_ptr<CallbackThread>(std::make_shared<CallbackThread>());
  return *thread;
}

std::shared_ptr<QueueCallbacks> CallbackThread::make_callbacks() {
  auto made = std::make_shared<QueueCallbacks>(instance());
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [](const auto& weak) { return weak.expired(); });
  watched_.push_back(made);
  if (started_) return made;
  process::mark_used();
  const ThreadSignals signals;
  std::thread([this] { run(); }).detach();
  started_ = true;
  return made;
}

void CallbackThread::count() noexcept {
  CallbackServer::count();
  if (sleeps_long_.load()) wake();
}

void CallbackThread::wake() noexcept {
  progress_.fetch_add(1);
  if (sleeps_.load()) futex::wake(progress_, 1);
}

void CallbackThread::serve_all() noexcept {
  std::vector<std::shared_ptr<QueueCallbacks>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : watched_)
      if (auto callbacks = weak.lock()) all.push_back(std::move(callbacks));
  }
  for (const auto& each : all) each->serve();
}

bool CallbackThread::poll(std::uint32_t seen) noexcept {
  while (spin_.goes_on()) {
    for (int i = 0; i < 16; ++i) {
      if (progress_.load(std::memory_order_relaxed) != seen) return true;
      futex::relax();
    }
    serve_polled();
    if (pending() == 0) return true;
  }
  return false;
}

void CallbackThread::sleep(std::uint32_t seen, Clock::time_point until) noexcept {
  spin_.stop();
  sleeps_.store(true);
  futex::wait(progress_, seen, until);
  sleeps_.store(false);
}

void CallbackThread::run() noexcept {
  // A driver that lost its device does not notify, so all queues are checked now and then.
  constexpr auto kCheck = std::chrono::seconds(1);
  for (;;) {
    const std::uint32_t seen = progress_.load();
    serve_listed();
    if (pending() == 0) {
      accept_polled(spin_.starts());  // a thread that adds a function wakes this one
      sleeps_long_.store(true);
      // A thread that adds a function counts it before it looks whether this thread sleeps.
      if (pending() == 0) sleep(seen, Clock::time_point::max());
      sleeps_long_.store(false);
      spin_.begin();
      continue;
    }
    if (poll(seen)) continue;
    accept_polled(false);
    sleep(seen, Clock::now() + kCheck);
    if (progress_.load() == seen) serve_all();
    accept_polled(spin_.starts());
  }
}

}  // namespace quern::detail
