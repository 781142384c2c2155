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
    if (!queue->is_watched()) {
      queue->set_watched(true);
      queues_.push_back(std::move(queue));
    }
    is_woken_ = true;
    if (!started_) {
      const ThreadSignals signals;
      std::thread([this] { run(); }).detach();
      started_ = true;
    }
  }
  woken_.notify_one();
}

void Dispatcher::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (!started_) return;
    is_woken_ = true;
  }
  woken_.notify_one();
}

void Dispatcher::run() noexcept {
  using namespace std::chrono_literals;
  constexpr auto kShortest = 10us;
  constexpr auto kLongest = 1000us;
  auto pause = std::chrono::microseconds(kShortest);
  bool polls = false;
  for (;;) {
    // The thread takes the queues off the list and polls them without the lock, because a thread that calls
    // watch() holds the lock of a queue.
    std::list<std::shared_ptr<QueueState>> watched;
    {
      std::unique_lock lock(mutex_);
      if (polls) {
        woken_.wait_for(lock, pause, [&] { return is_woken_; });
      } else {
        woken_.wait(lock, [&] { return is_woken_; });
      }
      if (is_woken_) pause = kShortest;
      is_woken_ = false;
      watched.swap(queues_);
      for (const auto& queue : watched) queue->set_watched(false);
    }
    bool progress = false;
    polls = false;
    while (!watched.empty()) {
      const auto queue = watched.begin();
      QueueState::Release released;
      try {
        released = (*queue)->release_held();
      } catch (const std::bad_alloc&) {  // the failure could not even be recorded; tries again later
      }
      polls |= released.rest == QueueState::Rest::polls;
      progress |= released.issued;
      if (released.rest == QueueState::Rest::none) {
        watched.erase(queue);
        continue;
      }
      const std::lock_guard lock(mutex_);
      if ((*queue)->is_watched()) {
        watched.erase(queue);
        continue;
      }
      (*queue)->set_watched(true);
      queues_.splice(queues_.end(), watched, queue);
    }
    // Operations that were issued now may be what others wait for.
    polls |= progress;
    pause = progress ? kShortest : std::min<std::chrono::microseconds>(pause * 2, kLongest);
  }
}

}  // namespace quern::detail
