// SPDX-License-Identifier: MIT
// In-order queues of the host device, and lanes of out-of-order ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/graph.hpp"
#include "backend/host/operations.hpp"
#include "base/futex.hpp"

namespace quern::backend::host {

// State that a queue shares with its markers and its pending operations; it outlives the queue until they are
// done.
//
// Operations are numbered by tickets. At most one is running: it has been handed to the thread pool, or waits
// for another queue. The thread that ends it begins the next, so no operation waits for the program.
class QueueState : public std::enable_shared_from_this<QueueState> {
 public:
  // The pool runs the operations; it is never destroyed. A thread that waits for a lane of an out-of-order
  // queue works for the other lanes, too.
  QueueState(ThreadPool& pool, bool is_lane) : pool_(pool), is_lane_(is_lane) {
    failures_.reserve(1);  // a failure is kept even if there is no memory for more
  }

  [[nodiscard]] ThreadPool& pool() const noexcept { return pool_; }

  [[nodiscard]] std::uint64_t enqueued() const noexcept { return enqueued_.load(std::memory_order_acquire); }
  [[nodiscard]] bool reached(std::uint64_t ticket) const noexcept {
    return completed_.load(std::memory_order_acquire) >= ticket;
  }
  // False forever after a failure: the markers say which operation it was.
  [[nodiscard]] bool idle() const noexcept { return reached(enqueued()) && !has_failed_.load(); }

  // Called only by the enqueueing thread.
  void enqueue(std::shared_ptr<Operation> operation);
  // Runs the work on this thread, between two tickets of an idle queue.
  template <class Work>
  void run_inline(Work&& work) {
    const std::uint64_t ticket = enqueued() + 1;
    enqueued_.store(ticket, std::memory_order_release);
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    completed_inline(ticket, failure);
  }

  // Waits for the ticket and helps with the work; false if the deadline came first.
  bool wait(std::uint64_t ticket, Deadline deadline);

  // Continues `waiter`, whose running operation waits for this queue, once the ticket is reached. False if it
  // is reached already.
  bool notify_at(std::uint64_t ticket, std::shared_ptr<QueueState> waiter);
  // Raises the signal once the ticket is reached, immediately if it is reached already.
  void notify_at(std::uint64_t ticket, std::shared_ptr<Signal> signal);

  // The first failure among the operations after `since` and up to `ticket`.
  [[nodiscard]] std::exception_ptr failure(std::uint64_t since, std::uint64_t ticket);

  // The ticket of a marker that is recorded now, and that of the marker before it.
  std::pair<std::uint64_t, std::uint64_t> mark();

  // The queue's running operation is done: retires it and begins the next. An enqueueing thread does not run
  // other queues' work; a worker or a waiter runs short operations itself.
  enum class By : std::uint8_t { enqueuer, worker };
  static void advance(const std::shared_ptr<QueueState>& queue, By by) noexcept;

 private:
  struct Dependent {
    std::uint64_t ticket;
    std::shared_ptr<QueueState> queue;  // to continue, or null
    std::shared_ptr<Signal> signal;     // to raise, or null
    // The thread behind the signal does not help with the work, so a worker may take its place.
    std::unique_ptr<ThreadPool::Lending> lending;
  };
  struct Failure {
    std::uint64_t ticket;
    std::exception_ptr what;
  };

  bool begin(const std::shared_ptr<Operation>& operation, Deadline direct_until);
  void step(Deadline direct_until);
  std::shared_ptr<Operation> retire();
  void completed_inline(std::uint64_t ticket, const std::exception_ptr& failure);
  void note_failure(std::uint64_t ticket, std::exception_ptr what);  // under the lock
  // False if the ticket is reached already.
  bool add_dependent(Dependent&& dependent);
  // Continues the queues that wait for completed operations, and raises signals. Allocates nothing, because
  // there may be no memory.
  void advance_dependents(By by) noexcept;
  void wake_sleepers() noexcept;
  [[nodiscard]] std::shared_ptr<Operation> running();
  void sleep(std::uint64_t ticket, const Operation* on, ThreadPool* lent_to, Deadline until);

  ThreadPool& pool_;
  const bool is_lane_;
  std::atomic<std::uint64_t> enqueued_{0}, completed_{0};
  std::atomic<std::uint32_t> sleepers_{0}, dependent_count_{0};
  futex::Word progress_{0};  // changes with every completed operation while a thread sleeps

  std::mutex mutex_;  // guards the members below
  std::shared_ptr<Operation> running_;
  std::deque<std::shared_ptr<Operation>> pending_;
  std::vector<Dependent> dependents_;
  std::vector<Failure> failures_;
  std::atomic<bool> has_failed_{false};
  std::uint64_t marked_ = 0, marked_before_ = 0;
};

class HostMarker final : public Marker {
 public:
  HostMarker(std::shared_ptr<QueueState> queue, std::uint64_t since, std::uint64_t ticket)
      : queue_(std::move(queue)), since_(since), ticket_(ticket) {}
  [[nodiscard]] bool done() override { return queue_->reached(ticket_); }
  bool wait(Deadline deadline) override { return queue_->wait(ticket_, deadline); }
  void notify(std::shared_ptr<Signal> signal) override { queue_->notify_at(ticket_, std::move(signal)); }
  [[nodiscard]] std::exception_ptr error() const override { return queue_->failure(since_, ticket_); }

  [[nodiscard]] const std::shared_ptr<QueueState>& queue() const noexcept { return queue_; }
  [[nodiscard]] std::uint64_t ticket() const noexcept { return ticket_; }

 private:
  std::shared_ptr<QueueState> queue_;
  std::uint64_t since_, ticket_;
};

class HostQueue final : public Queue, public GraphQueue {
 public:
  HostQueue(ThreadPool& pool, const QueueOptions& options)
      : state_(std::make_shared<QueueState>(pool, options.out_of_order)), options_(options) {}

  TimingPtr launch(Function& function, const LaunchShape& shape,
                   std::span<const Argument> arguments) override;
  TimingPtr launch_observed(Function& function, const LaunchShape& shape, std::span<const Argument> arguments,
                            ObserverSource& observers) override;
  TimingPtr fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                 std::span<const std::byte> pattern) override;
  TimingPtr copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                 std::size_t nbytes) override;
  TimingPtr write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) override;
  TimingPtr read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) override;
  TimingPtr copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) override;

  TimingPtr call_observed(std::function<void(std::uintptr_t native)> function,
                          ObserverSource& observers) override;

  std::unique_ptr<Graph> make_graph(std::span<const GraphStep> steps) override;
  // Runs work that takes about so long, on this thread if that is short and nothing is enqueued. An observer
  // receives its failure.
  TimingPtr run(std::function<void()> work, double expected_ns, ObserverSource& observers);
  // A lane is a queue of its own: all queues share the thread pool.
  std::unique_ptr<Queue> make_lane() override {
    return std::make_unique<HostQueue>(state_->pool(), options_);
  }
  // Ready work is taken from queues of a higher priority first.
  [[nodiscard]] int priority() const noexcept override { return options_.priority; }

  std::shared_ptr<Marker> record() override;
  bool wait(const std::shared_ptr<Marker>& marker) override;
  void flush() override {}  // work starts when it is enqueued
  [[nodiscard]] bool idle() const noexcept override { return state_->idle(); }
  [[nodiscard]] bool reads_host_memory_early() const noexcept override { return false; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override { return 0; }

 private:
  // `observers` may be null.
  TimingPtr launch(Function& function, const LaunchShape& shape, std::span<const Argument> arguments,
                   ObserverSource* observers);
  TimingPtr enqueue(std::shared_ptr<Operation> operation);
  template <class Work>
  TimingPtr run_inline(Work&& work);
  TimingPtr move(void* to, const void* from, std::size_t nbytes);

  std::shared_ptr<QueueState> state_;
  QueueOptions options_;
};

}  // namespace quern::backend::host
