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
#include "runtime/doubts.hpp"

namespace quern::array {

// What an index is checked against.
struct IndexBound {
  std::size_t axis = 0;
  std::int64_t length = 0;
};

[[noreturn]] void throw_index_error(std::int64_t index, const IndexBound& bound);

class NoteSlots;

// Of one launch. Elements that were picked at a bad position are no elements: whoever reads them is told,
// each time. An assignment has left out what it could not place, and is told once.
class IndexDoubt final : public detail::Doubt, public std::enable_shared_from_this<IndexDoubt> {
 public:
  IndexDoubt(std::vector<IndexBound> bounds, bool is_assignment);
  [[nodiscard]] bool is_settled() const noexcept override;
  void check() override;

 private:
  friend class NoteSlots;
  enum class State : std::uint8_t { unknown, fine, bad };
  // What the launch has noted; true where that says something is bad. With the slots' lock held.
  bool read(const std::byte* notes);
  [[noreturn]] void tell();
  void uncount_unread() noexcept;  // among those that finish() has to look at

  std::vector<IndexBound> bounds_;
  bool is_assignment_;
  Origin origin_;
  std::weak_ptr<NoteSlots> slots_;  // gone when all is known
  std::size_t slot_ = 0;
  std::atomic<std::uint64_t> ticket_{0};  // 0: not launched yet
  std::atomic<State> state_{State::unknown};
  std::atomic<bool> is_told_{false}, is_counted_{false};
  std::int64_t index_ = 0;  // that is bad, and its bound
  IndexBound bound_;
};

// Where the launches of one queue note indices. Nothing is waited for with the lock held.
class NoteSlots : public std::enable_shared_from_this<NoteSlots> {
 public:
  // Most bounds that one launch may have.
  static constexpr std::size_t kMostBounds = 32;
  explicit NoteSlots(const Queue& queue);
  NoteSlots(const NoteSlots&) = delete;
  NoteSlots& operator=(const NoteSlots&) = delete;
  ~NoteSlots();
  [[nodiscard]] bool is_of(const Queue& queue) const { return owner_.lock() == queue.state(); }

  // An int64 for each bound, all of them zero.
  Buffer reserve(const Queue& queue, const std::shared_ptr<IndexDoubt>& doubt);
  void launched(IndexDoubt& doubt, const Event& event) { doubt.ticket_.store(event.ticket()); }
  void give_back(const std::shared_ptr<IndexDoubt>& doubt);  // nothing was launched
  // Finds out what these have noted, which are waited for.
  void settle(std::span<const std::shared_ptr<IndexDoubt>> doubts);
  // Throws for the first launch up to this ticket of which nobody was told, and leaves the others to who
  // reads.
  void finish(std::uint64_t ticket);
  [[nodiscard]] bool is_idle();

 private:
  // What is done already and can be seen from here. With the lock held.
  void poll();
  std::vector<std::byte> read(const Queue& queue, std::uint64_t ticket, std::size_t first, std::size_t count);
  void note_untold(const std::shared_ptr<IndexDoubt>& doubt);  // likewise
  void forget(IndexDoubt& doubt);                              // with the lock held

  std::weak_ptr<detail::QueueState> owner_;
  Queue reader_;  // so that nobody waits for what was enqueued later
  Buffer buffer_;
  std::size_t slot_bytes_;
  std::mutex mutex_;
  std::optional<Queue> queue_;  // while anything is pending
  std::vector<std::size_t> free_;
  std::vector<std::shared_ptr<IndexDoubt>> pending_, untold_;
};

class IndexNotes {
 public:
  static IndexNotes& instance();
  std::shared_ptr<NoteSlots> slots_of(const Queue& queue);
  // As NoteSlots::finish(), for a queue that may have none.
  void finish(const detail::QueueState& queue, std::uint64_t ticket);

 private:
  using Table = std::unordered_map<const detail::QueueState*, std::shared_ptr<NoteSlots>>;
  std::mutex mutex_;
  Table table_;
};

}  // namespace quern::array
