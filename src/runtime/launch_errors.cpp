// SPDX-License-Identifier: MIT
// Deferred errors of launches.
#include "runtime/launch_errors.hpp"

#include <utility>

#include "runtime/queue_state.hpp"

namespace quern::detail {

LaunchError::LaunchError(std::weak_ptr<QueueState> queue, std::uint64_t ticket, DoubtList causes)
    : queue_(std::move(queue)), ticket_(ticket), causes_(std::move(causes)) {}

void LaunchError::ended(std::exception_ptr error) noexcept {
  if (error) {
    failure_ = std::make_shared<LaunchFailure>();
    failure_->error = std::move(error);
    if (const auto queue = queue_.lock()) queue->add_failure(ticket_, failure_);
  } else {
    failure_ = known_failure(causes_);
  }
  causes_.clear();  // so that a long row of launches does not keep all of its deferred errors
  state_.store(failure_ ? State::failed : State::succeeded);
  if (!failure_) Doubt::uncount();
}

std::shared_ptr<LaunchFailure> LaunchError::failure() const noexcept {
  return state_.load() == State::failed ? failure_ : nullptr;
}

void LaunchError::check() {
  if (state_.load() == State::running) {
    if (const auto queue = queue_.lock()) queue->wait_until(ticket_, Deadline::max());
  }
  if (const auto failed = failure()) {
    failed->is_reported.store(true);
    std::rethrow_exception(failed->error);
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

std::shared_ptr<LaunchFailure> known_failure(const DoubtList& doubts) noexcept {
  for (const DoubtPtr& doubt : doubts) {
    if (!doubt->is_of_launch()) continue;
    if (auto failure = static_cast<const LaunchError&>(*doubt).failure()) return failure;
  }
  return nullptr;
}

}  // namespace quern::detail
