// SPDX-License-Identifier: MIT
// Issues operations that were held back, once what they wait for is resolved.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

namespace quern::detail {

class QueueState;

// One thread for the whole process, started when the first operation is held back. It polls: what it waits
// for are events of other backends, which tell nobody when they are done.
class Dispatcher {
 public:
  static Dispatcher& instance();
  void watch(std::shared_ptr<QueueState> queue);

 private:
  void run() noexcept;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::list<std::shared_ptr<QueueState>> queues_;  // with something held back; its thread moves entries only
  bool started_ = false;
};

}  // namespace quern::detail
