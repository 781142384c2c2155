// SPDX-License-Identifier: MIT
// Use records, and deferred releases of resources that the device still uses.
#include "runtime/hazards.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "backend/backend.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/open_maps.hpp"
#include "runtime/queue_state.hpp"

namespace quern::detail {

void Dependencies::add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, bool on_host) {
  for (Dependency& dependency : list_) {
    if (dependency.queue == queue) {
      dependency.ticket = std::max(dependency.ticket, ticket);
      dependency.on_host |= on_host;
      return;
    }
  }
  list_.push_back({queue, ticket, on_host});
}

void Dependencies::add_source(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, bool on_host) {
  add(queue, ticket, on_host);
  sources_.push_back({queue, ticket, on_host});
}

void UseRecord::remove(std::size_t index, Dependencies& dropped) {
  dropped.drop_later(std::move(entries_[index].queue));
  if (index < writes_) {
    std::swap(entries_[index], entries_[--writes_]);
    index = writes_;
  }
  std::swap(entries_[index], entries_.back());
  entries_.pop_back();
}

void UseRecord::add_entry(QueueState& queue, std::uint64_t ticket, ByteRange range, Usage usage,
                          Tracking tracking, Dependencies& dependencies) {
  if (entries_.empty()) writes_ = 0;
  const bool writes = usage != Usage::reads;
  // A read waits for writes only, and visits the other entries when there are many.
  const bool visits_all = writes || entries_.size() >= poll_at_;
  for (std::size_t i = 0; i < (visits_all ? entries_.size() : writes_);) {
    const Entry& entry = entries_[i];
    const bool is_own = entry.queue.get() == &queue;
    const bool is_tracked = tracking == Tracking::all || entry.is_of_former_owner;
    const bool done = entry.queue->known_done(entry.ticket);
    if (!done && !is_own && is_tracked && range.overlaps(entry.range) && (writes || entry.writes)) {
      const bool is_read = entry.writes && usage != Usage::overwrites && !entry.is_of_former_owner &&
                           !deferred_errors_.is_exempt();
      if (is_read) {
        dependencies.add_source(entry.queue, entry.ticket);
      } else {
        dependencies.add(entry.queue, entry.ticket);
      }
    }
    // A write replaces the entries within its range that it comes after; a read replaces earlier reads of its
    // queue.
    const bool follows = is_own ? writes || !entry.writes : writes && is_tracked;
    if (done || (follows && range.contains(entry.range))) {
      remove(i, dependencies);
    } else {
      ++i;
    }
  }
  if (entries_.size() >= poll_at_) {
    for (std::size_t i = 0; i < entries_.size();) {
      if (entries_[i].queue->done_under_lock(entries_[i].ticket)) {
        remove(i, dependencies);
      } else {
        ++i;
      }
    }
    poll_at_ = std::max<std::size_t>(16, 2 * entries_.size());
  }
  entries_.push_back({queue.shared_from_this(), ticket, range, writes});
  if (writes) std::swap(entries_[writes_++], entries_.back());
}

QueueState* UseRecord::last_in(const LaneGroup& group, ByteRange range, bool writes) const {
  const std::size_t count = writes ? entries_.size() : std::min(writes_, entries_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Entry& entry = entries_[i];
    if (entry.queue->group() == &group && range.overlaps(entry.range) && entry.queue->is_last(entry.ticket) &&
        !entry.queue->known_done(entry.ticket))
      return entry.queue.get();
  }
  return nullptr;
}

void UseRecord::collect(ByteRange range, bool writes, Dependencies& dependencies) const {
  for (const Entry& entry : entries_) {
    if (range.overlaps(entry.range) && (writes || entry.writes) && !entry.queue->known_done(entry.ticket)) {
      if (entry.writes && !deferred_errors_.is_exempt()) {
        dependencies.add_source(entry.queue, entry.ticket);
      } else {
        dependencies.add(entry.queue, entry.ticket);
      }
    }
  }
}

void UseRecord::forget_done(Dependencies& dropped) {
  std::erase_if(entries_, [&](Entry& entry) {
    if (!entry.queue->known_done(entry.ticket)) return false;
    dropped.drop_later(std::move(entry.queue));
    if (entry.writes) --writes_;
    return true;
  });
}

bool UseRecord::is_idle(ByteRange range, bool writes) const {
  if (has_restrictions()) [[unlikely]] {
    if (CaptureState::current() != nullptr) return false;  // the operations of this thread are recorded
    if (OpenMaps::any() && OpenMaps::instance().conflicts(*this, range, writes)) return false;
  }
  return std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return range.overlaps(entry.range) && (writes || entry.writes) && !entry.queue->known_done(entry.ticket);
  });
}

bool UseRecord::ready_for(const QueueState* queue) const {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.queue.get() == queue || entry.queue->known_done(entry.ticket);
  });
}

namespace {

struct DeferredRelease {
  UseRecord uses;
  std::shared_ptr<backend::Marker> marker;  // may be null
  std::shared_ptr<void> thing;
};

struct DeferredReleases {
  std::mutex mutex;
  std::vector<DeferredRelease> releases;
};

DeferredReleases& deferred_releases() {
  static auto* const all = new DeferredReleases;
  return *all;
}

void add(DeferredRelease&& release) {
  DeferredReleases& all = deferred_releases();
  const std::lock_guard lock(all.mutex);
  all.releases.push_back(std::move(release));
}

bool is_done(const DeferredRelease& release) {
  Dependencies pending;
  {
    const std::lock_guard lock(hazard_mutex());
    release.uses.collect(kWhole, true, pending);
  }
  try {
    return (!release.marker || release.marker->done()) &&
           std::all_of(pending.list().begin(), pending.list().end(),
                       [](const Dependency& d) { return d.queue->done(d.ticket); });
  } catch (const std::exception&) {
    return false;  // a lost device: its resources are kept
  }
}

}  // namespace

void defer_release(UseRecord&& uses, std::shared_ptr<void> thing) noexcept {
  bool in_use = false;
  {
    const std::lock_guard lock(hazard_mutex());
    in_use = !uses.ready_for(nullptr);
  }
  if (in_use) add({std::move(uses), nullptr, std::move(thing)});
}

void defer_release(std::shared_ptr<backend::Marker> marker, std::shared_ptr<void> thing) noexcept {
  add({{}, std::move(marker), std::move(thing)});
}

void release_unused() noexcept {
  DeferredReleases& all = deferred_releases();
  // The releases are checked without the lock, because querying a queue may add further releases.
  std::vector<DeferredRelease> releases;
  {
    const std::lock_guard lock(all.mutex);
    releases.swap(all.releases);
  }
  for (DeferredRelease& release : releases) {
    if (!is_done(release)) add(std::move(release));
  }
}

}  // namespace quern::detail
