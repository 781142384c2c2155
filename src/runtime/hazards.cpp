// SPDX-License-Identifier: MIT
// Use records and the graveyard of resources that are still in use by the device.
#include "runtime/hazards.hpp"

#include <algorithm>
#include <utility>

#include "runtime/queue_state.hpp"

namespace quern::detail {

void Dependencies::add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket) {
  for (Dependency& dependency : list_) {
    if (dependency.queue == queue) {
      dependency.ticket = std::max(dependency.ticket, ticket);
      return;
    }
  }
  list_.push_back({queue, ticket});
}

void UseRecord::add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, ByteRange range,
                    bool writes, Dependencies& dependencies) {
  // The common case: the same queue uses the same range again.
  if (entries_.size() == 1) {
    Entry& only = entries_.front();
    if (only.queue == queue && only.writes == writes && range.contains(only.range)) {
      only.ticket = ticket;
      only.range = range;
      return;
    }
  }
  for (std::size_t i = 0; i < entries_.size();) {
    Entry& entry = entries_[i];
    const bool done = entry.queue->known_done(entry.ticket);
    if (!done && entry.queue != queue && range.overlaps(entry.range) && (writes || entry.writes)) {
      dependencies.add(entry.queue, entry.ticket);
    }
    // A write covers everything inside it; a read covers this queue's earlier reads.
    const bool covers = (writes || (!entry.writes && entry.queue == queue)) && range.contains(entry.range);
    if (done || covers) {
      dependencies.drop_later(std::move(entry.queue));
      std::swap(entry, entries_.back());
      entries_.pop_back();
    } else {
      ++i;
    }
  }
  entries_.push_back({queue, ticket, range, writes});
}

void UseRecord::collect(ByteRange range, bool writes, Dependencies& dependencies) const {
  for (const Entry& entry : entries_) {
    if (range.overlaps(entry.range) && (writes || entry.writes) && !entry.queue->known_done(entry.ticket)) {
      dependencies.add(entry.queue, entry.ticket);
    }
  }
}

bool UseRecord::ready_for(const QueueState* queue) const {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.queue.get() == queue || entry.queue->known_done(entry.ticket);
  });
}

std::mutex& hazard_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

namespace {

struct Grave {
  UseRecord uses;
  std::shared_ptr<void> thing;
};

struct Graveyard {
  std::mutex mutex;
  std::vector<Grave> graves;
};

Graveyard& graveyard() {
  static auto* const yard = new Graveyard;
  return *yard;
}

bool all_done(const UseRecord& uses) {
  const std::lock_guard lock(hazard_mutex());
  return uses.ready_for(nullptr);
}

}  // namespace

void bury(UseRecord&& uses, std::shared_ptr<void> thing) noexcept {
  if (all_done(uses)) return;  // `thing` dies here
  Graveyard& yard = graveyard();
  const std::lock_guard lock(yard.mutex);
  yard.graves.push_back({std::move(uses), std::move(thing)});
}

void sweep_graveyard() noexcept {
  Graveyard& yard = graveyard();
  std::vector<Grave> gone;  // destroyed after the lock is released: their destructors may bury more
  {
    const std::lock_guard lock(yard.mutex);
    auto first_done = std::partition(yard.graves.begin(), yard.graves.end(),
                                     [](const Grave& grave) { return !all_done(grave.uses); });
    gone.assign(std::make_move_iterator(first_done), std::make_move_iterator(yard.graves.end()));
    yard.graves.erase(first_done, yard.graves.end());
  }
}

}  // namespace quern::detail
