// SPDX-License-Identifier: MIT
// Indices that turn out to be out of bounds while a kernel runs.
#include "array/index_notes.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "array/node.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/pending.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/waiting.hpp"

namespace quern::array {
namespace {

// So many launches may go without anybody waiting; then somebody has to look.
constexpr std::size_t kSlots = 1024;

std::string bound_text(std::int64_t index, const IndexBound& bound) {
  return "index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(bound.axis) +
         " with size " + std::to_string(bound.length);
}

void wait_for(const Event& event) {
  const auto& queue = event.queue_state();
  if (!queue) return;
  queue->wait_until(event.ticket(), Deadline::max());
  if (const std::exception_ptr failure = queue->failure(event.ticket())) std::rethrow_exception(failure);
}

}  // namespace

void throw_index_error(std::int64_t index, const IndexBound& bound) {
  throw ArgumentError(ArgumentError::Kind::index, bound_text(index, bound));
}

IndexDoubt::IndexDoubt(std::vector<IndexBound> bounds, bool is_assignment)
    : bounds_(std::move(bounds)), is_assignment_(is_assignment), origin_(current_origin) {}

bool IndexDoubt::is_settled() const noexcept {
  const State state = state_.load();
  return state == State::fine || (state == State::bad && is_assignment_ && is_told_.load());
}

void IndexDoubt::check() {
  if (state_.load() == State::unknown) {
    const std::shared_ptr<IndexDoubt> self = shared_from_this();
    if (const auto slots = slots_.lock()) slots->settle({&self, 1});
  }
  if (state_.load() == State::bad && !is_settled()) tell();
}

void IndexDoubt::uncount_unread() noexcept {
  if (is_counted_.exchange(false)) detail::unread_notes.fetch_sub(1);
}

void IndexDoubt::tell() {
  is_told_.store(true);
  uncount_unread();
  const OriginText where = origin_text.load();
  const std::string line = where != nullptr && origin_ != 0 ? where(origin_) : std::string();
  throw ArgumentError(
      ArgumentError::Kind::index,
      bound_text(index_, bound_) + "; it came from an array of indices on the device, in " +
          (is_assignment_ ? "an assignment" : "an index") + (line.empty() ? "" : " written at " + line) +
          (is_assignment_ ? ", which has left out such elements" : ", whose elements are not to be trusted") +
          ". In an eager block (qn.eager()) such errors come where operations are written");
}

bool IndexDoubt::read(const std::byte* notes) {
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    std::int64_t index = 0;
    std::memcpy(&index, notes + k * sizeof index, sizeof index);
    if (index == 0) continue;
    index_ = index;
    bound_ = bounds_[k];
    state_.store(State::bad);
    return true;
  }
  state_.store(State::fine);
  return false;
}

NoteSlots::NoteSlots(const Queue& queue)
    : owner_(queue.state()),
      reader_(queue.context(), queue.device()),
      slot_bytes_(std::max<std::size_t>(kMostBounds * sizeof(std::int64_t),
                                        queue.device().properties().sub_buffer_alignment)) {
  buffer_ = Buffer(queue, kSlots * slot_bytes_);
  buffer_.allocation()->uses().doubts().exempt();
  const std::byte zero{0};
  queue.fill(buffer_, {&zero, 1});
  for (std::size_t slot = kSlots; slot-- > 0;) free_.push_back(slot);
}

NoteSlots::~NoteSlots() {
  for (const auto& doubt : untold_) doubt->uncount_unread();  // nobody finishes the queue any more
}

Buffer NoteSlots::reserve(const Queue& queue, const std::shared_ptr<IndexDoubt>& doubt) {
  static_cast<void>(Graph::instance());  // which is told when a queue is finished
  std::unique_lock lock(mutex_);
  poll();
  while (free_.empty()) {
    const std::size_t count = std::min(pending_.size(), kSlots / 2);
    const std::vector<std::shared_ptr<IndexDoubt>> oldest(
        pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    lock.unlock();
    settle(oldest);
    std::this_thread::yield();  // where they are others' to settle
    lock.lock();
  }
  queue_ = queue;
  doubt->slots_ = weak_from_this();
  doubt->slot_ = free_.back();
  free_.pop_back();
  pending_.push_back(doubt);
  doubt->is_counted_.store(true);
  detail::unread_notes.fetch_add(1);
  return buffer_.sub_buffer(doubt->slot_ * slot_bytes_, doubt->bounds_.size() * sizeof(std::int64_t));
}

void NoteSlots::give_back(const std::shared_ptr<IndexDoubt>& doubt) {
  const std::lock_guard lock(mutex_);
  doubt->state_.store(IndexDoubt::State::fine);
  forget(*doubt);
  free_.push_back(doubt->slot_);
}

void NoteSlots::forget(IndexDoubt& doubt) {
  std::erase_if(pending_, [&](const auto& one) { return one.get() == &doubt; });
  if (doubt.state_.load() == IndexDoubt::State::fine) doubt.uncount_unread();
}

void NoteSlots::note_untold(const std::shared_ptr<IndexDoubt>& doubt) {
  constexpr std::size_t kMost = 64;  // finish() tells of one anyway
  if (untold_.size() < kMost) untold_.push_back(doubt);
  if (untold_.back() != doubt) doubt->uncount_unread();
}

void NoteSlots::poll() {
  auto* const notes = static_cast<std::byte*>(buffer_.host_pointer());
  if (notes == nullptr || !queue_) return;
  while (!pending_.empty()) {
    const std::shared_ptr<IndexDoubt> doubt = pending_.front();
    const std::uint64_t ticket = doubt->ticket_.load();
    if (ticket == 0 || !queue_->state()->known_done(ticket)) break;
    std::byte* const slot = notes + doubt->slot_ * slot_bytes_;
    if (doubt->read(slot)) {
      note_untold(doubt);
      std::memset(slot, 0, slot_bytes_);
    }
    forget(*doubt);
    free_.push_back(doubt->slot_);
  }
}

std::vector<std::byte> NoteSlots::read(const Queue& queue, std::uint64_t ticket, std::size_t first,
                                       std::size_t count) {
  std::vector<std::byte> bytes(count * slot_bytes_);
  const Buffer there = buffer_.sub_buffer(first * slot_bytes_, bytes.size());
  detail::wait_with_hook([&](Deadline deadline) { return queue.state()->wait_until(ticket, deadline); });
  if (const void* const memory = there.host_pointer()) {
    std::memcpy(bytes.data(), memory, bytes.size());
  } else {
    wait_for(reader_.read(there, bytes.data(), bytes.size()));
  }
  return bytes;
}

void NoteSlots::settle(std::span<const std::shared_ptr<IndexDoubt>> doubts) {
  std::optional<Queue> queue;  // goes without the lock: it may be the last of its queue
  std::vector<std::shared_ptr<IndexDoubt>> unknown;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& doubt : doubts)
      if (doubt->state_.load() == IndexDoubt::State::unknown && doubt->ticket_.load() != 0)
        unknown.push_back(doubt);
    if (unknown.empty()) return;
    queue = queue_;
  }
  std::uint64_t ticket = 0;
  std::size_t first = kSlots, last = 0;
  for (const auto& doubt : unknown) {
    ticket = std::max(ticket, doubt->ticket_.load());
    first = std::min(first, doubt->slot_);
    last = std::max(last, doubt->slot_);
  }
  const std::vector<std::byte> bytes = read(*queue, ticket, first, last - first + 1);
  std::vector<std::size_t> clean, dirty;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& doubt : unknown) {
      if (doubt->state_.load() != IndexDoubt::State::unknown) continue;  // another thread was first
      const bool is_bad = doubt->read(bytes.data() + (doubt->slot_ - first) * slot_bytes_);
      if (is_bad) note_untold(doubt);
      (is_bad ? dirty : clean).push_back(doubt->slot_);
      forget(*doubt);
    }
  }
  const std::byte zero{0};
  for (const std::size_t slot : dirty)
    reader_.fill(buffer_.sub_buffer(slot * slot_bytes_, slot_bytes_), {&zero, 1});
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), dirty.begin(), dirty.end());
  free_.insert(free_.end(), clean.begin(), clean.end());
  if (pending_.empty()) queue_.swap(queue);
}

void NoteSlots::finish(std::uint64_t ticket) {
  std::vector<std::shared_ptr<IndexDoubt>> done;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& doubt : pending_)
      if (doubt->ticket_.load() <= ticket) done.push_back(doubt);
  }
  settle(done);
  std::shared_ptr<IndexDoubt> found;
  {
    const std::lock_guard lock(mutex_);
    // The others are told to whoever reads what came of them.
    std::erase_if(untold_, [&](const auto& doubt) {
      if (doubt->ticket_.load() > ticket) return false;
      if (!found && !doubt->is_told_.load()) found = doubt;
      doubt->uncount_unread();
      return true;
    });
  }
  if (found) found->tell();
}

bool NoteSlots::is_idle() {
  const std::lock_guard lock(mutex_);
  std::erase_if(untold_, [](const auto& doubt) { return doubt->is_told_.load(); });
  return pending_.empty() && untold_.empty();
}

IndexNotes& IndexNotes::instance() {
  static auto* const notes = new IndexNotes;  // never destroyed: queues may outlive everything
  return *notes;
}

std::shared_ptr<NoteSlots> IndexNotes::slots_of(const Queue& queue) {
  const detail::QueueState* const state = queue.state().get();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = table_.find(state); found != table_.end() && found->second->is_of(queue))
      return found->second;
  }
  // Records of the buffer's use keep its queue, so nobody knows which queues are still there: those that have
  // nothing to tell go, once there are many.
  constexpr std::size_t kMostIdle = 8;
  const auto made = std::make_shared<NoteSlots>(queue);  // allocates, which may have others collect garbage
  std::vector<std::shared_ptr<NoteSlots>> retired;       // go without the lock
  const std::lock_guard lock(mutex_);
  for (auto entry = table_.begin(); entry != table_.end();) {
    const bool goes =
        table_.size() >= kMostIdle && entry->second.use_count() == 1 && entry->second->is_idle();
    if (goes) retired.push_back(std::move(entry->second));
    entry = goes ? table_.erase(entry) : std::next(entry);
  }
  std::shared_ptr<NoteSlots>& known = table_[state];
  if (known && known->is_of(queue)) return known;  // another thread was first
  retired.push_back(std::exchange(known, made));   // of a queue that was at the same address
  return made;
}

void IndexNotes::finish(const detail::QueueState& queue, std::uint64_t ticket) {
  std::shared_ptr<NoteSlots> slots;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = table_.find(&queue); found != table_.end()) slots = found->second;
  }
  if (slots) slots->finish(ticket);
}

}  // namespace quern::array
