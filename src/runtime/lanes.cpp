// SPDX-License-Identifier: MIT
// Choosing and making lanes, and waiting for all of them.
#include "runtime/lanes.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "quern/error.hpp"
#include "runtime/context_state.hpp"
#include "runtime/pending.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/submission.hpp"

namespace quern::detail {
namespace {

// Lanes of a native queue cost memory only. Native queues cost resources of the driver, and devices run few
// kernels at once.
constexpr std::size_t kMostLanes = 1024, kMostNativeQueues = 8;
constexpr std::size_t kPolled = 4;  // busy lanes that are polled for one operation

}  // namespace

Lanes::Lanes(QueueState& queue, std::shared_ptr<LaneGroup> group, const QueueOptions& options)
    : queue_(queue), group_(std::move(group)), options_(options), natives_{queue.shared_native()} {}

Lanes::~Lanes() = default;

QueueState& Lanes::choose(OperationKind kind, std::span<const Use> uses, WaitList wait_for,
                          Dependencies& dependencies) {
  const bool waits_for_all =
      wait_for.empty() && (kind == OperationKind::marker || kind == OperationKind::barrier);
  if (barrier_.queue && barrier_.queue->known_done(barrier_.ticket))
    dependencies.drop_later(std::move(barrier_.queue));
  if (barrier_.queue) dependencies.add(barrier_.queue, barrier_.ticket);
  if (waits_for_all) {
    for (const std::size_t place : busy_) {
      const std::shared_ptr<QueueState>& lane = lanes_[place];
      if (!lane->known_done(lane->last_ticket())) dependencies.add(lane, lane->last_ticket());
    }
  }
  std::size_t chosen = kNone;
  if (!busy_.empty()) retire_one();
  if (!busy_.empty()) chosen = waits_for_all ? busy_.back() : find_followed(uses, wait_for);
  if (chosen != kNone) {
    // For profiles: the order within the lane is enough for the operation itself.
    if (submission_observer.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      dependencies.add(lanes_[chosen], lanes_[chosen]->last_ticket());
    return *lanes_[chosen];
  }
  chosen = find_idle();
  if (chosen == kNone) return *lanes_[share_lane()];
  idle_.pop_back();
  busy_.push_back(chosen);
  return *lanes_[chosen];
}

void Lanes::enqueued(OperationKind kind, QueueState& lane, std::uint64_t ticket) {
  if (kind == OperationKind::barrier) barrier_ = {lane.shared_from_this(), ticket};
  // An operation that ran at once leaves its lane idle.
  if (lanes_[busy_.back()].get() != &lane || !lane.known_done(ticket)) return;
  idle_.push_back(busy_.back());
  busy_.pop_back();
}

std::size_t Lanes::find_followed(std::span<const Use> uses, WaitList wait_for) const {
  const auto is_pending_end = [&](const QueueState& lane, std::uint64_t ticket) {
    return lane.group() == group_.get() && lane.is_last(ticket);
  };
  for (const Event& event : wait_for) {
    const auto& lane = event.queue_state();
    if (lane && is_pending_end(*lane, event.ticket()) && !lane->known_done(event.ticket()))
      return lane->place();
  }
  if (barrier_.queue && is_pending_end(*barrier_.queue, barrier_.ticket)) return barrier_.queue->place();
  if (!options_.track_memory) return kNone;
  const std::lock_guard lock(hazard_mutex());
  for (const Use& use : uses) {
    if (const QueueState* const lane = use.record->last_in(*group_, use.range, use.writes()))
      return lane->place();
  }
  return kNone;
}

void Lanes::retire(std::size_t index) {
  lanes_[busy_[index]]->drop_kept();
  idle_.push_back(busy_[index]);
  std::swap(busy_[index], busy_.back());
  busy_.pop_back();
}

void Lanes::retire_one() {
  const std::size_t index = turn_++ % busy_.size();
  QueueState& lane = *lanes_[busy_[index]];
  if (lane.known_done(lane.last_ticket())) retire(index);
}

// Returns the last place in idle_, or kNone.
std::size_t Lanes::find_idle() {
  for (std::size_t i = 0; i < std::min(busy_.size(), kPolled) && idle_.empty(); ++i) {
    const std::size_t index = turn_++ % busy_.size();
    QueueState& lane = *lanes_[busy_[index]];
    if (lane.done_under_lock(lane.last_ticket())) retire(index);
  }
  if (idle_.empty() && lanes_.size() < (has_native_lanes_ ? kMostLanes : kMostNativeQueues))
    idle_.push_back(add_lane());
  return idle_.empty() ? kNone : idle_.back();
}

std::size_t Lanes::add_lane() {
  std::shared_ptr<backend::Queue> native;
  if (lanes_.empty()) {
    native = natives_.front();
  } else if (has_native_lanes_) {
    native = natives_.front()->make_lane();
    has_native_lanes_ = native != nullptr;
  }
  if (!native) {
    if (natives_.size() < kMostNativeQueues)
      natives_.push_back(queue_.context()->native().make_queue(queue_.device(), options_));
    native = natives_[lanes_.size() % natives_.size()];
  }
  lanes_.push_back(queue_.context()->make_lane(queue_.device(), std::move(native), options_, group_));
  lanes_.back()->set_place(lanes_.size() - 1);
  return lanes_.size() - 1;
}

std::size_t Lanes::share_lane() {
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    const std::size_t place = busy_[turn_++ % busy_.size()];
    if (!lanes_[place]->has_held_back()) return place;
  }
  busy_.push_back(add_lane());
  return busy_.back();
}

std::vector<std::shared_ptr<QueueState>> Lanes::snapshot() {
  const std::lock_guard issue(group_->issue_mutex);
  return lanes_;
}

bool Lanes::finish_until(Deadline deadline) {
  std::vector<std::shared_ptr<QueueState>> lanes;
  std::vector<std::uint64_t> tickets;
  std::uint64_t last = 0;
  {
    const std::lock_guard issue(group_->issue_mutex);
    lanes = lanes_;
    for (const auto& lane : lanes) tickets.push_back(lane->last_ticket());
    last = group_->last_ticket;
  }
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (!lanes[i]->wait_until(tickets[i], deadline)) return false;
  release_unused();
  for (const auto& lane : lanes) lane->throw_unreported_failure();
  if (unread_index_errors.load(std::memory_order_relaxed) != 0)
    pending_work.load()->after_finish(queue_, last);
  return true;
}

bool Lanes::finish_up_to(const Event& last, Deadline deadline) {
  if (!last.queue_state()->wait_until(last.ticket(), deadline)) return false;
  release_unused();
  for (const auto& lane : snapshot()) lane->throw_unreported_failure();
  if (unread_index_errors.load(std::memory_order_relaxed) != 0)
    pending_work.load()->after_finish(queue_, last.ticket());
  return true;
}

void Lanes::flush() {
  const std::lock_guard issue(group_->issue_mutex);
  for (const auto& native : natives_) native->flush();
}

std::string Lanes::held_back() {
  std::size_t count = 0;
  std::string first;
  const std::lock_guard issue(group_->issue_mutex);
  for (const auto& lane : lanes_) {
    count += lane->count_held_back();
    if (first.empty()) first = lane->first_held_back();
  }
  return held_back_text(count, first);
}

const QueueState& check_orders_memory(const QueueState& queue) {
  if (!queue.is_out_of_order() || queue.tracks_memory()) return queue;
  throw ArgumentError(ArgumentError::Kind::value,
                      "the queue runs out of order and does not track memory: array operations, algorithms "
                      "and memory allocated for the queue need track_memory; use another queue for them");
}

}  // namespace quern::detail
