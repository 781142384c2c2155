// SPDX-License-Identifier: MIT
// Issues operations that were held back, once the operations that they wait for are done.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

namespace quern::detail {

class QueueState;

// One thread for the whole process, started when the first operation is held back. While an operation waits
// for another one, the thread polls: notifications of some drivers come later. User events wake it.
class Dispatcher {
 public:
  static Dispatcher& instance();
  void watch(std::shared_ptr<QueueState> queue);
  // A user event was set.
  void wake();

 private:
  void run() noexcept;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::list<std::shared_ptr<QueueState>> queues_;  // with operations held back; the thread only moves entries
  bool started_ = false;
  bool is_woken_ = false;
};

}  // namespace quern::detail
