// SPDX-License-Identifier: MIT
// Recording: reports of the runtime become entries of all open profiles.
#include "profile/collection.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace quern::profile {
namespace {

using detail::OperationKind;

thread_local int unrecorded_depth = 0;

// A small number for each thread that submits or waits.
std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t number = next.fetch_add(1);
  return number;
}

std::int64_t nanoseconds(std::chrono::steady_clock::time_point time) noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

ProfileKind kind_of(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::kernel:
      return ProfileKind::kernel;
    case OperationKind::upload:
      return ProfileKind::upload;
    case OperationKind::download:
      return ProfileKind::download;
    case OperationKind::copy:
      return ProfileKind::copy;
    case OperationKind::fill:
      return ProfileKind::fill;
    case OperationKind::library:
      return ProfileKind::library;
    case OperationKind::graph:
      return ProfileKind::graph;
    case OperationKind::barrier:
    case OperationKind::marker:
    case OperationKind::map:
    case OperationKind::unmap:
    case OperationKind::migrate:
    case OperationKind::wait:
      break;
  }
  return ProfileKind::queue_wait;
}

void count_bytes(Entry& entry, const detail::OperationDetails& details, std::span<const detail::Use> uses) {
  switch (details.kind) {
    case OperationKind::upload:
    case OperationKind::fill:
      entry.bytes_written = details.nbytes;
      return;
    case OperationKind::download:
      entry.bytes_read = details.nbytes;
      return;
    case OperationKind::copy:
      entry.bytes_read = entry.bytes_written = details.nbytes;
      return;
    case OperationKind::barrier:
    case OperationKind::marker:
    case OperationKind::map:
    case OperationKind::unmap:
    case OperationKind::migrate:
    case OperationKind::wait:
      return;
    case OperationKind::kernel:
    case OperationKind::library:
    case OperationKind::graph:
      break;
  }
  for (const detail::Use& use : uses) {
    if (use.range.end == detail::kWhole.end) continue;  // the use of the module, whose size is unknown
    (use.writes() ? entry.bytes_written : entry.bytes_read) += use.range.end - use.range.begin;
  }
}

EntryPtr make_entry(const detail::Submission& submission) {
  const detail::OperationDetails details = submission.operation.details();
  auto entry = std::make_shared<Entry>();
  for (const detail::Dependency& dependency : submission.dependencies) {
    if (dependency.queue != submission.queue || submission.queue->group() != nullptr)
      entry->waits_for.push_back({dependency.queue.get(), dependency.ticket});
  }
  entry->kind = kind_of(details.kind);
  // A barrier that waits for no other queue delays nothing.
  if (entry->kind == ProfileKind::queue_wait && entry->waits_for.empty()) return nullptr;
  const std::string_view label = detail::SubmissionLabel::current();
  entry->name = entry->kind == ProfileKind::kernel && !label.empty() ? label : details.name;
  entry->queue = submission.queue.get();
  entry->ticket = submission.ticket;
  entry->thread = thread_number();
  entry->dims = details.dims;
  entry->global = details.global;
  entry->local = details.local;
  entry->origin = array::current_origin;
  entry->submitted = now_ns();
  entry->timing = submission.timing;
  count_bytes(*entry, details, submission.uses);
  return entry;
}

// The caller holds the recorder's lock. Returns false if the operation may still run.
bool resolve_entry(Entry& entry, detail::QueueState& queue) {
  if (entry.is_resolved) return true;
  if (!queue.known_done(entry.ticket)) return false;
  entry.is_resolved = true;
  const backend::TimingPtr timing = std::exchange(entry.timing, nullptr);
  entry.failed = queue.find_failure(entry.ticket) != nullptr;
  if (!timing) return true;
  try {
    entry.times = timing->times();
    // An operation that was not issued, because one that it waited for failed, has none.
    entry.has_times = entry.times.started != 0 && entry.times.ended >= entry.times.started;
  } catch (const std::exception&) {
    entry.has_times = false;  // a lost device, or a command that failed
  }
  if (!entry.has_times) entry.times = {};
  return true;
}

}  // namespace

std::int64_t now_ns() noexcept {
  return nanoseconds(std::chrono::steady_clock::now());
}

Unrecorded::Unrecorded() noexcept {
  ++unrecorded_depth;
}
Unrecorded::~Unrecorded() {
  --unrecorded_depth;
}

Recorder& Recorder::instance() {
  static auto* const recorder = new Recorder;
  return *recorder;
}

void Recorder::open(const std::shared_ptr<Profile::Collection>& collection) {
  const std::lock_guard lock(mutex);
  open_.push_back(collection);
  collection->is_open = true;
  collection->begin = now_ns();
  detail::observe_submissions(this);
}

void Recorder::close(Profile::Collection& collection) noexcept {
  std::shared_ptr<Profile::Collection> closed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex);
  if (!collection.is_open) return;
  collection.is_open = false;
  collection.end = now_ns();
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const auto& one) { return one.get() == &collection; });
  closed = std::move(*found);
  open_.erase(found);
  if (open_.empty()) detail::observe_submissions(nullptr);
}

void Recorder::submitted(const detail::Submission& submission) noexcept {
  if (unrecorded_depth != 0) return;
  try {
    if (const EntryPtr entry = make_entry(submission)) add(entry, submission.queue);
  } catch (const std::exception&) {  // no memory is left: the program goes on without the record
    const std::lock_guard lock(mutex);
    for (const auto& collection : open_) ++collection->dropped;
  }
}

void Recorder::waited(detail::QueueState& queue, std::uint64_t ticket, Time begin, Time end) noexcept {
  if (unrecorded_depth != 0) return;
  try {
    auto entry = std::make_shared<Entry>();
    entry->kind = ProfileKind::host_wait;
    entry->queue = &queue;
    entry->ticket = ticket;
    entry->thread = thread_number();
    entry->origin = array::current_origin;
    entry->submitted = nanoseconds(begin);
    entry->waits_for.push_back({&queue, ticket});
    entry->times = {entry->submitted, entry->submitted, entry->submitted, nanoseconds(end)};
    entry->has_times = entry->is_resolved = true;
    add(entry, queue.shared_from_this());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory is left
  }
}

void Recorder::computed_at_once() noexcept {
  if (unrecorded_depth != 0) return;
  const std::lock_guard lock(mutex);
  for (const auto& collection : open_) ++collection->at_once;
}

void Recorder::add(const EntryPtr& entry, const std::shared_ptr<detail::QueueState>& queue) {
  const std::lock_guard lock(mutex);
  for (const auto& collection : open_) collection->add(entry, queue);
}

}  // namespace quern::profile

namespace quern {

void Profile::Collection::add(const profile::EntryPtr& entry,
                              const std::shared_ptr<detail::QueueState>& queue) {
  if (entries.size() == kMost) {
    ++dropped;
    return;
  }
  // A wait in several slices, so that a thread can be interrupted, is one wait.
  if (entry->kind == ProfileKind::host_wait && !entries.empty()) {
    profile::Entry& last = *entries.back();
    constexpr std::int64_t kGap = 1'000'000;  // nanoseconds
    if (last.kind == entry->kind && last.thread == entry->thread && last.queue == entry->queue &&
        last.ticket == entry->ticket && entry->times.started - last.times.ended < kGap) {
      last.times.ended = entry->times.ended;
      return;
    }
  }
  const auto [found, is_new] = numbers.try_emplace(queue.get(), queues.size());
  if (is_new) queues.push_back({queue, queue->device_handle(), queue->name(), queue->identity()});
  SeenQueue& seen = queues[found->second];
  // A thread may have given up its wait for work that never ends, which the profile need not wait for.
  if (!entry->is_resolved) seen.last = std::max(seen.last, entry->ticket);
  entries.push_back(entry);
  // Native events are released in time, so that a profile that stays open needs few of them.
  constexpr std::size_t kUnresolved = 4096;
  if (entries.size() - first_unresolved < kUnresolved || entries.size() % 256 != 0) return;
  resolve();
}

void Profile::Collection::resolve() {
  for (; first_unresolved < entries.size(); ++first_unresolved) {
    profile::Entry& oldest = *entries[first_unresolved];
    if (!oldest.is_resolved && !profile::resolve_entry(oldest, *queues[numbers.at(oldest.queue)].queue))
      return;
  }
}

}  // namespace quern
