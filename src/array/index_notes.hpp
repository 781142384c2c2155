// SPDX-License-Identifier: MIT
// Indices that turn out to be out of bounds while a kernel runs: it notes them, and whoever waits for its
// queue later is told. A launch costs nothing more for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::array {

// What an index is checked against.
struct IndexBound {
  std::size_t axis = 0;
  std::int64_t length = 0;
};

[[noreturn]] void throw_index_error(std::int64_t index, const IndexBound& bound, bool was_on_device);

class IndexNotes {
 public:
  static IndexNotes& instance();
  // Most bounds that one launch may have.
  static constexpr std::size_t kMostBounds = 32;

  // Where a launch on this queue notes indices: an int64 for each bound, all of them zero.
  struct Place {
    Buffer buffer;
    std::size_t slot = 0;
  };
  Place reserve(const Queue& queue, std::vector<IndexBound> bounds);
  void launched(const Queue& queue, const Place& place, const Event& event);
  void give_back(const Queue& queue, const Place& place);  // nothing was launched

  // Throws for the first index that was noted by work that is done: up to this ticket, or of other queues.
  void check(const detail::QueueState& queue, std::uint64_t ticket);

 private:
  struct Pending {
    std::size_t slot = 0;
    std::uint64_t ticket = 0;  // 0: not launched yet
    std::vector<IndexBound> bounds;
  };
  // Of one queue, which is kept while anything is pending.
  struct Notes {
    std::weak_ptr<detail::QueueState> owner;
    std::optional<Queue> queue;
    std::optional<Queue> reader;  // so that nobody waits for what was enqueued later
    Buffer buffer;
    std::size_t slot_bytes = 0, next = 0;  // the slots are a ring
    std::deque<Pending> pending;
  };
  Notes& notes_of(const Queue& queue);
  // The bytes of so many slots, the oldest first.
  static std::vector<std::byte> read(Notes& notes, std::size_t count);
  static void check(Notes& notes, std::size_t count);  // the oldest

  std::mutex mutex_;
  using Table = std::unordered_map<const detail::QueueState*, Notes>;
  Table table_;
  std::vector<Table::node_type> retired_;  // nobody asks for them any more
};

}  // namespace quern::array
