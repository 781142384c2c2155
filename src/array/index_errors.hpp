// SPDX-License-Identifier: MIT
// Indices that turn out to be out of bounds while a kernel runs: it notes them, and whoever reads what came
// of it is told. A launch costs nothing more for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/explain.hpp"
#include "quern/queue.hpp"
#include "runtime/deferred_errors.hpp"

namespace quern::array {

// What an index is checked against.
struct IndexBound {
  std::size_t axis = 0;
  std::int64_t length = 0;
};

[[noreturn]] void throw_index_error(std::int64_t index, const IndexBound& bound);

class IndexErrorSlots;

// Of one launch. Elements that were picked at a bad position are no elements: whoever reads them is told,
// each time. An assignment has left out what it could not place, and is told once.
class DeferredIndexError final : public detail::DeferredError,
                                 public std::enable_shared_from_this<DeferredIndexError> {
 public:
  DeferredIndexError(std::vector<IndexBound> bounds, bool is_assignment);
  [[nodiscard]] bool is_resolved() const noexcept override;
  void check() override;

 private:
  friend class IndexErrorSlots;
  enum class State : std::uint8_t { unknown, fine, bad };
  // What the launch has noted; true where that says something is bad. With the slots' lock held.
  bool read(const std::byte* notes);
  [[noreturn]] void tell();
  void uncount_unread() noexcept;  // among those that finish() has to look at

  std::vector<IndexBound> bounds_;
  bool is_assignment_;
  Origin origin_;
  std::weak_ptr<IndexErrorSlots> slots_;  // gone when all is known
  std::size_t slot_ = 0;
  std::atomic<std::uint64_t> ticket_{0};  // 0: not launched yet
  std::atomic<State> state_{State::unknown};
  std::atomic<bool> is_told_{false}, is_counted_{false};
  std::int64_t index_ = 0;  // that is bad, and its bound
  IndexBound bound_;
};

// Where the launches of one queue note indices. Nothing is waited for with the lock held.
class IndexErrorSlots : public std::enable_shared_from_this<IndexErrorSlots> {
 public:
  // Most bounds that one launch may have.
  static constexpr std::size_t kMostBounds = 32;
  explicit IndexErrorSlots(const Queue& queue);
  IndexErrorSlots(const IndexErrorSlots&) = delete;
  IndexErrorSlots& operator=(const IndexErrorSlots&) = delete;
  ~IndexErrorSlots();
  [[nodiscard]] bool is_of(const Queue& queue) const { return owner_.lock() == queue.state(); }

  // An int64 for each bound, all of them zero.
  Buffer reserve(const Queue& queue, const std::shared_ptr<DeferredIndexError>& deferred_error);
  void launched(DeferredIndexError& deferred_error, const Event& event) {
    deferred_error.ticket_.store(event.ticket());
  }
  void give_back(const std::shared_ptr<DeferredIndexError>& deferred_error);  // nothing was launched
  // Finds out what these have noted, which are waited for.
  void resolve(std::span<const std::shared_ptr<DeferredIndexError>> deferred_errors);
  // Throws for the first launch up to this ticket of which nobody was told, and leaves the others to who
  // reads.
  void finish(std::uint64_t ticket);
  [[nodiscard]] bool is_idle();

 private:
  // What is done already and can be seen from here. With the lock held.
  void poll();
  std::vector<std::byte> read(const Queue& queue, std::uint64_t ticket, std::size_t first, std::size_t count);
  void note_untold(const std::shared_ptr<DeferredIndexError>& deferred_error);  // likewise
  void forget(DeferredIndexError& deferred_error);                              // with the lock held

  std::weak_ptr<detail::QueueState> owner_;
  Queue reader_;  // so that nobody waits for what was enqueued later
  Buffer buffer_;
  std::size_t slot_bytes_;
  std::mutex mutex_;
  std::optional<Queue> queue_;  // while anything is pending
  std::vector<std::size_t> free_;
  std::vector<std::shared_ptr<DeferredIndexError>> pending_, untold_;
};

class IndexErrors {
 public:
  static IndexErrors& instance();
  std::shared_ptr<IndexErrorSlots> slots_of(const Queue& queue);
  // As IndexErrorSlots::finish(), for a queue that may have none.
  void finish(const detail::QueueState& queue, std::uint64_t ticket);

 private:
  using Table = std::unordered_map<const detail::QueueState*, std::shared_ptr<IndexErrorSlots>>;
  std::mutex mutex_;
  Table table_;
};

}  // namespace quern::array
