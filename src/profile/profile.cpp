// SPDX-License-Identifier: MIT
// Profiles: beginning, ending, and the records of what was collected.
#include "quern/profile.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "array/graph.hpp"
#include "profile/collection.hpp"
#include "runtime/pending.hpp"

namespace quern {
namespace {

using profile::Entry;
using profile::EntryPtr;
using profile::Recorder;

// The lines of origins, each looked up once. No lock may be held: an interpreter has one of its own.
class Lines {
 public:
  std::string operator()(Origin origin) {
    if (origin == 0 || text_ == nullptr) return {};
    const auto [found, is_new] = known_.try_emplace(origin);
    if (is_new) found->second = text_(origin);
    return found->second;
  }

 private:
  OriginText text_ = array::origin_text.load();
  std::unordered_map<Origin, std::string> known_;
};

// An entry as it was when the records were asked for.
struct Snapshot {
  EntryPtr entry;
  Times times;
  bool has_times, failed;
};

// Finds the record of an operation that another one waits for.
class Tickets {
 public:
  void add(const detail::QueueState* queue, std::uint64_t ticket, std::size_t record) {
    queues_[queue][ticket] = record;
  }
  // Appends the last record of the queue up to this ticket, if there is one.
  void find(const profile::Awaited& awaited, std::vector<std::size_t>& records) const {
    const auto queue = queues_.find(awaited.queue);
    if (queue == queues_.end()) return;
    const auto after = queue->second.upper_bound(awaited.ticket);
    if (after != queue->second.begin()) records.push_back(std::prev(after)->second);
  }

 private:
  std::unordered_map<const detail::QueueState*, std::map<std::uint64_t, std::size_t>> queues_;
};

ProfileRecord record_of(const Snapshot& seen) {
  const Entry& entry = *seen.entry;
  ProfileRecord record;
  record.kind = entry.kind;
  record.name = entry.name.empty() ? name_of(entry.kind) : entry.name;
  record.thread = entry.thread;
  record.ticket = entry.ticket;
  record.global.assign(entry.global.begin(), entry.global.begin() + entry.dims);
  record.local.assign(entry.local.begin(), entry.local.begin() + entry.dims);
  record.bytes_read = entry.bytes_read;
  record.bytes_written = entry.bytes_written;
  record.times = seen.times;
  record.has_times = seen.has_times;
  record.failed = seen.failed;
  // A held-back operation reaches the backend later than its queue.
  record.times.queued = seen.has_times ? std::min(seen.times.queued, entry.submitted) : entry.submitted;
  return record;
}

// A wait of a queue begins when the operation before it has ended, and ends with the last operation that it
// waits for.
void derive_times(ProfileRecord& wait, std::int64_t before, const std::vector<ProfileRecord>& records) {
  std::int64_t ended = 0;
  for (const std::size_t index : wait.waits_for) {
    if (records[index].has_times) ended = std::max(ended, records[index].times.ended);
  }
  if (ended == 0) return;
  wait.times.submitted = wait.times.queued;
  wait.times.started = std::max(before, wait.times.queued);
  wait.times.ended = std::max(wait.times.started, ended);
  wait.has_times = true;
}

void evaluate_pending_work() {
  detail::PendingWork* const work = detail::pending_work.load();
  if (work == nullptr) return;
  std::vector<std::shared_ptr<detail::QueueState>> queues;
  {
    const std::lock_guard lock(array::Graph::instance().mutex);
    array::Graph::instance().for_each([&](array::Node& node) {
      const std::shared_ptr<detail::QueueState>& queue = node.queue().state();
      if (std::find(queues.begin(), queues.end(), queue) == queues.end()) queues.push_back(queue);
    });
  }
  for (const std::shared_ptr<detail::QueueState>& queue : queues) work->before_finish(*queue);
}

}  // namespace

const char* name_of(ProfileKind kind) noexcept {
  switch (kind) {
    case ProfileKind::kernel:
      return "kernel";
    case ProfileKind::upload:
      return "upload";
    case ProfileKind::download:
      return "download";
    case ProfileKind::copy:
      return "copy";
    case ProfileKind::fill:
      return "fill";
    case ProfileKind::library:
      return "library";
    case ProfileKind::graph:
      return "graph";
    case ProfileKind::queue_wait:
      return "queue wait";
    case ProfileKind::host_wait:
      break;
  }
  return "host wait";
}

Profile::Profile() : collection_(std::make_shared<Collection>()) {
  Recorder::instance().open(collection_);
}

Profile::~Profile() {
  cancel();
}

void Profile::stop() {
  if (!is_open()) return;
  struct Close {
    Profile& profile;
    ~Close() { profile.cancel(); }
  };
  const Close close{*this};
  evaluate_pending_work();
}

void Profile::cancel() noexcept {
  Recorder::instance().close(*collection_);
}

bool Profile::is_open() const noexcept {
  const std::lock_guard lock(Recorder::instance().mutex);
  return collection_->is_open;
}

bool Profile::is_any_open() noexcept {
  return detail::submission_observer.load(std::memory_order_relaxed) != nullptr;
}

std::int64_t Profile::begin() const noexcept {
  return collection_->begin;
}

std::int64_t Profile::end() const noexcept {
  const std::lock_guard lock(Recorder::instance().mutex);
  return collection_->end;
}

std::uint64_t Profile::at_once() const noexcept {
  const std::lock_guard lock(Recorder::instance().mutex);
  return collection_->at_once;
}

std::uint64_t Profile::dropped() const noexcept {
  const std::lock_guard lock(Recorder::instance().mutex);
  return collection_->dropped;
}

bool Profile::wait_until(Deadline deadline) const {
  std::vector<Collection::SeenQueue> queues;
  {
    const std::lock_guard lock(Recorder::instance().mutex);
    queues = collection_->queues;
  }
  const profile::Unrecorded unrecorded;
  return std::all_of(queues.begin(), queues.end(), [&](const Collection::SeenQueue& seen) {
    return !seen.queue || seen.queue->wait_until(seen.last, deadline);
  });
}

std::vector<ProfileRecord> Profile::records() const {
  wait_until(Deadline::max());
  std::vector<Snapshot> snapshots;
  std::vector<Collection::SeenQueue> queues;
  std::unordered_map<const detail::QueueState*, std::size_t> numbers;
  std::vector<std::shared_ptr<detail::QueueState>> released;  // destroyed after the lock is released
  {
    const std::lock_guard lock(Recorder::instance().mutex);
    Collection& collection = *collection_;
    collection.resolve();
    // Operations that were submitted during the wait may still run.
    snapshots.reserve(collection.first_unresolved);
    for (std::size_t k = 0; k < collection.first_unresolved; ++k) {
      const EntryPtr& entry = collection.entries[k];
      snapshots.push_back({entry, entry->times, entry->has_times, entry->failed});
    }
    if (!collection.is_open && collection.first_unresolved == collection.entries.size()) {
      for (Collection::SeenQueue& seen : collection.queues) released.push_back(std::move(seen.queue));
    }
    queues = collection.queues;
    numbers = collection.numbers;
  }
  Lines lines;
  Tickets tickets;
  std::vector<std::string> devices;
  std::unordered_map<const void*, std::size_t> identities;
  std::vector<std::size_t> shown;  // the lanes of an out-of-order queue are one queue
  for (const Collection::SeenQueue& seen : queues) {
    devices.push_back(seen.device.spec());
    shown.push_back(identities.try_emplace(seen.identity, identities.size()).first->second);
  }
  std::vector<std::int64_t> last_end(queues.size(), 0);
  std::vector<ProfileRecord> records;
  records.reserve(snapshots.size());
  for (const Snapshot& seen : snapshots) {
    ProfileRecord record = record_of(seen);
    const std::size_t number = numbers.at(seen.entry->queue);
    record.queue = shown[number];
    record.device = devices[number];
    record.queue_name = queues[number].name;
    record.line = lines(seen.entry->origin);
    for (const profile::Awaited& awaited : seen.entry->waits_for) tickets.find(awaited, record.waits_for);
    if (record.kind == ProfileKind::queue_wait) derive_times(record, last_end[number], records);
    if (record.kind != ProfileKind::host_wait) {
      tickets.add(seen.entry->queue, record.ticket, records.size());
      last_end[number] = std::max(last_end[number], record.times.ended);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace quern
