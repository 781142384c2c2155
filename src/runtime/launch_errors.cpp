// SPDX-License-Identifier: MIT
// Deferred errors of launches.
#include "runtime/launch_errors.hpp"

#include <new>
#include <typeinfo>
#include <utility>

#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {
namespace {

// LaunchError::ended() uses this if it cannot allocate the error. Never destroyed: threads may outlive static
// objects.
const auto* const last_resort =
    new std::shared_ptr<LaunchFailure>(std::make_shared<LaunchFailure>(std::make_exception_ptr(
        KernelError("a kernel failed, and there was not enough memory to keep its error"))));

}  // namespace

std::string SubmissionPlace::text() const {
  const std::string line = line_of(origin);
  return (queue.empty() ? "" : " on " + queue) + (line.empty() ? "" : " at " + line);
}

LaunchFailure::LaunchFailure(std::shared_ptr<LaunchFailure> cause, std::string operation,
                             SubmissionPlace place)
    : first_(cause->first_ ? cause->first_ : cause) {
  // A long chain shows both ends only.
  constexpr std::size_t kMost = 9;
  chain_.reserve(cause->chain_.size() + 1);
  chain_.push_back({std::move(operation), std::move(place)});
  chain_.insert(chain_.end(), cause->chain_.begin(), cause->chain_.end());
  if (chain_.size() <= kMost) return;
  chain_[kMost / 2] = {"...", {}};
  chain_.erase(chain_.begin() + kMost / 2 + 1);
}

std::exception_ptr LaunchFailure::error_of_chain() const {
  const std::exception_ptr cause = first_->error();
  std::string chain;
  for (const auto& [operation, place] : chain_)
    chain +=
        operation + place.text() + (chain.empty() ? " was not run: it depends on " : ", which depends on ");
  try {
    std::rethrow_exception(cause);
  } catch (const DeviceLost&) {
    return cause;
  } catch (const KernelError& error) {
    return std::make_exception_ptr(KernelError(std::string(error.what()) + "\n" + chain + "this kernel"));
  } catch (const std::exception& error) {
    const std::string first = first_->name_.empty() ? "an operation" : first_->name_;
    return std::make_exception_ptr(DependencyError(chain + first + ", which failed: " + error.what(), cause));
  } catch (...) {
    return cause;
  }
}

std::exception_ptr LaunchFailure::with_place(std::exception_ptr error) const {
  try {
    std::rethrow_exception(error);
  } catch (const KernelError& failed) {
    const std::string place = place_.text();
    if (place.empty() || typeid(failed) != typeid(KernelError)) return error;
    return std::make_exception_ptr(KernelError(failed.what() + ("\nIt was launched" + place)));
  } catch (...) {
    return error;
  }
}

std::exception_ptr LaunchFailure::error() {
  std::exception_ptr known;
  {
    const std::lock_guard lock(mutex_);
    if (is_complete_) return error_;
    known = error_;
  }
  if (first_) {
    known = error_of_chain();
    const std::lock_guard lock(mutex_);
    error_ = known;
    is_complete_ = true;
    return known;
  }
  try {
    std::rethrow_exception(known);
  } catch (const backend::IncompleteError& error) {
    known = with_place(error.completed());
  } catch (...) {
    known = with_place(known);
  }
  const std::lock_guard lock(mutex_);
  error_ = known;
  is_complete_ = true;
  return known;
}

LaunchError::LaunchError(std::weak_ptr<QueueState> queue, std::uint64_t ticket, DeferredErrorList causes)
    : queue_(std::move(queue)), ticket_(ticket), causes_(std::move(causes)) {}

void LaunchError::ended(std::exception_ptr error) noexcept {
  if (!error) {
    resolve(known_failure(causes_));
    return;
  }
  std::shared_ptr<LaunchFailure> failure;
  try {
    failure = std::make_shared<LaunchFailure>(error, std::string(), place());
  } catch (const std::bad_alloc&) {
    failure = *last_resort;
    failure->set_reported(false);  // a new error, not reported yet
  }
  failed(std::move(failure));
}

SubmissionPlace LaunchError::place() const {
  const auto queue = queue_.lock();
  return {queue ? queue->description() : std::string(), origin_};
}

void LaunchError::failed(std::shared_ptr<LaunchFailure> failure) noexcept {
  if (const auto queue = queue_.lock()) queue->add_failure(ticket_, failure);
  resolve(std::move(failure));
}

void LaunchError::resolve(std::shared_ptr<LaunchFailure> failure) noexcept {
  failure_ = std::move(failure);
  causes_.clear();  // so that a long chain of launches does not keep all its deferred errors alive
  state_.store(failure_ ? State::failed : State::succeeded);
  if (!failure_) DeferredError::uncount();
}

std::shared_ptr<LaunchFailure> LaunchError::failure() const noexcept {
  return state_.load() == State::failed ? failure_ : nullptr;
}

void LaunchError::check() {
  if (state_.load() == State::running) {
    if (const auto queue = queue_.lock()) queue->wait_until(ticket_, Deadline::max());
  }
  if (const auto failed = failure()) {
    const std::exception_ptr error = failed->error();
    failed->set_reported();
    std::rethrow_exception(error);
  }
}

std::shared_ptr<backend::LaunchObserver> LaunchErrorSource::observer() {
  is_observed_ = true;
  return make();
}

const std::shared_ptr<LaunchError>& LaunchErrorSource::make() {
  if (!made_) made_ = std::make_shared<LaunchError>(queue_->weak_from_this(), ticket_, *causes_);
  return made_;
}

void LaunchErrorSource::issued(std::exception_ptr error) noexcept {
  if (made_ && (error || !is_observed_)) made_->ended(std::move(error));
}

std::shared_ptr<LaunchFailure> known_failure(const DeferredErrorList& errors) noexcept {
  for (const DeferredErrorPtr& error : errors) {
    if (!error->is_of_launch()) continue;
    if (auto failure = static_cast<const LaunchError&>(*error).failure()) return failure;
  }
  return nullptr;
}

}  // namespace quern::detail
