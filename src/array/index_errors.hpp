// SPDX-License-Identifier: MIT
// Indices that turn out to be out of bounds while a kernel runs. The kernel records a bad index in a slot of
// device memory, so a launch costs nothing more. Every read of an affected array then raises IndexError.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/in_use.hpp"
#include "quern/buffer.hpp"
#include "quern/explain.hpp"
#include "quern/graph.hpp"
#include "quern/queue.hpp"
#include "runtime/deferred_errors.hpp"
#include "runtime/graph_dependencies.hpp"

namespace quern::array {

// The axis and length against which an index is checked.
struct IndexBound {
  std::size_t axis = 0;
  std::int64_t length = 0;
};

[[noreturn]] void throw_index_error(std::int64_t index, const IndexBound& bound);

class IndexErrorSlots;

// The deferred error of one launch. The elements that a gather read at a bad index are invalid, so every read
// of them throws. A scatter skips bad indices, so its error is thrown once.
class DeferredIndexError final : public detail::DeferredError,
                                 public std::enable_shared_from_this<DeferredIndexError> {
 public:
  DeferredIndexError(std::vector<IndexBound> bounds, bool is_assignment, Origin origin);
  // For linear algebra: the kernel records the number of a matrix, from 1, that has no result. Every read of
  // the results throws LinAlgError with these texts, which must have static lifetime.
  DeferredIndexError(const char* problem, const char* function, std::int64_t matrices, Origin origin);
  // The bytes of its slot that a launch may write.
  [[nodiscard]] std::size_t slot_bytes() const noexcept { return bounds_.size() * sizeof(std::int64_t); }
  [[nodiscard]] bool is_cleared() const noexcept override;
  void check() override;

 private:
  friend class IndexErrorSlots;
  enum class State : std::uint8_t { unknown, fine, bad };
  // Reads the launch's slot. Returns true if it holds a bad index. The caller holds the lock of the slots.
  bool read(const std::byte* slot);
  [[noreturn]] void report();
  void uncount_unread() noexcept;  // finish() need not read it any more

  std::vector<IndexBound> bounds_;
  bool is_assignment_;
  const char *problem_ = nullptr, *function_ = nullptr;  // null for indices
  Origin origin_;
  std::weak_ptr<IndexErrorSlots> slots_;  // expired when all errors are resolved
  std::size_t slot_ = 0;
  std::atomic<std::uint64_t> ticket_{0};  // 0 until it is launched
  std::atomic<State> state_{State::unknown};
  std::atomic<bool> is_reported_{false}, is_counted_{false};
  std::int64_t index_ = 0;  // the bad index, and its bound
  IndexBound bound_;
  std::weak_ptr<detail::QueueState> launched_on_;  // the queue or a lane of it; set before ticket_
};

// The slots of one queue, in which its launches record bad indices. No thread waits while it holds the lock.
class IndexErrorSlots : public Usable, public std::enable_shared_from_this<IndexErrorSlots> {
 public:
  // The most bounds that one launch may have.
  static constexpr std::size_t kMostBounds = 32;
  explicit IndexErrorSlots(const Queue& queue);
  IndexErrorSlots(const IndexErrorSlots&) = delete;
  IndexErrorSlots& operator=(const IndexErrorSlots&) = delete;
  ~IndexErrorSlots();
  [[nodiscard]] bool is_of(const Queue& queue) const { return owner_.lock() == queue.state(); }

  // Returns an int64 for each bound, all of them zero.
  Buffer reserve(const Queue& queue, const std::shared_ptr<DeferredIndexError>& error);
  void launched(DeferredIndexError& error, const Event& event) {
    error.launched_on_ = event.queue_state();
    error.ticket_.store(event.ticket());
  }
  void give_back(const std::shared_ptr<DeferredIndexError>& error);  // after a failed launch
  // Waits for the launches and reads their slots.
  void resolve(std::span<const std::shared_ptr<DeferredIndexError>> errors);
  // Throws the error of the first launch up to this ticket that is not reported yet. The errors of other
  // launches are thrown when their results are read.
  void finish(std::uint64_t ticket);
  [[nodiscard]] bool is_idle();

 private:
  // Reads the slots of launches that are done, without waiting, if the host can address them. The caller
  // holds the lock.
  void poll();
  // Waits for the launches, which are all of them launched.
  std::vector<std::byte> read(std::span<const std::shared_ptr<DeferredIndexError>> errors, std::size_t first,
                              std::size_t count);
  void add_unreported(const std::shared_ptr<DeferredIndexError>& error);  // the caller holds the lock
  void forget(DeferredIndexError& error);                                 // the caller holds the lock

  std::weak_ptr<detail::QueueState> owner_;
  Queue reader_;  // a queue of its own, so that a read does not wait for later operations
  Buffer buffer_;
  std::size_t slot_bytes_;
  std::mutex mutex_;
  std::optional<Queue> queue_;  // set while launches are pending
  std::vector<std::size_t> free_;
  std::vector<std::shared_ptr<DeferredIndexError>> pending_, unreported_;
};

class IndexErrors {
 public:
  static IndexErrors& instance();
  // Launches an operation that records bad indices in the memory that it is given. `make` makes its deferred
  // error, which the memory that the operation writes gets. In a capture each launch of the graph has an
  // error of its own.
  template <class Make, class Launch>
  void run_checked(const Queue& queue, const Make& make, std::span<const Buffer> written,
                   const Launch& launch) {
    if (is_capturing()) return record_checked(queue, make, written, launch);
    attach(launch_with_slot(queue, make, launch), ranges_of(written));
  }
  InUse<IndexErrorSlots> slots_of(const Queue& queue);
  // As IndexErrorSlots::finish(), also for a queue without slots.
  void finish(const detail::QueueState& queue, std::uint64_t ticket);

 private:
  template <class Make, class Launch>
  std::shared_ptr<DeferredIndexError> launch_with_slot(const Queue& queue, const Make& make,
                                                       const Launch& launch) {
    const std::shared_ptr<DeferredIndexError> error = make();
    const InUse<IndexErrorSlots> slots = slots_of(queue);
    const Buffer memory = slots->reserve(queue, error);
    try {
      slots->launched(*error, launch(memory));
    } catch (...) {
      slots->give_back(error);
      throw;
    }
    return error;
  }
  void record_checked(const Queue& queue, const std::function<std::shared_ptr<DeferredIndexError>()>& make,
                      std::span<const Buffer> written,
                      const std::function<Event(const Buffer& slot)>& launch);
  static std::vector<detail::MemoryRange> ranges_of(std::span<const Buffer> written);
  static void attach(const std::shared_ptr<DeferredIndexError>& error,
                     std::span<const detail::MemoryRange> affected);
  using Table = std::unordered_map<const detail::QueueState*, std::shared_ptr<IndexErrorSlots>>;
  std::mutex mutex_;
  Table table_;
};

}  // namespace quern::array
