// SPDX-License-Identifier: MIT
// Deferred errors of launches that fail while they run: attached to the memory that the kernel wrote and to
// everything computed from it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "runtime/deferred_errors.hpp"
#include "runtime/origin.hpp"

namespace quern::detail {

class QueueState;

// Where an operation was submitted: "on queue 'upload' of 'host' at file:line".
struct SubmissionPlace {
  std::string queue;  // as QueueState::description(); empty: unknown
  Origin origin = 0;
  // The caller holds no lock.
  [[nodiscard]] std::string text() const;
};

// One operation that failed. Those that depend on it share this object, or have one that refers to it.
class LaunchFailure {
 public:
  // `name` says what failed, if the error does not.
  explicit LaunchFailure(std::exception_ptr error, std::string name = {}, SubmissionPlace place = {}) noexcept
      : name_(std::move(name)), place_(std::move(place)), error_(std::move(error)) {}
  // Of an operation that was not run, because one that it depends on failed.
  LaunchFailure(std::shared_ptr<LaunchFailure> cause, std::string operation, SubmissionPlace place);

  // The error to throw. The first call may run a program to complete its text, so no caller may hold a lock.
  // Throws what ends that wait, such as a Ctrl-C; a later call starts anew.
  [[nodiscard]] std::exception_ptr error();

  // Whether both are the same first failure, or depend on it.
  [[nodiscard]] bool has_cause_of(const LaunchFailure& other) const noexcept {
    return &first() == &other.first();
  }
  // Whether the first failure was reported to a thread that waited or read.
  [[nodiscard]] bool is_reported() const noexcept { return first().is_reported_.load(); }
  void set_reported(bool value = true) noexcept { first().is_reported_.store(value); }
  // Returns whether it was not reported before.
  bool report() noexcept { return !first().is_reported_.exchange(true); }

 private:
  [[nodiscard]] LaunchFailure& first() noexcept { return first_ ? *first_ : *this; }
  [[nodiscard]] const LaunchFailure& first() const noexcept { return first_ ? *first_ : *this; }
  [[nodiscard]] std::exception_ptr error_of_chain() const;
  [[nodiscard]] std::exception_ptr with_place(std::exception_ptr error) const;

  struct NotRun {
    std::string operation;
    SubmissionPlace place;
  };

  std::string name_;
  SubmissionPlace place_;
  std::shared_ptr<LaunchFailure> first_;  // null in the first failure itself
  std::vector<NotRun> chain_;             // the operations that were not run, this one first
  std::atomic<bool> is_reported_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  bool is_complete_ = false;
};

// The deferred error of one launch. The backend resolves it before the launch counts as done. Launches that
// this one depends on are resolved earlier, so its own failure or theirs is known from then on.
class LaunchError final : public DeferredError, public backend::LaunchObserver {
 public:
  LaunchError(std::weak_ptr<QueueState> queue, std::uint64_t ticket, DeferredErrorList causes);

  void ended(std::exception_ptr error) noexcept override;  // allocates nothing that it cannot do without
  // The operation did not run, since one that it depends on failed, or failed to be issued.
  void failed(std::shared_ptr<LaunchFailure> failure) noexcept;
  [[nodiscard]] bool is_cleared() const noexcept override { return state_.load() == State::succeeded; }
  [[nodiscard]] bool is_of_launch() const noexcept override { return true; }
  [[nodiscard]] bool may_divide_results() const noexcept override { return state_.load() == State::failed; }
  void check() override;

  [[nodiscard]] SubmissionPlace place() const;
  // Null while the launch runs, and where nothing failed.
  [[nodiscard]] std::shared_ptr<LaunchFailure> failure() const noexcept;

 private:
  void resolve(std::shared_ptr<LaunchFailure> failure) noexcept;

  enum class State : std::uint8_t { running, succeeded, failed };
  std::weak_ptr<QueueState> queue_;
  std::uint64_t ticket_;
  const Origin origin_ = current_origin;    // made by the thread that submits
  DeferredErrorList causes_;                // until the launch ends
  std::shared_ptr<LaunchFailure> failure_;  // written before state_
  std::atomic<State> state_{State::running};
};

// Makes the deferred error of an operation when a backend needs it. Launches that complete at once need none.
class LaunchErrorSource final : public backend::ObserverSource {
 public:
  LaunchErrorSource(QueueState& queue, std::uint64_t ticket, const DeferredErrorList& causes)
      : queue_(&queue), ticket_(ticket), causes_(&causes) {}
  explicit LaunchErrorSource(std::shared_ptr<LaunchError> made) : made_(std::move(made)) {}

  std::shared_ptr<backend::LaunchObserver> observer() override;
  const std::shared_ptr<LaunchError>& make();
  [[nodiscard]] const std::shared_ptr<LaunchError>& made() const noexcept { return made_; }
  // Called after the operation was issued, or failed to be issued.
  void issued(std::exception_ptr error) noexcept;

 private:
  QueueState* queue_ = nullptr;
  std::uint64_t ticket_ = 0;
  const DeferredErrorList* causes_ = nullptr;
  std::shared_ptr<LaunchError> made_;
  bool is_observed_ = false;
};

// Returns the failure of the first launch in a list that is known to have failed; null if there is none.
std::shared_ptr<LaunchFailure> known_failure(const DeferredErrorList& errors) noexcept;

}  // namespace quern::detail
