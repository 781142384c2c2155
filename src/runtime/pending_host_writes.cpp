// SPDX-License-Identifier: MIT
// The list of reads in flight.
#include "runtime/pending_host_writes.hpp"

#include "runtime/queue_state.hpp"

namespace quern::detail {

PendingHostWrites& PendingHostWrites::instance() {
  static auto* const targets = new PendingHostWrites;
  return *targets;
}

template <class Visit>
void PendingHostWrites::for_each_pending(Dependencies& dependencies, Visit&& visit) {
  for (std::size_t i = 0; i < entries_.size();) {
    std::shared_ptr<QueueState> queue = entries_[i].queue.lock();
    if (!queue || queue->known_done(entries_[i].ticket)) {
      std::swap(entries_[i], entries_.back());
      entries_.pop_back();
    } else {
      visit(entries_[i], queue);
      ++i;
    }
    if (queue) dependencies.drop_later(std::move(queue));
  }
  any_.store(!entries_.empty(), std::memory_order_release);
}

void PendingHostWrites::add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket,
                            ByteRange addresses) {
  Dependencies dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for_each_pending(dropped, [](const Entry&, const std::shared_ptr<QueueState>&) {});
  entries_.push_back({queue, ticket, addresses});
  any_.store(true, std::memory_order_release);
}

void PendingHostWrites::collect(ByteRange addresses, bool on_host, Dependencies& dependencies) {
  if (!any_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  for_each_pending(dependencies, [&](const Entry& entry, const std::shared_ptr<QueueState>& queue) {
    if (addresses.overlaps(entry.addresses)) dependencies.add_source(queue, entry.ticket, on_host);
  });
}

}  // namespace quern::detail
