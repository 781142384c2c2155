// SPDX-License-Identifier: MIT
// Tickets and markers of a queue; operations that it holds back are in held_operations.cpp.
#include "runtime/queue_state.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "base/process.hpp"
#include "quern/error.hpp"
#include "runtime/callback_thread.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/context_state.hpp"
#include "runtime/dispatcher.hpp"
#include "runtime/eager.hpp"
#include "runtime/lanes.hpp"
#include "runtime/open_maps.hpp"
#include "runtime/pending.hpp"
#include "runtime/pending_host_writes.hpp"
#include "runtime/queue_memory.hpp"
#include "runtime/submission.hpp"
#include "runtime/user_event_queue.hpp"
#include "runtime/waiting.hpp"

namespace quern::detail {

QueueState::QueueState(std::shared_ptr<ContextState> context, std::size_t device,
                       std::shared_ptr<backend::Queue> native, const QueueOptions& options,
                       std::shared_ptr<void> owner, std::shared_ptr<LaneGroup> group)
    : context_(std::move(context)),
      owner_(std::move(owner)),
      device_(device),
      native_(native.get()),
      properties_(device_handle().properties()),
      profiling_(options.profiling),
      memory_use_(std::make_shared<QueueMemory>()),
      is_of_capture_([&] {
        const auto* const events = dynamic_cast<const UserEventQueue*>(native_);
        return events != nullptr && events->is_of_capture();
      }()),
      shared_native_(std::move(native)),
      tracking_(options.track_memory ? Tracking::all : Tracking::former_owners),
      group_(!group && options.out_of_order ? std::make_shared<LaneGroup>() : group),
      lanes_(!group && group_ ? std::make_unique<Lanes>(*this, group_, options) : nullptr),
      issue_mutex_(group_ ? group_->issue_mutex : own_issue_mutex_),
      name_(options.name) {
  failures_.reserve(8);  // these can be recorded even if no memory is left
}

QueueState::~QueueState() {
  struct InUse {
    std::shared_ptr<void> owner;
    std::deque<Kept> kept;
  };
  if ((kept_.empty() && !owner_) || known_done(issued_.load())) return;
  auto rest = std::make_shared<InUse>(InUse{std::move(owner_), std::move(kept_)});
  std::shared_ptr<backend::Marker> marker;
  if (!process::must_not_touch_drivers()) {
    try {
      marker = native_->record();
    } catch (const std::exception&) {
      marker = nullptr;  // a lost device
    }
  }
  if (marker) {
    defer_release(std::move(marker), std::move(rest));
  } else {
    // Leaked: without the device nothing reports when it may be destroyed.
    static_cast<void>(new std::shared_ptr<InUse>(std::move(rest)));
  }
}

const Device& QueueState::device_handle() const noexcept {
  return context_->devices()[device_];
}

std::string QueueState::description() const {
  return (name_.empty() ? "a queue" : "queue '" + name_ + "'") + " of '" + device_handle().spec() + "'";
}

Event QueueState::submit(Operation& operation, std::span<const Use> uses, WaitList wait_for,
                         std::shared_ptr<void> keep, HostUse host) {
  if (has_restrictions()) [[unlikely]] {
    if (std::optional<Event> captured = intercept(operation, uses, wait_for, keep, host)) return *captured;
  }
  Started started = start(operation, uses, wait_for, std::move(keep), host);
  return {started.queue->shared_from_this(), started.ticket, std::move(started.timing)};
}

std::optional<Event> QueueState::intercept(Operation& operation, std::span<const Use> uses, WaitList wait_for,
                                           std::shared_ptr<void> keep, HostUse host) {
  if (OpenMaps::any()) OpenMaps::instance().check(uses);
  if (CaptureState* const capture = CaptureState::current())
    return capture->take(*this, operation, uses, wait_for, std::move(keep), host);
  if (const CaptureState* const paused = CaptureState::of_thread()) paused->check_independent(uses);
  return std::nullopt;
}

void QueueState::refuse_captured() const {
  if (!is_of_capture_) return;
  throw CaptureError(
      "the event belongs to a captured operation, which runs only when its graph is launched: wait for the "
      "event that launch() of the graph returns");
}

QueueState::Started QueueState::start(Operation& operation, std::span<const Use> uses, WaitList wait_for,
                                      std::shared_ptr<void> keep, HostUse host) {
  process::check_not_forked();
  for (const Use& use : uses) {
    if (use.writes() && use.record->laziness().is_read.load(std::memory_order_relaxed))
      pending_work.load()->before_write(*use.record);
  }
  // Destroyed after the locks are released, because it may hold the last reference to a queue.
  Dependencies dependencies;
  DeferredErrorList errors;
  // Without tracking, the operation does not depend on what wrote its memory.
  if (DeferredError::live.load(std::memory_order_relaxed) != 0 && tracks_memory())
    errors = deferred_errors_of(uses);
  for (const Event& event : wait_for) {
    const auto& queue = event.queue_state();
    if (!queue) continue;
    queue->refuse_captured();
    if (auto failure = queue->find_failure(event.ticket()))
      std::rethrow_exception(
          LaunchFailure(std::move(failure), description_of(operation), {description(), current_origin})
              .error());
    merge_deferred_errors(errors, queue->launch_errors_of(event.ticket()));
    if (queue.get() != this && !queue->known_done(event.ticket()))
      dependencies.add_source(queue, event.ticket());
  }

  std::unique_lock issue(issue_mutex_);
  Started started;
  if (!lanes_) {
    started = enqueue_next(operation, uses, std::move(keep), host, dependencies, errors);
  } else {
    const OperationKind kind = operation.details().kind;
    QueueState& lane = lanes_->choose(kind, uses, wait_for, dependencies);
    started = lane.enqueue_next(operation, uses, std::move(keep), host, dependencies, errors);
    lanes_->enqueued(kind, lane, started.ticket);
    if (recording_) lanes_->record({lane.shared_from_this(), started.ticket, started.timing});
  }
  issue.unlock();
  if (SubmissionObserver* const observer = submission_observer.load(std::memory_order_acquire)) [[unlikely]]
    observer->submitted({started.queue->shared_from_this(), started.ticket, started.timing, operation, uses,
                         dependencies.list()});
  if (eager_depth != 0 && host.nbytes == 0 && !uses.empty()) {
    wait_with_hook([&](Deadline deadline) { return started.queue->wait_until(started.ticket, deadline); });
    if (const std::exception_ptr error = started.queue->failure(started.ticket, true))
      std::rethrow_exception(error);
  }
  return started;
}

QueueState::Started QueueState::enqueue_next(Operation& operation, std::span<const Use> uses,
                                             std::shared_ptr<void> keep, HostUse host,
                                             Dependencies& dependencies, const DeferredErrorList& errors) {
  const std::uint64_t ticket = (group_ ? group_->last_ticket : last_ticket()) + 1;
  if (keep) {
    const std::lock_guard lock(state_mutex_);
    kept_.push_back({ticket, std::move(keep)});
    keeps_.store(true, std::memory_order_relaxed);
  }
  if (group_) {
    group_->last_ticket = ticket;
    mark_last();
  }
  next_ticket_.store(ticket, std::memory_order_relaxed);
  try {
    return {this, ticket, enqueue(ticket, operation, uses, host, dependencies, errors)};
  } catch (...) {
    // No operation runs under this ticket, but a thread that waits for it must not wait forever.
    if (held_.empty()) {
      set_issued(ticket);
    } else if (held_.back().ticket != ticket) {
      held_.push_back({ticket, nullptr, {}, {}, nullptr, {}, nullptr});
    }
    throw;
  }
}

backend::TimingPtr QueueState::enqueue(std::uint64_t ticket, Operation& operation, std::span<const Use> uses,
                                       HostUse host, Dependencies& dependencies,
                                       const DeferredErrorList& errors) {
  const auto address = reinterpret_cast<std::uintptr_t>(host.at);
  if (host.nbytes != 0 && !host.writes && tracks_memory()) {
    PendingHostWrites::instance().collect({address, address + host.nbytes},
                                          native_->reads_host_memory_early(), dependencies);
  }
  {
    const std::lock_guard lock(hazard_mutex());
    for (const Use& use : uses) use.record->add(*this, ticket, use.range, use.usage, tracking_, dependencies);
  }
  // The errors are attached first: a thread that finds the operation done must also find the errors of its
  // inputs.
  if (!errors.empty()) {
    for (const Use& use : uses)
      if (use.writes() && !use.record->deferred_errors().is_exempt())
        use.record->deferred_errors().add(use.range, errors);
  }
  const bool ready = held_.empty() && std::all_of(dependencies.list().begin(), dependencies.list().end(),
                                                  [&](const Dependency& d) { return wait_natively(d); });
  const auto is_of_launch = [](const DeferredErrorPtr& error) { return error->is_of_launch(); };
  DeferredErrorList launch_errors;
  if (!errors.empty())
    std::copy_if(errors.begin(), errors.end(), std::back_inserter(launch_errors), is_of_launch);
  // The deferred error of a kernel replaces those that it depends on. The deferred error of any other
  // operation is resolved when it is issued, possibly before those that it depends on.
  const bool may_fail = operation.may_fail();
  static const DeferredErrorList none;
  const DeferredErrorList& covered = may_fail ? launch_errors : none;
  LaunchErrorSource deferred(*this, ticket, covered);
  backend::TimingPtr timing;
  if (ready) {
    try {
      timing = operation.issue(*native_, deferred);
    } catch (...) {
      deferred.issued(std::current_exception());
      throw;
    }
    set_issued(ticket);
    if (ticket % kMarkerInterval == 0) house_keep(ticket);
  } else {
    const bool has_times = profiling_ || submission_observer.load(std::memory_order_relaxed) != nullptr;
    auto held_timing = has_times ? std::make_shared<HeldTiming>() : nullptr;
    deferred.make();  // the driver may reject it later, and its inputs may fail
    Dispatcher::instance().watch(
        shared_from_this());  // first, because it may throw; its thread waits for our lock
    held_.push_back({ticket, operation.detach(), dependencies.list(), dependencies.sources(), held_timing,
                     launch_errors, deferred.made()});
    first_held_.store(held_.front().ticket);
    timing = std::move(held_timing);
  }
  if (host.nbytes != 0 && host.writes && !known_done(ticket))
    PendingHostWrites::instance().add(shared_from_this(), ticket, {address, address + host.nbytes});
  if (deferred.made() || DeferredError::live.load(std::memory_order_relaxed) != 0) {
    const bool is_deferred = deferred.made() && !deferred.made()->is_cleared();
    DeferredErrorList now = errors;
    if (is_deferred && may_fail) std::erase_if(now, is_of_launch);
    if (is_deferred) merge_deferred_errors(now, {deferred.made()});
    set_deferred_errors(uses, now, is_deferred ? covered : none);
    if (!host.writes) std::erase_if(now, std::not_fn(is_of_launch));
    add_deferred_errors(ticket, std::move(now));
  }
  if (recording_) recorded_.push_back({ticket, timing});
  return timing;
}

bool QueueState::wait_natively(const Dependency& dependency) {
  if (dependency.queue.get() == this && !dependency.on_host) return true;
  // Lanes that share an in-order native queue.
  if (dependency.queue->native_ == native_ && !dependency.on_host &&
      dependency.queue->issued(dependency.ticket))
    return true;
  // A query is cheaper than a wait on the device, and later operations need not query again.
  if (dependency.queue->done(dependency.ticket)) return true;
  if (dependency.on_host) return false;
  const std::shared_ptr<backend::Marker> marker = dependency.queue->marker_for(dependency.ticket);
  return marker && native_->wait(marker);
}

void QueueState::mark_last() {
  const std::uint64_t last = issued_.load(std::memory_order_relaxed);
  if (!known_done(last)) (void)marker_for(last);
}

void QueueState::set_issued(std::uint64_t ticket) {
  issued_.store(ticket);
  if (issue_waiters_.load() == 0) return;  // a waiter counts itself before it reads issued_
  for (;;) {
    std::shared_ptr<backend::Signal> signal;
    {
      const std::lock_guard lock(state_mutex_);
      const auto found = std::find_if(issue_signals_.begin(), issue_signals_.end(),
                                      [&](const IssueSignal& each) { return each.ticket <= ticket; });
      if (found == issue_signals_.end()) break;
      signal = std::move(found->signal);
      issue_signals_.erase(found);
      issue_waiters_.fetch_sub(1);
    }
    signal->raise();
  }
  issued_changed_.notify_all();
}

bool QueueState::notify(std::uint64_t ticket, const std::shared_ptr<backend::Signal>& signal) {
  refuse_captured();
  for (;;) {
    if (done(ticket)) return false;
    if (const std::shared_ptr<backend::Marker> marker = marker_for(ticket)) {
      marker->notify(signal);
      return true;
    }
    const std::lock_guard lock(state_mutex_);
    issue_waiters_.fetch_add(1);
    if (issued_.load() < ticket) {
      issue_signals_.push_back({ticket, signal});
      return true;
    }
    issue_waiters_.fetch_sub(1);
  }
}

void QueueState::on_done(const Event& event, std::function<void(const Event&)> function) {
  process::check_not_forked();
  refuse_captured();
  std::shared_ptr<QueueCallbacks> callbacks;
  {
    const std::lock_guard lock(state_mutex_);
    callbacks = callbacks_;
  }
  if (!callbacks) {
    auto made = CallbackThread::instance()->make_callbacks();
    const std::lock_guard lock(state_mutex_);
    if (!callbacks_) callbacks_ = std::move(made);
    callbacks = callbacks_;
  }
  callbacks->add(event, std::move(function));
}

bool QueueState::known_done(std::uint64_t ticket) noexcept {
  if (done_.load(std::memory_order_acquire) >= ticket) return true;
  // The order matters: an operation that is issued after this line may still be running.
  const std::uint64_t issued = issued_.load(std::memory_order_acquire);
  if (issued < ticket || !native_->idle()) return false;
  std::uint64_t seen = done_.load(std::memory_order_relaxed);
  while (seen < issued && !done_.compare_exchange_weak(seen, issued, std::memory_order_release)) {
  }
  return true;
}

bool QueueState::done(std::uint64_t ticket) {
  if (known_done(ticket)) return true;
  if (!marker_for(ticket)) return false;
  poll_markers();
  return done_.load(std::memory_order_acquire) >= ticket;
}

bool QueueState::done_under_lock(std::uint64_t ticket) {
  if (known_done(ticket)) return true;
  if (!marker_for(ticket)) return false;
  const std::lock_guard lock(state_mutex_);
  note_done_markers();
  return done_.load(std::memory_order_acquire) >= ticket;
}

std::shared_ptr<backend::Marker> QueueState::marker_for(std::uint64_t ticket) {
  const std::lock_guard lock(state_mutex_);
  const auto found =
      std::lower_bound(markers_.begin(), markers_.end(), ticket,
                       [](const Marked& marked, std::uint64_t wanted) { return marked.ticket < wanted; });
  if (found != markers_.end()) return found->marker;
  const std::uint64_t issued = issued_.load(std::memory_order_acquire);
  if (issued < ticket) return nullptr;
  markers_.push_back({issued, native_->record()});
  return markers_.back().marker;
}

void QueueState::note_done_markers() {
  while (!markers_.empty() && markers_.front().marker->done()) {
    const Marked marked = std::move(markers_.front());
    markers_.pop_front();
    if (const std::exception_ptr error = marked.marker->error()) {
      failures_.push_back({done_.load(std::memory_order_relaxed) + 1, marked.ticket,
                           std::make_shared<LaunchFailure>(error), true});
      has_failed_.store(true);
    }
    set_done(marked.ticket);
  }
}

void QueueState::poll_markers() {
  std::deque<Kept> gone;  // destroyed after the lock is released
  const std::lock_guard lock(state_mutex_);
  note_done_markers();
  const std::uint64_t done = done_.load(std::memory_order_relaxed);
  while (!kept_.empty() && kept_.front().ticket <= done) {
    gone.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
  keeps_.store(!kept_.empty(), std::memory_order_relaxed);
}

void QueueState::set_done(std::uint64_t ticket) {
  std::uint64_t seen = done_.load(std::memory_order_relaxed);
  while (seen < ticket && !done_.compare_exchange_weak(seen, ticket, std::memory_order_release)) {
  }
}

bool QueueState::wait_until(std::uint64_t ticket, Deadline deadline) {
  process::check_not_forked();
  std::optional<ObservedWait> observed;
  for (;;) {
    if (known_done(ticket)) {
      if (keeps_.load(std::memory_order_relaxed)) poll_markers();
      return true;
    }
    if (!observed) observed.emplace(*this, ticket);
    if (const std::shared_ptr<backend::Marker> marker = marker_for(ticket)) {
      if (!marker->wait(deadline)) return false;
      poll_markers();
      continue;
    }
    refuse_captured();
    std::unique_lock lock(state_mutex_);
    issue_waiters_.fetch_add(1);
    const auto is_issued = [&] { return issued_.load() >= ticket; };
    bool in_time = true;
    if (deadline == Deadline::max()) {
      issued_changed_.wait(lock, is_issued);
    } else {
      in_time = issued_changed_.wait_until(lock, deadline, is_issued);
    }
    issue_waiters_.fetch_sub(1);
    if (!in_time) return false;
  }
}

void QueueState::enqueue_pending() {
  if (group_ && !lanes_) return;  // expressions are recorded on the out-of-order queue, not on its lanes
  if (PendingWork* const work = pending_work.load()) work->before_finish(*this);
}

bool QueueState::finish_until(Deadline deadline) {
  if (has_restrictions()) {
    if (const CaptureState* const capture = CaptureState::current(); capture && capture->captures(*this))
      throw CaptureError("the queue is captured and cannot be waited for: leave the capture first");
  }
  enqueue_pending();
  return lanes_ ? lanes_->finish_until(deadline) : finish_up_to(last_ticket(), deadline);
}

bool QueueState::finish_up_to(const Event& last, Deadline deadline) {
  if (last.queue_state()->identity() != identity())
    throw ArgumentError(ArgumentError::Kind::value, "the event belongs to another queue");
  return lanes_ ? lanes_->finish_up_to(last, deadline) : finish_up_to(last.ticket(), deadline);
}

bool QueueState::finish_up_to(std::uint64_t ticket, Deadline deadline) {
  if (ticket != 0 && !wait_until(ticket, deadline)) return false;
  release_unused();
  throw_unreported_failure();
  if (unread_index_errors.load(std::memory_order_relaxed) != 0)
    pending_work.load()->after_finish(*this, ticket);
  return true;
}

void QueueState::throw_unreported_failure() {
  while (const std::shared_ptr<LaunchFailure> failure = unreported_failure()) {
    const std::exception_ptr error = failure->error();
    if (failure->report()) std::rethrow_exception(error);
  }
}

void QueueState::flush() {
  if (lanes_) {
    lanes_->flush();
    return;
  }
  const std::lock_guard lock(issue_mutex_);
  native_->flush();
}

void QueueState::house_keep(std::uint64_t ticket) {
  (void)marker_for(ticket);
  poll_markers();
  release_unused();
}

void QueueState::start_recording() {
  const std::lock_guard issue(issue_mutex_);
  recording_ = true;
  recorded_.clear();
  if (lanes_) lanes_->start_recording();
}

std::vector<Event> QueueState::stop_recording() {
  const std::lock_guard issue(issue_mutex_);
  recording_ = false;
  if (lanes_) return lanes_->stop_recording();
  std::vector<Event> events;
  for (Recorded& one : recorded_) events.emplace_back(shared_from_this(), one.ticket, std::move(one.timing));
  recorded_.clear();
  return events;
}

}  // namespace quern::detail
