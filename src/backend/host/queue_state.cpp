// SPDX-License-Identifier: MIT
// The order of a queue's operations: beginning, ending, and waiting for them and for other queues.
#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <thread>

#include "backend/host/queue.hpp"

namespace quern::backend::host {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// An operation known to be shorter than this runs on the thread that ended the previous one, without waking
// workers...
constexpr double kDirectNs = 10e3;
// ...but a thread continues like that only for a limited time: it may have other work, and others may wait
// for it.
constexpr microseconds kDirectTime{200};

// A waiter must return at its deadline, so it takes no work that may last longer than this.
constexpr nanoseconds kLongestHelp = milliseconds(20);
// A thread that waits for a lane does a piece of other work if it is expected to take no longer than this.
constexpr nanoseconds kLongestOtherHelp = microseconds(200);
// How long a waiter spins before it sleeps: waking it costs the thread that ends the operation a system call,
// and the waiter 10 to 100 us. If it has worked on the operation, the others are in their last pieces.
constexpr microseconds kSpin{20}, kSpinAfterHelp{200};
constexpr nanoseconds kShortestSleep = microseconds(100), kLongestSleep = milliseconds(5);

// Queues to advance on this thread, so that queues that wait for each other do not nest calls. The list
// belongs to the outermost call: a thread-local one would be gone when the destructor of a thread-local
// variable waits.
using Agenda = std::vector<std::shared_ptr<QueueState>>;
thread_local Agenda* agenda = nullptr;

Deadline later(nanoseconds span) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(span);
}

}  // namespace

void QueueState::enqueue(std::shared_ptr<Operation> operation) {
  operation->queue = shared_from_this();
  operation->ticket = enqueued() + 1;
  {
    const std::lock_guard lock(mutex_);
    enqueued_.store(operation->ticket, std::memory_order_release);
    if (running_ != nullptr) {
      pending_.push_back(std::move(operation));
      return;
    }
    running_ = operation;
  }
  if (!begin(operation, Deadline::min())) advance(operation->queue, By::enqueuer);
}

// True if the operation is under way and a thread will advance() this queue after it; false if it is done.
bool QueueState::begin(const std::shared_ptr<Operation>& operation, Deadline direct_until) {
  if (operation->runner != std::thread::id()) return true;  // that thread may run it already, see wait()
  if (operation->timing) operation->timing->submit(now_ns());
  if (operation->awaited) {
    const auto& marker = static_cast<const HostMarker&>(*operation->awaited);
    return marker.queue()->notify_at(marker.ticket(), shared_from_this());
  }
  const std::uint64_t items = operation->items();
  if (items == 0) return false;
  const double item = operation->expected_item_ns();
  if (item >= 0 && item * static_cast<double>(items) < kDirectNs && pool_.may_work_here() &&
      Clock::now() < direct_until) {
    operation->run(0, items);
    return false;
  }
  pool_.submit(operation);
  return true;
}

void QueueState::advance(const std::shared_ptr<QueueState>& queue, By by) noexcept {
  if (agenda != nullptr) {
    try {
      agenda->push_back(queue);
    } catch (const std::bad_alloc&) {
      queue->step(Deadline::min());  // immediately, because it cannot be recorded for later
    }
    return;
  }
  Agenda mine;
  agenda = &mine;
  const Deadline until = by == By::enqueuer ? Deadline::min() : later(kDirectTime);
  queue->step(until);
  while (!mine.empty()) {
    const std::shared_ptr<QueueState> next = std::move(mine.back());
    mine.pop_back();
    next->step(until);
  }
  agenda = nullptr;
}

void QueueState::step(Deadline direct_until) {
  while (const std::shared_ptr<Operation> next = retire()) {
    if (begin(next, direct_until)) return;
  }
}

// Ends the running operation and makes the next one running.
std::shared_ptr<Operation> QueueState::retire() {
  const std::shared_ptr<Operation> ended = running();
  if (ended->timing) ended->timing->end(now_ns());
  const std::exception_ptr failure = ended->report();  // without the lock: an observer has locks of its own
  std::shared_ptr<Operation> next;
  {
    const std::lock_guard lock(mutex_);
    if (failure) note_failure(ended->ticket, failure);
    if (!pending_.empty()) {
      next = std::move(pending_.front());
      pending_.pop_front();
    }
    running_ = next;
    completed_.store(ended->ticket);
  }
  wake_sleepers();
  advance_dependents(By::worker);  // on the agenda of the current advance()
  return next;
}

void QueueState::completed_inline(std::uint64_t ticket, const std::exception_ptr& failure) {
  if (failure) {
    const std::lock_guard lock(mutex_);
    note_failure(ticket, failure);
  }
  completed_.store(ticket);
  advance_dependents(By::enqueuer);
  wake_sleepers();
}

void QueueState::note_failure(std::uint64_t ticket, std::exception_ptr what) {
  constexpr std::size_t kKept = 64;
  if (failures_.size() == kKept) failures_.erase(failures_.begin());
  try {
    failures_.push_back({ticket, what});
  } catch (const std::bad_alloc&) {
    failures_.back() = {ticket, what};
  }
  has_failed_.store(true);  // before the operation counts as completed
}

void QueueState::advance_dependents(By by) noexcept {
  while (dependent_count_.load() != 0) {
    Dependent ready;
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(dependents_.begin(), dependents_.end(),
                                      [&](const Dependent& d) { return reached(d.ticket); });
      if (found == dependents_.end()) return;
      ready = std::move(*found);
      dependents_.erase(found);
      dependent_count_.store(static_cast<std::uint32_t>(dependents_.size()));
    }
    if (ready.signal) {
      ready.signal->raise();
    } else {
      advance(ready.queue, by);
    }
  }
}

bool QueueState::notify_at(std::uint64_t ticket, std::shared_ptr<QueueState> waiter) {
  return add_dependent({ticket, std::move(waiter), nullptr, nullptr});
}

void QueueState::notify_at(std::uint64_t ticket, std::shared_ptr<Signal> signal) {
  if (!reached(ticket)) {
    // One worker suffices if only one item is left before the ticket.
    const std::shared_ptr<Operation> last = running();
    const bool is_one_item =
        last && last->ticket == ticket && last->items() == 1 && !last->awaited && !last->submits_tasks();
    std::unique_ptr<ThreadPool::Lending> lending;
    if (!is_one_item) lending = std::make_unique<ThreadPool::Lending>(pool_);
    if (add_dependent({ticket, nullptr, signal, std::move(lending)})) return;
  }
  signal->raise();
}

bool QueueState::add_dependent(Dependent&& dependent) {
  const std::lock_guard lock(mutex_);
  // Counted before the check: the thread that ends the operation stores its ticket before it looks for
  // dependents.
  dependent_count_.store(static_cast<std::uint32_t>(dependents_.size() + 1));
  if (completed_.load() >= dependent.ticket) {
    dependent_count_.store(static_cast<std::uint32_t>(dependents_.size()));
    return false;
  }
  dependents_.push_back(std::move(dependent));
  return true;
}

void QueueState::wake_sleepers() noexcept {
  if (sleepers_.load() == 0) return;
  progress_.fetch_add(1);
  futex::wake_all(progress_);
}

std::shared_ptr<Operation> QueueState::running() {
  const std::lock_guard lock(mutex_);
  return running_;
}

bool QueueState::wait(std::uint64_t ticket, Deadline deadline) {
  nanoseconds nap = kShortestSleep;
  const Operation* slept_on = nullptr;
  std::shared_ptr<Operation> helped;
  while (!reached(ticket)) {
    const auto now = Clock::now();
    if (now >= deadline) return false;
    const nanoseconds left = deadline == Deadline::max() ? kLongestHelp : nanoseconds(deadline - now);

    // The operation that delays the ticket: this queue's, or that of a queue it waits for.
    const std::shared_ptr<Operation> mine = running();
    if (mine && mine->runner == std::this_thread::get_id()) {
      if (mine->timing) mine->timing->submit(now_ns());
      mine->run(0, mine->items());
      mine->finished();
      continue;
    }
    std::shared_ptr<Operation> operation = mine;
    while (operation && operation->awaited) {
      operation = static_cast<const HostMarker&>(*operation->awaited).queue()->running();
    }
    ThreadPool& pool = operation ? operation->queue->pool() : pool_;
    const bool was_submitted = operation && operation->submitted(),
               has_idle_processor = pool.has_idle_processor();
    if (was_submitted && has_idle_processor && pool.help(*operation, std::min(left, kLongestHelp))) {
      helped = std::move(operation);
      continue;
    }
    if (is_lane_ && has_idle_processor && pool.help_any(std::min(left, kLongestOtherHelp))) continue;

    // No work here, or none known to be short. Usually the others are about to end, and the next operation
    // of the queue may need help.
    const auto is_over = [](const auto& some) { return some && some->queue->reached(some->ticket); };
    const auto has_changed = [&] {
      return reached(ticket) || is_over(mine) || is_over(operation) ||
             (operation && operation->submitted() != was_submitted);
    };
    const auto spin = !has_idle_processor || pool.threads() == 1 ? nanoseconds(0)
                      : helped == operation                      ? kSpinAfterHelp
                                                                 : kSpin;
    const auto spin_until = std::min<Deadline>(now + spin, deadline);
    bool changed = has_changed();
    while (!changed && Clock::now() < spin_until) {
      for (int i = 0; i < 16 && !changed; ++i) {
        futex::relax();
        changed = has_changed();
      }
    }
    if (changed) continue;

    // Wakes with every completed operation, to help with the next one, and now and then to check whether the
    // running one has turned out to be short.
    if (operation.get() != slept_on) nap = kShortestSleep;
    slept_on = operation.get();
    const bool lends = is_lane_ || (operation && (!operation->exhausted() || operation->submits_tasks()));
    sleep(ticket, mine.get(), lends ? &pool : nullptr, std::min(later(nap), deadline));
    nap = std::min(2 * nap, kLongestSleep);
  }
  return true;
}

// Sleeps while the ticket is not reached and `on` is still the running operation.
void QueueState::sleep(std::uint64_t ticket, const Operation* on, ThreadPool* lent_to, Deadline until) {
  std::optional<ThreadPool::Lending> lending;
  if (lent_to != nullptr) lending.emplace(*lent_to);
  sleepers_.fetch_add(1);
  const std::uint32_t seen = progress_.load();
  if (completed_.load() < ticket && running().get() == on) futex::wait(progress_, seen, until);
  sleepers_.fetch_sub(1);
}

std::exception_ptr QueueState::failure(std::uint64_t since, std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  for (const Failure& failure : failures_) {
    if (failure.ticket > since && failure.ticket <= ticket) return failure.what;
  }
  return nullptr;
}

std::pair<std::uint64_t, std::uint64_t> QueueState::mark() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t now = enqueued();
  if (now != marked_) {
    marked_before_ = marked_;
    marked_ = now;
  }
  return {marked_before_, now};
}

}  // namespace quern::backend::host
