// SPDX-License-Identifier: MIT
// The thread behind held-back operations.
#include "runtime/dispatcher.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/signals.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

Dispatcher& Dispatcher::instance() {
  static auto* const dispatcher = new Dispatcher;  // its thread outlives everything
  return *dispatcher;
}

void Dispatcher::watch(std::shared_ptr<QueueState> queue) {
  {
    const std::lock_guard lock(mutex_);
    if (std::find(queues_.begin(), queues_.end(), queue) == queues_.end())
      queues_.push_back(std::move(queue));
    if (!started_) {
      const ThreadSignals signals;
      std::thread([this] { run(); }).detach();
      started_ = true;
    }
  }
  woken_.notify_one();
}

void Dispatcher::run() {
  using namespace std::chrono_literals;
  constexpr auto kShortest = 10us;
  constexpr auto kLongest = 1000us;
  auto pause = std::chrono::microseconds(kShortest);
  for (;;) {
    // Off the list while they are looked at, and never looked at under the lock: whoever holds something back
    // has a queue's lock when it calls watch().
    std::vector<std::shared_ptr<QueueState>> watched;
    {
      std::unique_lock lock(mutex_);
      if (queues_.empty()) pause = kShortest;
      woken_.wait(lock, [&] { return !queues_.empty(); });
      watched.swap(queues_);
    }
    bool progress = false;
    for (auto& queue : watched) {
      if (queue->release_held()) {
        progress = true;
        continue;
      }
      const std::lock_guard lock(mutex_);
      if (std::find(queues_.begin(), queues_.end(), queue) == queues_.end()) queues_.push_back(queue);
    }
    watched.clear();
    pause = progress ? kShortest : std::min<std::chrono::microseconds>(pause * 2, kLongest);
    if (!progress) std::this_thread::sleep_for(pause);
  }
}

}  // namespace quern::detail
