// SPDX-License-Identifier: MIT
// Which operations of a queue failed, and the deferred errors by which others may fail.
#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/queue_state.hpp"

namespace quern::detail {

std::shared_ptr<LaunchFailure> QueueState::find_failure(std::uint64_t ticket) {
  if (!has_failed_.load() && !has_pending_errors_.load()) return nullptr;
  const std::lock_guard lock(state_mutex_);
  for (const Failure& each : failures_)
    if (each.holds(ticket)) return each.failure;
  const DeferredErrorList* const errors = find_deferred_errors(ticket);
  return errors ? known_failure(*errors) : nullptr;
}

std::exception_ptr QueueState::failure(std::uint64_t ticket, bool reports) {
  const std::shared_ptr<LaunchFailure> found = find_failure(ticket);
  if (!found) return nullptr;
  std::exception_ptr error = found->error();
  if (reports) found->set_reported();
  return error;
}

std::exception_ptr QueueState::native_failure(std::uint64_t ticket) {
  if (!has_failed_.load()) return nullptr;
  std::shared_ptr<LaunchFailure> found;
  {
    const std::lock_guard lock(state_mutex_);
    for (const Failure& each : failures_)
      if (!found && each.is_native && each.holds(ticket)) found = each.failure;
  }
  return found ? found->error() : nullptr;
}

std::shared_ptr<LaunchFailure> QueueState::unreported_failure() {
  if (!has_failed_.load()) return nullptr;
  const std::lock_guard lock(state_mutex_);
  for (const Failure& each : failures_)
    if (!each.is_of_source && !each.failure->is_reported()) return each.failure;
  return nullptr;
}

void QueueState::add_deferred_errors(std::uint64_t ticket, DeferredErrorList errors) {
  if (errors.empty()) return;
  const std::lock_guard lock(state_mutex_);
  if (pending_errors_.size() >= drop_deferred_errors_at_) drop_decided_errors();
  if (!pending_errors_.empty() && pending_errors_.back().last == ticket) {
    merge_deferred_errors(pending_errors_.back().errors, errors);
  } else {
    pending_errors_.push_back({ticket, ticket, std::move(errors)});
  }
  has_pending_errors_.store(true);
}

void QueueState::drop_decided_errors() {
  merge_failures();  // which sorts them
  const std::size_t sorted = failures_.size();
  const auto is_known = [&](std::uint64_t ticket) {
    const auto end = failures_.begin() + static_cast<std::ptrdiff_t>(sorted);
    const auto next =
        std::upper_bound(failures_.begin(), end, ticket,
                         [](std::uint64_t wanted, const Failure& each) { return wanted < each.first; });
    return next != failures_.begin() && std::prev(next)->holds(ticket);
  };
  std::erase_if(pending_errors_, [&](const PendingErrors& each) {
    if (std::all_of(each.errors.begin(), each.errors.end(),
                    [](const DeferredErrorPtr& d) { return d->is_cleared(); }))
      return true;
    std::shared_ptr<LaunchFailure> failure = known_failure(each.errors);
    if (!failure || !std::all_of(each.errors.begin(), each.errors.end(),
                                 [](const DeferredErrorPtr& d) { return d->is_of_launch(); }))
      return false;
    if (!is_known(each.first)) failures_.push_back({each.first, each.last, std::move(failure), false, true});
    has_failed_.store(true);
    return true;
  });
  // What is left is undecided, and as much as the work in flight, or the errors of reads that no thread has
  // waited for. Of these, older neighbours are merged.
  constexpr std::size_t kMost = 4096;
  if (pending_errors_.size() >= kMost) {
    const auto is_of_launch = [](const DeferredErrorPtr& d) { return d->is_of_launch(); };
    const auto has_launch = [&](const PendingErrors& each) {
      return std::any_of(each.errors.begin(), each.errors.end(), is_of_launch);
    };
    for (std::size_t k = 0; k + 1 < pending_errors_.size() / 2; k += 2) {
      PendingErrors &one = pending_errors_[k], &next = pending_errors_[k + 1];
      if (has_launch(one) || has_launch(next)) continue;
      one.last = next.last;
      merge_deferred_errors(one.errors, std::exchange(next.errors, {}));
    }
    std::erase_if(pending_errors_, [](const PendingErrors& each) { return each.errors.empty(); });
  }
  drop_deferred_errors_at_ = std::max<std::size_t>(64, 2 * pending_errors_.size());
  has_pending_errors_.store(!pending_errors_.empty());
}

const DeferredErrorList* QueueState::find_deferred_errors(std::uint64_t ticket) const {
  const auto found =
      std::lower_bound(pending_errors_.begin(), pending_errors_.end(), ticket,
                       [](const PendingErrors& each, std::uint64_t wanted) { return each.last < wanted; });
  return found != pending_errors_.end() && found->first <= ticket ? &found->errors : nullptr;
}

void QueueState::check_deferred_errors_of(std::uint64_t ticket) {
  if (!has_pending_errors_.load()) return;
  DeferredErrorList errors;
  {
    const std::lock_guard lock(state_mutex_);
    if (const DeferredErrorList* const found = find_deferred_errors(ticket)) errors = *found;
  }
  check_deferred_errors(errors);
  if (errors.empty()) return;
  const std::lock_guard lock(state_mutex_);
  // Another thread may have dropped all of them meanwhile.
  if (pending_errors_.empty()) return;
  if (pending_errors_.size() >= drop_deferred_errors_at_ || pending_errors_.front().last >= ticket)
    drop_decided_errors();
}

DeferredErrorList QueueState::launch_errors_of(std::uint64_t ticket) {
  if (!has_pending_errors_.load()) return {};
  const std::lock_guard lock(state_mutex_);
  const DeferredErrorList* const found = find_deferred_errors(ticket);
  DeferredErrorList result = found ? *found : DeferredErrorList();
  std::erase_if(result, [](const DeferredErrorPtr& error) { return !error->is_of_launch(); });
  return result;
}

void QueueState::add_failure(std::uint64_t ticket, std::shared_ptr<LaunchFailure> failure) noexcept {
  const std::lock_guard lock(state_mutex_);
  if (failures_.size() >= merge_failures_at_) merge_failures();
  Failure added{ticket, ticket, std::move(failure), false};
  try {
    failures_.push_back(added);
  } catch (const std::bad_alloc&) {  // the last failure is still attached to the memory that it wrote
    failures_.back() = std::move(added);
  }
  has_failed_.store(true);
}

// The newer half keeps its own texts. Of the older half, neighbours with the same cause share one text, and
// are one range if no ticket lies between them.
void QueueState::merge_failures() noexcept {
  constexpr std::size_t kLeast = 1024, kMost = std::size_t{1} << 16;
  std::sort(failures_.begin(), failures_.end(),
            [](const Failure& a, const Failure& b) { return a.first < b.first; });
  if (failures_.size() < kLeast) return;
  // Beyond that the older half is one range: tickets between may then fail that did not.
  const bool is_full = failures_.size() >= kMost;
  const std::size_t older = failures_.size() / 2;
  std::size_t last = 0;
  for (std::size_t k = 1; k < older; ++k) {
    Failure &merged = failures_[last], &next = failures_[k];
    const bool is_same = merged.is_native == next.is_native && merged.is_of_source == next.is_of_source &&
                         merged.failure->has_cause_of(*next.failure);
    if (is_full || (is_same && next.first <= merged.last + 1)) {
      merged.last = std::max(merged.last, next.last);
      merged.is_native |= next.is_native;
      merged.is_of_source &= next.is_of_source;
      continue;
    }
    if (is_same) next.failure = merged.failure;
    if (++last != k) failures_[last] = std::move(next);
  }
  failures_.erase(failures_.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                  failures_.begin() + static_cast<std::ptrdiff_t>(older));
  merge_failures_at_ = std::max(kLeast, std::min(kMost, 2 * failures_.size()));
}

}  // namespace quern::detail
