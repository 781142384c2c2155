// SPDX-License-Identifier: MIT
// Indices that turn out to be out of bounds while a kernel runs.
#include "array/index_notes.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "array/node.hpp"
#include "quern/error.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {
namespace {

// So many launches may go without anybody waiting; then somebody has to look.
constexpr std::size_t kSlots = 1024;

void wait_for(const Event& event) {
  const auto& queue = event.queue_state();
  if (!queue) return;
  queue->wait_until(event.ticket(), Deadline::max());  // not as users wait, who are told what is found here
  if (const std::exception_ptr failure = queue->failure(event.ticket())) std::rethrow_exception(failure);
}

}  // namespace

void throw_index_error(std::int64_t index, const IndexBound& bound, bool was_on_device) {
  throw ArgumentError(ArgumentError::Kind::index,
                      "index " + std::to_string(index) + " is out of bounds for axis " +
                          std::to_string(bound.axis) + " with size " + std::to_string(bound.length) +
                          (was_on_device ? "; it came from an array of indices on the device, and what was "
                                           "indexed with it is not to be trusted"
                                         : ""));
}

IndexNotes& IndexNotes::instance() {
  static auto* const notes = new IndexNotes;  // never destroyed: queues may outlive everything
  return *notes;
}

IndexNotes::Notes& IndexNotes::notes_of(const Queue& queue) {
  if (const auto found = table_.find(queue.state().get());
      found != table_.end() && found->second.owner.lock() == queue.state())
    return found->second;
  // Records of the buffer's use keep its queue, so nobody knows which queues are still there: those that have
  // nothing to tell go, once there are many.
  constexpr std::size_t kMostIdle = 8;
  for (auto entry = table_.begin(); table_.size() >= kMostIdle && entry != table_.end();) {
    const auto next = std::next(entry);
    if (entry->second.pending.empty()) retired_.push_back(table_.extract(entry));
    entry = next;
  }
  Notes& notes = table_[queue.state().get()];
  notes.owner = queue.state();
  notes.slot_bytes = std::max<std::size_t>(kMostBounds * sizeof(std::int64_t),
                                           queue.device().properties().sub_buffer_alignment);
  notes.buffer = Buffer(queue, kSlots * notes.slot_bytes);
  const std::byte zero{0};
  queue.fill(notes.buffer, {&zero, 1});
  return notes;
}

IndexNotes::Place IndexNotes::reserve(const Queue& queue, std::vector<IndexBound> bounds) {
  static_cast<void>(Graph::instance());  // which is told when somebody waits
  decltype(retired_) retired;            // go without the lock: a queue that ends may tell what it finds
  const std::lock_guard lock(mutex_);
  retired.swap(retired_);
  Notes& notes = notes_of(queue);
  if (notes.pending.size() == kSlots) check(notes, kSlots / 2);
  notes.queue = queue;
  const std::size_t slot = notes.next;
  notes.next = (notes.next + 1) % kSlots;
  const std::size_t nbytes = bounds.size() * sizeof(std::int64_t);
  notes.pending.push_back({slot, 0, std::move(bounds)});
  detail::unread_notes.fetch_add(1);
  return {notes.buffer.sub_buffer(slot * notes.slot_bytes, nbytes), slot};
}

void IndexNotes::launched(const Queue& queue, const Place& place, const Event& event) {
  const std::lock_guard lock(mutex_);
  for (Pending& pending : notes_of(queue).pending)
    if (pending.slot == place.slot) pending.ticket = event.ticket();
}

void IndexNotes::give_back(const Queue& queue, const Place& place) {
  const std::lock_guard lock(mutex_);
  // Its turn comes like that of the others; nothing was noted there.
  for (Pending& pending : notes_of(queue).pending)
    if (pending.slot == place.slot) pending.bounds.clear();
}

std::vector<std::byte> IndexNotes::read(Notes& notes, std::size_t count) {
  std::vector<std::byte> bytes(count * notes.slot_bytes);
  const std::size_t first = notes.pending.front().slot, before_end = std::min(count, kSlots - first);
  if (!notes.reader) notes.reader.emplace(notes.queue->context(), notes.queue->device());
  std::uint64_t last = 0;
  for (std::size_t n = 0; n < count; ++n) last = std::max(last, notes.pending[n].ticket);
  const auto copy = [&](std::size_t from, std::size_t slots, std::byte* to) {
    const Buffer there = notes.buffer.sub_buffer(from * notes.slot_bytes, slots * notes.slot_bytes);
    if (const void* const memory = there.host_pointer()) {
      notes.queue->state()->wait_until(last, Deadline::max());
      std::memcpy(to, memory, there.size());
    } else {
      wait_for(notes.reader->read(there, to, there.size()));
    }
  };
  copy(first, before_end, bytes.data());
  if (count > before_end) copy(0, count - before_end, bytes.data() + before_end * notes.slot_bytes);
  return bytes;
}

void IndexNotes::check(Notes& notes, std::size_t count) {
  const std::vector<std::byte> bytes = read(notes, count);
  std::optional<std::pair<std::int64_t, IndexBound>> found;
  for (std::size_t n = 0; n < count; ++n) {
    const Pending pending = std::move(notes.pending.front());
    notes.pending.pop_front();
    detail::unread_notes.fetch_sub(1);
    bool is_dirty = false;
    for (std::size_t k = 0; k < pending.bounds.size(); ++k) {
      std::int64_t index = 0;
      std::memcpy(&index, bytes.data() + n * notes.slot_bytes + k * sizeof index, sizeof index);
      is_dirty |= index != 0;
      if (index != 0 && !found) found = {index, pending.bounds[k]};
    }
    if (!is_dirty) continue;
    const std::byte zero{0};
    notes.reader->fill(notes.buffer.sub_buffer(pending.slot * notes.slot_bytes, notes.slot_bytes),
                       {&zero, 1});
  }
  if (notes.pending.empty()) notes.queue.reset();
  if (found) throw_index_error(found->first, found->second, true);
}

void IndexNotes::check(const detail::QueueState& queue, std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  for (auto& [state, notes] : table_) {
    std::size_t count = 0;
    for (const Pending& pending : notes.pending) {
      const bool is_done =
          pending.bounds.empty() || (pending.ticket != 0 && ((state == &queue && pending.ticket <= ticket) ||
                                                             notes.queue->state()->done(pending.ticket)));
      if (!is_done) break;
      ++count;
    }
    if (count != 0) check(notes, count);
  }
}

}  // namespace quern::array
