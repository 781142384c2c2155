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
#include <optional>
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
#include "runtime/restrictions.hpp"

namespace quern::detail {

class ContextState;
class Lanes;
struct LaneGroup;
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
// The state of an out-of-order queue runs nothing itself. Its operations run on its lanes
// (runtime/lanes.hpp), which are in-order queues; their events are events of lanes. A lane records a marker
// after each operation, before it issues the next.
//
// Locks: issue_mutex_ orders the enqueues of this queue, and may be held while another queue's state_mutex_
// is locked. state_mutex_ guards markers, and under it only the backend is called. hazard_mutex() comes
// between the two, and the dispatcher's own lock after issue_mutex_.
class QueueState : public std::enable_shared_from_this<QueueState> {
 public:
  // `group` is that of a lane, null for others.
  QueueState(std::shared_ptr<ContextState> context, std::size_t device,
             std::shared_ptr<backend::Queue> native, const QueueOptions& options, std::shared_ptr<void> owner,
             std::shared_ptr<LaneGroup> group = nullptr);
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;
  ~QueueState();  // objects kept for work in flight are destroyed when that work is done

  // Enqueues an operation after the events of the wait list and after the operations that its uses depend on.
  Event submit(Operation& operation, std::span<const Use> uses, WaitList wait_for,
               std::shared_ptr<void> keep = nullptr, HostUse host = {});
  // The same for a caller that needs no event.
  void submit_only(Operation& operation, std::span<const Use> uses) {
    if (has_restrictions() && intercept(operation, uses, {}, nullptr, {})) return;
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
  bool finish_up_to(const Event& last, Deadline deadline);  // of this queue or of one of its lanes
  // Throws the first failure that is not reported yet.
  void throw_unreported_failure();
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
  enum class Rest : std::uint8_t {
    none,      // nothing is held back any more
    polls,     // the next operation waits for another operation
    is_woken,  // the next operation waits for a user event, or for an operation that is held back itself
  };
  struct Release {
    bool issued = false;  // an operation, for which others may wait
    Rest rest = Rest::polls;
  };
  Release release_held();
  // Whether the dispatcher has this queue in its list. Only the dispatcher uses it, under its lock.
  [[nodiscard]] bool is_watched() const noexcept { return is_watched_; }
  void set_watched(bool value) noexcept { is_watched_ = value; }
  // Says what is held back and why; empty if nothing is.
  [[nodiscard]] std::string held_back();
  // For the queue of a user event, which has one operation: it is done, or failed.
  void resolve(std::shared_ptr<LaunchFailure> failure);

  [[nodiscard]] const std::shared_ptr<ContextState>& context() const noexcept { return context_; }
  [[nodiscard]] std::size_t device() const noexcept { return device_; }
  [[nodiscard]] const Device& device_handle() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::string description() const;  // as Queue::description()
  [[nodiscard]] const DeviceProperties& properties() const noexcept { return properties_; }  // of the device
  [[nodiscard]] bool profiling() const noexcept { return profiling_; }
  [[nodiscard]] bool tracks_memory() const noexcept { return tracking_ == Tracking::all; }
  [[nodiscard]] bool is_out_of_order() const noexcept { return lanes_ != nullptr; }
  [[nodiscard]] backend::Queue& native() noexcept { return *native_; }
  // Whether its operations are recorded in a capture and never run.
  [[nodiscard]] bool is_of_capture() const noexcept { return is_of_capture_; }
  [[nodiscard]] const std::shared_ptr<backend::Queue>& shared_native() const noexcept {
    return shared_native_;
  }

  // Of a lane and of its out-of-order queue: what they share; null for others.
  [[nodiscard]] const LaneGroup* group() const noexcept { return group_.get(); }
  // The same for all lanes of an out-of-order queue.
  [[nodiscard]] const void* identity() const noexcept {
    return group_ ? static_cast<const void*>(group_.get()) : this;
  }
  [[nodiscard]] std::uint64_t last_ticket() const noexcept {
    return next_ticket_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_last(std::uint64_t ticket) const noexcept { return last_ticket() == ticket; }
  // Of a lane: its place among the lanes.
  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  void set_place(std::size_t place) noexcept { place_ = place; }
  // Drops the objects that finished operations kept alive.
  void drop_kept() {
    if (keeps_.load(std::memory_order_relaxed)) poll_markers();
  }
  // The caller holds the lock of the queue:
  [[nodiscard]] bool has_held_back() const noexcept { return !held_.empty(); }
  [[nodiscard]] std::size_t count_held_back() const noexcept { return held_.size(); }
  [[nodiscard]] std::string first_held_back();  // empty if there is none
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
    bool is_native;             // reported by the driver, and not a deferred error of any memory
    bool is_of_source = false;  // of an operation that these depend on, whose own queue reports it
    [[nodiscard]] bool holds(std::uint64_t ticket) const noexcept {
      return ticket >= first && ticket <= last;
    }
  };
  struct PendingErrors {  // the deferred errors that operations depend on
    std::uint64_t first, last;
    DeferredErrorList errors;
  };
  struct Recorded {  // not an event, which would own the queue that holds it
    std::uint64_t ticket;
    backend::TimingPtr timing;
  };

  static constexpr std::uint64_t kMarkerInterval = 64;

  struct Started {
    QueueState* queue;  // this one or, if it is out of order, one of its lanes
    std::uint64_t ticket;
    backend::TimingPtr timing;
  };
  // Checks for open maps. Returns an event if a capture has recorded the operation.
  std::optional<Event> intercept(Operation& operation, std::span<const Use> uses, WaitList wait_for,
                                 std::shared_ptr<void> keep, HostUse host);
  void refuse_captured() const;  // throws for an event of a capture, which is never done
  Started start(Operation& operation, std::span<const Use> uses, WaitList wait_for,
                std::shared_ptr<void> keep, HostUse host);
  // `errors` are the deferred errors that the uses depend on.
  backend::TimingPtr enqueue(std::uint64_t ticket, Operation& operation, std::span<const Use> uses,
                             HostUse host, Dependencies& dependencies, const DeferredErrorList& errors);
  // Calls enqueue() with the next ticket. The caller holds issue_mutex_.
  Started enqueue_next(Operation& operation, std::span<const Use> uses, std::shared_ptr<void> keep,
                       HostUse host, Dependencies& dependencies, const DeferredErrorList& errors);
  // Of a lane: an operation of another lane that waits for the last one does not wait for the next.
  void mark_last();
  // Whether the operation waits for the dispatcher.
  [[nodiscard]] bool is_held_back(std::uint64_t ticket) const noexcept {
    return ticket >= first_held_.load();
  }
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
  void drop_decided_errors();  // those that are cleared; those that are failures become entries of failures_
  void merge_failures() noexcept;
  [[nodiscard]] const DeferredErrorList* find_deferred_errors(std::uint64_t ticket) const;
  void house_keep(std::uint64_t ticket);
  [[nodiscard]] std::shared_ptr<LaunchFailure> unreported_failure();

  std::shared_ptr<ContextState> context_;
  std::shared_ptr<void> owner_;  // keeps a borrowed native queue alive
  std::size_t device_;
  backend::Queue* native_;  // owned by shared_native_
  const DeviceProperties& properties_;
  bool profiling_;
  const std::shared_ptr<QueueMemory> memory_use_;

  Mutex own_issue_mutex_;
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
  // No failure of a ticket is ever dropped: older ones of the same cause are merged into ranges.
  std::vector<Failure> failures_;
  std::size_t merge_failures_at_ = 1024;      // number of entries, so that merging costs little on average
  std::deque<PendingErrors> pending_errors_;  // by ticket
  std::size_t drop_deferred_errors_at_ = 64;  // number of entries, so that dropping costs little on average

  struct IssueSignal {
    std::uint64_t ticket;
    std::shared_ptr<backend::Signal> signal;
  };
  std::vector<IssueSignal> issue_signals_;     // each counts as an issue waiter
  std::shared_ptr<QueueCallbacks> callbacks_;  // null until the first
  const bool is_of_capture_;
  const std::shared_ptr<backend::Queue> shared_native_;  // lanes may share it
  const Tracking tracking_;
  bool is_watched_ = false;                            // guarded by the dispatcher's lock
  std::atomic<std::uint64_t> first_held_{UINT64_MAX};  // the ticket of the first operation in held_
  const std::shared_ptr<LaneGroup> group_;
  const std::unique_ptr<Lanes> lanes_;  // of an out-of-order queue; null for others, also for a lane
  Mutex& issue_mutex_;                  // own_issue_mutex_, or that of the group
  std::size_t place_ = 0;
  const std::string name_;
};

// Returns the queue. Throws ArgumentError if nothing orders its operations on the same memory, which array
// operations and algorithms rely on.
const QueueState& check_orders_memory(const QueueState& queue);

// "one operation is held back: " or the like, with a description of the first; empty if there is none.
[[nodiscard]] std::string held_back_text(std::size_t count, const std::string& first);

}  // namespace quern::detail
