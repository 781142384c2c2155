// SPDX-License-Identifier: MIT
// The thread that issues held-back operations.
#include "runtime/dispatcher.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "base/signals.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

Dispatcher& Dispatcher::instance() {
  static auto* const dispatcher = new Dispatcher;  // never destroyed: its thread runs until the process ends
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

void Dispatcher::run() noexcept {
  using namespace std::chrono_literals;
  constexpr auto kShortest = 10us;
  constexpr auto kLongest = 1000us;
  auto pause = std::chrono::microseconds(kShortest);
  for (;;) {
    // The thread takes the queues off the list and polls them without the lock, because a thread that calls
    // watch() holds the lock of a queue.
    std::list<std::shared_ptr<QueueState>> watched;
    {
      std::unique_lock lock(mutex_);
      if (queues_.empty()) pause = kShortest;
      woken_.wait(lock, [&] { return !queues_.empty(); });
      watched.swap(queues_);
    }
    bool progress = false;
    while (!watched.empty()) {
      const auto queue = watched.begin();
      bool is_done = false;
      try {
        is_done = (*queue)->release_held();
      } catch (const std::bad_alloc&) {  // the failure could not even be recorded; tries again later
      }
      if (is_done) {
        progress = true;
        watched.erase(queue);
        continue;
      }
      const std::lock_guard lock(mutex_);
      if (std::find(queues_.begin(), queues_.end(), *queue) == queues_.end())
        queues_.splice(queues_.end(), watched, queue);
      else
        watched.erase(queue);
    }
    pause = progress ? kShortest : std::min<std::chrono::microseconds>(pause * 2, kLongest);
    if (!progress) std::this_thread::sleep_for(pause);
  }
}

}  // namespace quern::detail
