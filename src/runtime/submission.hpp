// SPDX-License-Identifier: MIT
// The interface through which the runtime reports to a profile, which is in a higher layer: operations that
// queues take, and waits of host threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/backend.hpp"
#include "runtime/operation.hpp"

namespace quern::detail {

class QueueState;
struct Dependency;
struct Use;

// One operation that a queue took. The references are valid during the call only.
struct Submission {
  const std::shared_ptr<QueueState>& queue;
  std::uint64_t ticket;
  const backend::TimingPtr& timing;  // null if the queue records no times
  const Operation& operation;
  std::span<const Use> uses;
  std::span<const Dependency> dependencies;
};

class SubmissionObserver {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~SubmissionObserver() = default;
  // Called on the submitting thread without locks of the queue. Callers may hold locks of higher layers.
  virtual void submitted(const Submission& submission) noexcept = 0;
  // A host thread has waited for this ticket. A wait with a time limit may be one of several in a row.
  virtual void waited(QueueState& queue, std::uint64_t ticket, Time begin, Time end) noexcept = 0;
  // The calling thread has computed small work itself, which no queue sees.
  virtual void computed_at_once() noexcept = 0;
};

// Null while no profile is open. The object is never destroyed, so a thread may still call it after it was
// removed.
inline constinit std::atomic<SubmissionObserver*> submission_observer{nullptr};

// Sets or removes the observer. While there is one, all queues record times where their backend can.
void observe_submissions(SubmissionObserver* observer) noexcept;

// Counts small work that the calling thread has computed itself, as a launch.
void count_at_once() noexcept;

// Names the kernels that this thread submits while it lives, for those whose generated name says little.
// Callers test for an observer first, because the text costs time.
class SubmissionLabel {
 public:
  explicit SubmissionLabel(std::string text) noexcept;
  ~SubmissionLabel();
  SubmissionLabel(const SubmissionLabel&) = delete;
  SubmissionLabel& operator=(const SubmissionLabel&) = delete;
  // The text of the innermost label of this thread; empty if there is none.
  [[nodiscard]] static std::string_view current() noexcept;

 private:
  std::string text_;
  const SubmissionLabel* before_;
};

// Reports the wait of a host thread when it goes out of scope.
class ObservedWait {
 public:
  ObservedWait(QueueState& queue, std::uint64_t ticket) noexcept;
  ~ObservedWait();
  ObservedWait(const ObservedWait&) = delete;
  ObservedWait& operator=(const ObservedWait&) = delete;

 private:
  SubmissionObserver* observer_;
  QueueState& queue_;
  std::uint64_t ticket_;
  SubmissionObserver::Time begin_;
};

}  // namespace quern::detail
