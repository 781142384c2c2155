// SPDX-License-Identifier: MIT
// The state behind a Queue: tickets, markers, held-back operations, and the objects that they keep alive.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/mutex.hpp"
#include "quern/device.hpp"
#include "quern/event.hpp"
#include "runtime/hazards.hpp"
#include "runtime/launch_errors.hpp"
#include "runtime/operation.hpp"

namespace quern::detail {

class ContextState;
class QueueCallbacks;
struct QueueMemory;

// An operation's use of memory.
struct Use {
  UseRecord* record = nullptr;
  ByteRange range;
  Usage usage = Usage::reads;
  [[nodiscard]] bool writes() const noexcept { return usage != Usage::reads; }
};

// Host memory that an operation reads (an upload) or writes (a read), if any.
struct HostUse {
  const void* at = nullptr;
  std::size_t nbytes = 0;
  bool writes = false;
};

// Tickets count from 1. Ticket t is done once a marker recorded at or after t is done. Markers are recorded
// when a thread waits, and every kMarkerInterval tickets, so that a wait covers few later operations.
//
// Locks: issue_mutex_ orders the enqueues of this queue, and may be held while another queue's state_mutex_
// is locked. state_mutex_ guards markers, and under it only the backend is called. hazard_mutex() comes
// between the two, and the dispatcher's own lock after issue_mutex_.
class QueueState : public std::enable_shared_from_this<QueueState> {
 public:
  QueueState(std::shared_ptr<ContextState> context, std::size_t device,
             std::unique_ptr<backend::Queue> native, bool profiling, std::shared_ptr<void> owner);
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;
  ~QueueState();  // objects kept for work in flight are destroyed when that work is done

  // Enqueues an operation after the events of the wait list and after the operations that its uses depend on.
  Event submit(Operation& operation, std::span<const Use> uses, WaitList wait_for,
               std::shared_ptr<void> keep = nullptr, HostUse host = {});
  // The same for a caller that needs no event.
  void submit_only(Operation& operation, std::span<const Use> uses) {
    (void)start(operation, uses, {}, nullptr, {});
  }

  // Returns whether the ticket is known to be done, without querying the driver.
  [[nodiscard]] bool known_done(std::uint64_t ticket) noexcept;
  // Queries the driver, too.
  [[nodiscard]] bool done(std::uint64_t ticket);
  // The same for a thread that holds hazard_mutex(). Objects that operations kept alive are dropped later,
  // because they may be memory with uses of its own.
  [[nodiscard]] bool done_under_lock(std::uint64_t ticket);
  // Waits. Returns false if the deadline passes first. Does not throw for a failed operation: see failure().
  bool wait_until(std::uint64_t ticket, Deadline deadline);
  // Raises the signal when the operation is done or, if it is held back, when it is issued. The caller then
  // asks again. Returns false if the operation is done.
  bool notify(std::uint64_t ticket, const std::shared_ptr<backend::Signal>& signal);
  // Calls the function when the operation is done.
  void on_done(const Event& event, std::function<void(const Event&)> function);
  // Waits for everything enqueued so far, and throws the first failure that is not reported yet.
  bool finish_until(Deadline deadline);
  bool finish_up_to(std::uint64_t ticket, Deadline deadline);
  // Enqueues pending expressions of this queue.
  void enqueue_pending();
  void flush();

  // Returns null if neither the operation nor a launch that it depends on has failed. finish_until() does not
  // throw a failure that was reported.
  [[nodiscard]] std::exception_ptr failure(std::uint64_t ticket, bool reports = false);
  // The same before its text is complete. Completing the text may wait, so no lock may be held then.
  [[nodiscard]] std::shared_ptr<LaunchFailure> find_failure(std::uint64_t ticket);
  // As failure(), without failures of launches, which are deferred errors of the memory that they wrote.
  [[nodiscard]] std::exception_ptr native_failure(std::uint64_t ticket);
  // Records that an operation failed. Its deferred error calls this.
  void add_failure(std::uint64_t ticket, std::shared_ptr<LaunchFailure> failure) noexcept;
  // Throws if a read returned invalid elements.
  void check_deferred_errors_of(std::uint64_t ticket);
  // Returns the deferred errors that make this operation, and operations that wait for it, fail.
  [[nodiscard]] DeferredErrorList launch_errors_of(std::uint64_t ticket);
  [[nodiscard]] bool issued(std::uint64_t ticket) const noexcept { return issued_.load() >= ticket; }

  // Returns a marker that is done no earlier than the ticket; null while the ticket is held back.
  std::shared_ptr<backend::Marker> marker_for(std::uint64_t ticket);

  // Issues held-back operations that have become ready. The dispatcher calls this.
  enum class Release : std::uint8_t {
    all,       // nothing is held back any more
    polls,     // the next operation waits for another operation
    is_woken,  // the next operation waits for a user event
  };
  Release release_held();
  // Says what is held back and why; empty if nothing is.
  [[nodiscard]] std::string held_back();
  // For the queue of a user event, which has one operation: it is done, or failed.
  void resolve(std::shared_ptr<LaunchFailure> failure);

  [[nodiscard]] const std::shared_ptr<ContextState>& context() const noexcept { return context_; }
  [[nodiscard]] std::size_t device() const noexcept { return device_; }
  [[nodiscard]] const Device& device_handle() const noexcept;
  [[nodiscard]] const DeviceProperties& properties() const noexcept { return properties_; }  // of the device
  [[nodiscard]] bool profiling() const noexcept { return profiling_; }
  [[nodiscard]] backend::Queue& native() noexcept { return *native_; }
  // What the buffers that were allocated for this queue take from the pool.
  [[nodiscard]] const std::shared_ptr<QueueMemory>& memory_use() const noexcept { return memory_use_; }

  // While recording, the event of each operation is kept for the caller.
  [[nodiscard]] bool recording() const noexcept { return recording_.load(std::memory_order_relaxed); }
  void start_recording();
  std::vector<Event> stop_recording();

 private:
  struct Marked {
    std::uint64_t ticket;
    std::shared_ptr<backend::Marker> marker;
  };
  // The times of a held-back operation, which are set when it is issued.
  class HeldTiming : public backend::Timing {
   public:
    void set(backend::TimingPtr timing) { timing_ = std::move(timing); }
    Times times() override { return timing_ ? timing_->times() : Times{}; }

   private:
    backend::TimingPtr timing_;
  };
  struct Held {
    std::uint64_t ticket;
    std::unique_ptr<Operation> operation;
    std::vector<Dependency> dependencies, sources;
    std::shared_ptr<HeldTiming> timing;
    DeferredErrorList causes;            // deferred errors of launches that it depends on
    std::shared_ptr<LaunchError> error;  // its own deferred error
    // Returns the failure of an operation that it depends on, if one is known by now.
    [[nodiscard]] std::shared_ptr<LaunchFailure> known_failure() const;
  };
  struct Kept {
    std::uint64_t ticket;
    std::shared_ptr<void> thing;
  };
  struct Failure {
    std::uint64_t first, last;
    std::shared_ptr<LaunchFailure> failure;
    bool is_native;  // reported by the driver, and not a deferred error of any memory
    [[nodiscard]] bool holds(std::uint64_t ticket) const noexcept {
      return ticket >= first && ticket <= last;
    }
  };
  struct PendingErrors {  // the deferred errors that an operation depends on
    std::uint64_t ticket;
    DeferredErrorList errors;
  };
  struct Recorded {  // not an event, which would own the queue that holds it
    std::uint64_t ticket;
    backend::TimingPtr timing;
  };

  static constexpr std::uint64_t kMarkerInterval = 64;

  struct Started {
    std::uint64_t ticket;
    backend::TimingPtr timing;
  };
  Started start(Operation& operation, std::span<const Use> uses, WaitList wait_for,
                std::shared_ptr<void> keep, HostUse host);
  // `errors` are the deferred errors that the uses depend on.
  backend::TimingPtr enqueue(std::uint64_t ticket, Operation& operation, std::span<const Use> uses,
                             HostUse host, Dependencies& dependencies, const DeferredErrorList& errors);
  // Makes the native queue wait. Returns false if it cannot wait yet, or not by itself.
  bool wait_natively(const Dependency& dependency);
  // Returns whether an operation need not be held back for this dependency any more.
  bool is_over(const Dependency& dependency) {
    return dependency.queue->done(dependency.ticket) || wait_natively(dependency);
  }
  void set_issued(std::uint64_t ticket);
  void set_done(std::uint64_t ticket);  // the caller holds state_mutex_
  void poll_markers();                  // records which are done, and drops the objects that they kept alive
  void note_done_markers();             // the caller holds state_mutex_
  // Records the deferred errors that an operation depends on.
  void add_deferred_errors(std::uint64_t ticket, DeferredErrorList errors);
  // The caller holds state_mutex_:
  void drop_cleared_errors();
  [[nodiscard]] const DeferredErrorList* find_deferred_errors(std::uint64_t ticket) const;
  void house_keep(std::uint64_t ticket);
  [[nodiscard]] std::shared_ptr<LaunchFailure> unreported_failure();

  std::shared_ptr<ContextState> context_;
  std::shared_ptr<void> owner_;  // keeps a borrowed native queue alive
  std::size_t device_;
  std::unique_ptr<backend::Queue> native_;
  const DeviceProperties& properties_;
  bool profiling_;
  const std::shared_ptr<QueueMemory> memory_use_;

  Mutex issue_mutex_;
  std::atomic<std::uint64_t> next_ticket_{0};  // the last one given out
  std::deque<Held> held_;                      // guarded by issue_mutex_
  std::atomic<bool> recording_{false};         // written with issue_mutex_ held
  std::vector<Recorded> recorded_;             // guarded by issue_mutex_

  std::atomic<std::uint64_t> issued_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> has_pending_errors_{false};
  std::atomic<bool> keeps_{false};     // kept_ is not empty
  std::atomic<int> issue_waiters_{0};  // threads that wait for a ticket to be issued

  std::mutex state_mutex_;
  std::condition_variable issued_changed_;
  std::deque<Marked> markers_;  // by ticket
  std::deque<Kept> kept_;       // by ticket
  std::vector<Failure> failures_;
  std::deque<PendingErrors> pending_errors_;  // by ticket
  std::size_t drop_deferred_errors_at_ = 64;  // number of entries, so that dropping costs little on average

  struct IssueSignal {
    std::uint64_t ticket;
    std::shared_ptr<backend::Signal> signal;
  };
  std::vector<IssueSignal> issue_signals_;     // each counts as an issue waiter
  std::shared_ptr<QueueCallbacks> callbacks_;  // null until the first
};

}  // namespace quern::detail
