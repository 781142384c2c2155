// SPDX-License-Identifier: MIT
// The thread that calls the functions of Event::on_done().
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/futex.hpp"
#include "runtime/callbacks.hpp"

namespace quern::detail {

// One thread for the whole process, started with the first function. It is never joined: it runs until the
// process ends.
class CallbackThread final : public CallbackServer {
 public:
  static const std::shared_ptr<CallbackThread>& instance();
  // The functions of a queue. Starts the thread if necessary.
  std::shared_ptr<QueueCallbacks> make_callbacks();
  void count() noexcept override;

 private:
  void run() noexcept;
  // Polls for a limited time. Returns whether there is a queue to serve.
  bool poll(std::uint32_t seen) noexcept;
  void sleep(std::uint32_t seen, std::chrono::steady_clock::time_point until) noexcept;
  void wake() noexcept override;
  void serve_all() noexcept;

  futex::Word progress_{0};
  std::atomic<bool> sleeps_{false};       // a thread that changes progress_ must wake it
  std::atomic<bool> sleeps_long_{false};  // it waits for the first function

  std::mutex mutex_;
  bool started_ = false;
  std::vector<std::weak_ptr<QueueCallbacks>> watched_;
};

}  // namespace quern::detail
