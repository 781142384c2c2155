// SPDX-License-Identifier: MIT
// The lanes of an out-of-order queue, and the choice of a lane for each operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "base/mutex.hpp"
#include "quern/event.hpp"
#include "runtime/hazards.hpp"
#include "runtime/operation.hpp"

namespace quern::detail {

struct Use;

// What the lanes of one out-of-order queue share.
struct LaneGroup {
  Mutex issue_mutex;              // the issue_mutex_ of the queue and of all lanes
  std::uint64_t last_ticket = 0;  // guarded by it; a ticket is given out once in the group
};

// An out-of-order queue is a set of in-order queues, its lanes. An operation goes to a lane whose last
// operation it depends on, or else to one that is idle, or else to a new one. So a lane orders only
// operations that depend on each other, and events, errors, held-back operations and use records are those of
// in-order queues. There may be more operations in flight than lanes; the rest shares the lanes in turn,
// except those with held-back operations, which may wait for the program.
//
// The caller of each method holds the group's issue_mutex, unless the comment says otherwise.
class Lanes {
 public:
  // Takes the queue's own native queue for the first lane.
  Lanes(QueueState& queue, std::shared_ptr<LaneGroup> group, const QueueOptions& options);
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;
  ~Lanes();

  // Returns the lane for an operation, and adds what markers and barriers make it wait for.
  QueueState& choose(OperationKind kind, std::span<const Use> uses, WaitList wait_for,
                     Dependencies& dependencies);
  // Called after the operation was enqueued there.
  void enqueued(OperationKind kind, QueueState& lane, std::uint64_t ticket);

  // Without the lock.
  bool finish_until(Deadline deadline);
  bool finish_up_to(const Event& last, Deadline deadline);
  void flush();
  [[nodiscard]] std::string held_back();

  void start_recording() { recorded_.clear(); }
  void record(Event event) { recorded_.push_back(std::move(event)); }
  [[nodiscard]] std::vector<Event> stop_recording() { return std::move(recorded_); }

 private:
  // Returns the place of a lane whose last operation the new one depends on, or kNone.
  [[nodiscard]] std::size_t find_followed(std::span<const Use> uses, WaitList wait_for) const;
  [[nodiscard]] std::size_t find_idle();
  void retire(std::size_t index);  // an index of busy_
  void retire_one();               // if it is known to be idle
  [[nodiscard]] std::size_t add_lane();
  [[nodiscard]] std::size_t share_lane();
  [[nodiscard]] std::vector<std::shared_ptr<QueueState>> snapshot();

  static constexpr std::size_t kNone = SIZE_MAX;

  QueueState& queue_;
  const std::shared_ptr<LaneGroup> group_;
  const QueueOptions options_;
  std::vector<std::shared_ptr<QueueState>> lanes_;
  std::vector<std::shared_ptr<backend::Queue>> natives_;  // that lanes share, if the backend has no lanes
  bool has_native_lanes_ = true;                          // until the backend says that it has none
  // Places in lanes_. A lane that is not known to be idle is busy.
  std::vector<std::size_t> idle_, busy_;
  std::size_t turn_ = 0;  // of the busy lanes in polls, and of lanes that are shared
  Dependency barrier_;    // the last one, until it is known to be done
  std::vector<Event> recorded_;
};

}  // namespace quern::detail
