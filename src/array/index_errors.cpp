// SPDX-License-Identifier: MIT
// Indices that turn out to be out of bounds while a kernel runs.
#include "array/index_errors.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "array/scheduler.hpp"
#include "quern/error.hpp"
#include "runtime/allocation.hpp"
#include "runtime/capture_state.hpp"
#include "runtime/eager.hpp"
#include "runtime/pending.hpp"
#include "runtime/queue_state.hpp"
#include "runtime/waiting.hpp"

namespace quern::array {
namespace {

// The number of launches whose slots may be unread. A further launch first waits for some of them.
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

DeferredIndexError::DeferredIndexError(std::vector<IndexBound> bounds, bool is_assignment, Origin origin)
    : bounds_(std::move(bounds)), is_assignment_(is_assignment), origin_(origin) {}

DeferredIndexError::DeferredIndexError(const char* problem, const char* function, std::int64_t matrices,
                                       Origin origin)
    : bounds_({{0, matrices}}),
      is_assignment_(false),
      problem_(problem),
      function_(function),
      origin_(origin) {}

bool DeferredIndexError::is_cleared() const noexcept {
  const State state = state_.load();
  return state == State::fine || (state == State::bad && is_assignment_ && is_reported_.load());
}

void DeferredIndexError::check() {
  if (state_.load() == State::unknown) {
    const std::shared_ptr<DeferredIndexError> self = shared_from_this();
    if (const auto slots = slots_.lock()) slots->resolve({&self, 1});
  }
  if (state_.load() == State::bad && !is_cleared()) report();
}

void DeferredIndexError::uncount_unread() noexcept {
  if (is_counted_.exchange(false)) detail::unread_index_errors.fetch_sub(1);
}

void DeferredIndexError::report() {
  is_reported_.store(true);
  uncount_unread();
  const std::string line = detail::line_of(origin_);
  if (problem_ != nullptr)
    throw LinAlgError(std::string(problem_) +
                      (bound_.length == 1 ? ""
                                          : "; matrix " + std::to_string(index_ - 1) + " of " +
                                                std::to_string(bound_.length)) +
                      "; in " + function_ + (line.empty() ? "" : " at " + line));
  throw ArgumentError(ArgumentError::Kind::index,
                      bound_text(index_, bound_) + "; the index is in an array on the device, used in " +
                          (is_assignment_ ? "an assignment" : "an indexing operation") +
                          (line.empty() ? "" : " at " + line) +
                          (is_assignment_ ? ", which skipped it" : ", whose result is invalid") +
                          ". In an eager block (qn.eager()), operations raise such errors at their own line");
}

bool DeferredIndexError::read(const std::byte* slot) {
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    std::int64_t index = 0;
    std::memcpy(&index, slot + k * sizeof index, sizeof index);
    if (index == 0) continue;
    index_ = index;
    bound_ = bounds_[k];
    state_.store(State::bad);
    return true;
  }
  state_.store(State::fine);
  return false;
}

IndexErrorSlots::IndexErrorSlots(const Queue& queue)
    : owner_(queue.state()),
      reader_(queue.context(), queue.device()),
      slot_bytes_(std::max<std::size_t>(kMostBounds * sizeof(std::int64_t),
                                        queue.device().properties().sub_buffer_alignment)) {
  buffer_ = Buffer(queue, kSlots * slot_bytes_);
  buffer_.allocation()->uses().deferred_errors().exempt();
  const std::byte zero{0};
  queue.fill(buffer_, {&zero, 1});
  for (std::size_t slot = kSlots; slot-- > 0;) free_.push_back(slot);
}

IndexErrorSlots::~IndexErrorSlots() {
  for (const auto& error : unreported_) error->uncount_unread();  // no thread finishes the queue any more
}

Buffer IndexErrorSlots::reserve(const Queue& queue, const std::shared_ptr<DeferredIndexError>& error) {
  // Registers the scheduler, which is called when a queue is finished.
  static_cast<void>(Scheduler::instance());
  std::unique_lock lock(mutex_);
  poll();
  while (free_.empty()) {
    const std::size_t count = std::min(pending_.size(), kSlots / 2);
    const std::vector<std::shared_ptr<DeferredIndexError>> oldest(
        pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    lock.unlock();
    resolve(oldest);
    std::this_thread::yield();  // another thread may be resolving them
    lock.lock();
  }
  queue_ = queue;
  error->slots_ = weak_from_this();
  error->slot_ = free_.back();
  free_.pop_back();
  pending_.push_back(error);
  error->is_counted_.store(true);
  detail::unread_index_errors.fetch_add(1);
  return buffer_.sub_buffer(error->slot_ * slot_bytes_, error->bounds_.size() * sizeof(std::int64_t));
}

void IndexErrorSlots::give_back(const std::shared_ptr<DeferredIndexError>& error) {
  // The launch may be running: in an eager block, Ctrl-C ends the wait for it. Clearing the slot orders its
  // next use after that launch. The clearing itself is not waited for.
  const int depth = std::exchange(detail::eager_depth, 0);
  bool is_cleared = true;
  try {
    const std::byte zero{0};
    reader_.fill(buffer_.sub_buffer(error->slot_ * slot_bytes_, slot_bytes_), {&zero, 1});
  } catch (const std::exception&) {
    is_cleared = false;  // a lost device: the slot is not used again
  }
  detail::eager_depth = depth;
  const std::lock_guard lock(mutex_);
  error->state_.store(DeferredIndexError::State::fine);
  forget(*error);
  if (is_cleared) free_.push_back(error->slot_);
}

void IndexErrorSlots::forget(DeferredIndexError& error) {
  std::erase_if(pending_, [&](const auto& one) { return one.get() == &error; });
  if (error.state_.load() == DeferredIndexError::State::fine) error.uncount_unread();
}

void IndexErrorSlots::add_unreported(const std::shared_ptr<DeferredIndexError>& error) {
  constexpr std::size_t kMost = 64;  // finish() reports only one
  if (unreported_.size() < kMost) unreported_.push_back(error);
  if (unreported_.back() != error) error->uncount_unread();
}

void IndexErrorSlots::poll() {
  auto* const slots = static_cast<std::byte*>(buffer_.host_pointer());
  if (slots == nullptr || !queue_) return;
  while (!pending_.empty()) {
    const std::shared_ptr<DeferredIndexError> error = pending_.front();
    const std::uint64_t ticket = error->ticket_.load();
    if (ticket == 0) break;
    const std::shared_ptr<detail::QueueState> queue = error->launched_on_.lock();
    if (queue && !queue->known_done(ticket)) break;
    std::byte* const slot = slots + error->slot_ * slot_bytes_;
    if (error->read(slot)) {
      add_unreported(error);
      std::memset(slot, 0, slot_bytes_);
    }
    forget(*error);
    free_.push_back(error->slot_);
  }
}

std::vector<std::byte> IndexErrorSlots::read(std::span<const std::shared_ptr<DeferredIndexError>> errors,
                                             std::size_t first, std::size_t count) {
  std::vector<std::byte> bytes(count * slot_bytes_);
  const Buffer there = buffer_.sub_buffer(first * slot_bytes_, bytes.size());
  for (const auto& error : errors) {
    const std::shared_ptr<detail::QueueState> queue = error->launched_on_.lock();
    if (!queue) continue;
    detail::wait_with_hook(
        [&](Deadline deadline) { return queue->wait_until(error->ticket_.load(), deadline); });
  }
  if (const void* const memory = there.host_pointer()) {
    std::memcpy(bytes.data(), memory, bytes.size());
  } else {
    wait_for(reader_.read(there, bytes.data(), bytes.size()));
  }
  return bytes;
}

void IndexErrorSlots::resolve(std::span<const std::shared_ptr<DeferredIndexError>> errors) {
  std::optional<Queue> queue;  // destroyed after the lock is released: it may be the last handle of its queue
  std::vector<std::shared_ptr<DeferredIndexError>> unknown;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& error : errors)
      if (error->state_.load() == DeferredIndexError::State::unknown && error->ticket_.load() != 0)
        unknown.push_back(error);
    if (unknown.empty()) return;
    queue = queue_;
  }
  std::size_t first = kSlots, last = 0;
  for (const auto& error : unknown) {
    first = std::min(first, error->slot_);
    last = std::max(last, error->slot_);
  }
  const std::vector<std::byte> bytes = read(unknown, first, last - first + 1);
  std::vector<std::size_t> clean, dirty;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& error : unknown) {
      if (error->state_.load() != DeferredIndexError::State::unknown) continue;  // another thread was first
      const bool is_bad = error->read(bytes.data() + (error->slot_ - first) * slot_bytes_);
      if (is_bad) add_unreported(error);
      (is_bad ? dirty : clean).push_back(error->slot_);
      forget(*error);
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

void IndexErrorSlots::finish(std::uint64_t ticket) {
  std::vector<std::shared_ptr<DeferredIndexError>> done;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& error : pending_)
      if (error->ticket_.load() <= ticket) done.push_back(error);
  }
  resolve(done);
  std::shared_ptr<DeferredIndexError> found;
  {
    const std::lock_guard lock(mutex_);
    // The others are thrown when their results are read.
    std::erase_if(unreported_, [&](const auto& error) {
      if (error->ticket_.load() > ticket) return false;
      if (!found && !error->is_reported_.load()) found = error;
      error->uncount_unread();
      return true;
    });
  }
  if (found) found->report();
}

bool IndexErrorSlots::is_idle() {
  const std::lock_guard lock(mutex_);
  std::erase_if(unreported_, [](const auto& error) { return error->is_reported_.load(); });
  return pending_.empty() && unreported_.empty();
}

IndexErrors& IndexErrors::instance() {
  static auto* const errors = new IndexErrors;  // never destroyed: queues may outlive static objects
  return *errors;
}

InUse<IndexErrorSlots> IndexErrors::slots_of(const Queue& queue) {
  const detail::QueueState* const state = queue.state().get();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = table_.find(state); found != table_.end() && found->second->is_of(queue))
      return InUse(found->second);
  }
  // The buffer's use record keeps its queue alive, so a queue's end cannot be observed. Once there are many
  // entries, those without pending or unreported errors are removed.
  constexpr std::size_t kMostIdle = 8;
  // Made without the lock, because the allocation may call the garbage collector.
  const auto made = std::make_shared<IndexErrorSlots>(queue);
  std::vector<std::shared_ptr<IndexErrorSlots>> retired;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto entry = table_.begin(); entry != table_.end();) {
    const bool goes = table_.size() >= kMostIdle && !entry->second->is_in_use() && entry->second->is_idle();
    if (goes) retired.push_back(std::move(entry->second));
    entry = goes ? table_.erase(entry) : std::next(entry);
  }
  std::shared_ptr<IndexErrorSlots>& known = table_[state];
  if (known && known->is_of(queue)) return InUse(known);  // another thread was first
  retired.push_back(std::exchange(known, made));          // of a former queue at the same address
  return InUse(made);
}

std::vector<detail::MemoryRange> IndexErrors::ranges_of(std::span<const Buffer> written) {
  std::vector<detail::MemoryRange> ranges;
  for (const Buffer& each : written)
    ranges.push_back({&each.allocation()->uses(), {each.offset(), each.offset() + each.size()}});
  return ranges;
}

void IndexErrors::attach(const std::shared_ptr<DeferredIndexError>& error,
                         std::span<const detail::MemoryRange> affected) {
  if (detail::eager_depth != 0) return error->check();
  for (const auto& [record, range] : affected) record->deferred_errors().add(range, {error});
}

// A replay clears a slot of the graph and then records bad indices there. The check after each launch copies
// the slot to one of the queue, which the deferred error of that launch reads.
void IndexErrors::record_checked(const Queue& queue,
                                 const std::function<std::shared_ptr<DeferredIndexError>()>& make,
                                 std::span<const Buffer> written,
                                 const std::function<Event(const Buffer& slot)>& launch) {
  const Buffer slot(queue, make()->slot_bytes());
  slot.allocation()->uses().deferred_errors().exempt();
  const std::byte zero{0};
  queue.fill(slot, {&zero, 1});
  launch(slot);
  detail::CaptureState& capture = *detail::CaptureState::current();
  detail::GraphCheck check;
  check.written = ranges_of(written);
  check.end = capture.size();
  check.function = [this, make, slot](const Queue& user, std::span<const detail::MemoryRange> affected) {
    const auto copy = [&](const Buffer& own) { return user.copy(slot, own); };
    attach(launch_with_slot(user, make, copy), affected);
  };
  capture.add_check(std::move(check));
}

void IndexErrors::finish(const detail::QueueState& queue, std::uint64_t ticket) {
  std::shared_ptr<IndexErrorSlots> slots;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = table_.find(&queue); found != table_.end()) slots = found->second;
  }
  if (slots) slots->finish(ticket);
}

}  // namespace quern::array
