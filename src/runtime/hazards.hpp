// SPDX-License-Identifier: MIT
// Records which tickets last read and wrote each byte range of memory, so that queues can wait for each
// other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "runtime/byte_range.hpp"
#include "runtime/deferred_errors.hpp"

namespace quern::backend {
class Marker;
}

namespace quern::detail {

class QueueState;
struct LaneGroup;

struct Dependency {
  std::shared_ptr<QueueState> queue;
  std::uint64_t ticket = 0;
  bool on_host = false;  // it must be done before the dependent operation is passed to the driver
};

// The operations that an operation waits for.
class Dependencies {
 public:
  void add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, bool on_host = false);
  // Adds an operation whose result is read, or that the caller named in a wait list. If it fails, the waiting
  // operation fails, too.
  void add_source(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, bool on_host = false);
  // At most one entry for each queue: in an in-order queue the latest ticket covers the earlier ones.
  [[nodiscard]] const std::vector<Dependency>& list() const noexcept { return list_; }
  [[nodiscard]] const std::vector<Dependency>& sources() const noexcept { return sources_; }
  // Keeps a reference that must not be dropped under hazard_mutex(): dropping the last one destroys the queue
  // and everything that it keeps alive.
  void drop_later(std::shared_ptr<QueueState>&& queue) { dropped_.push_back(std::move(queue)); }

 private:
  std::vector<Dependency> list_, sources_;
  std::vector<std::shared_ptr<QueueState>> dropped_;
};

// How an operation uses a range of memory.
enum class Usage : std::uint8_t {
  reads,
  writes,      // a part of it, or it also reads it
  overwrites,  // all of it without reading it
};

// Which earlier uses of its memory an operation waits for.
enum class Tracking : std::uint8_t {
  all,
  former_owners,  // only those from before the memory was freed and allocated again
};

// The pending uses of one allocation or module. The caller of each method holds hazard_mutex(), unless no
// other thread can refer to the record. One launch records all its uses under one lock, so two launches that
// share two buffers cannot wait for each other.
class UseRecord {
 public:
  // Records a use and adds the operations of other queues that it must wait for: writes before a read, reads
  // and writes before a write. Only writes whose result the use may read are sources. The new entry replaces
  // those that it covers.
  void add(QueueState& queue, std::uint64_t ticket, ByteRange range, Usage usage, Tracking tracking,
           Dependencies& dependencies) {
    // The usual case: the same queue uses the same range again.
    if (entries_.size() == 1) {
      Entry& only = entries_.front();
      if (only.queue.get() == &queue && only.writes == (usage != Usage::reads) &&
          range.contains(only.range)) {
        only.ticket = ticket;
        only.range = range;
        only.is_of_former_owner = false;
        return;
      }
    }
    add_entry(queue, ticket, range, usage, tracking, dependencies);
  }
  // Returns a lane of this out-of-order queue whose last operation a use of the range would wait for; null if
  // there is none.
  [[nodiscard]] QueueState* last_in(const LaneGroup& group, ByteRange range, bool writes) const;
  // Adds the operations that a host thread must wait for.
  void collect(ByteRange range, bool writes, Dependencies& dependencies) const;
  // Forgets uses that are known to be done. The caller drops their queues after it releases the lock.
  void forget_done(Dependencies& dropped);
  // Returns whether nothing is recorded.
  [[nodiscard]] bool is_empty() const noexcept { return entries_.empty(); }
  // Returns whether a host thread has nothing to wait for.
  [[nodiscard]] bool is_idle(ByteRange range, bool writes) const;
  // Returns whether every recorded use is done or on this queue.
  [[nodiscard]] bool ready_for(const QueueState* queue) const;

  // What lazy arrays record about the memory. Access needs no hazard_mutex().
  struct Laziness {
    std::atomic<bool> is_read{false};      // a pending expression may read the memory
    std::atomic<std::uint64_t> shares{0};  // the number of other users, whose operations are not recorded
    Laziness() = default;
    Laziness(Laziness&&) noexcept {}  // memory gets a new owner only when it is unused
    Laziness& operator=(Laziness&&) noexcept {
      is_read.store(false, std::memory_order_relaxed);
      shares.store(0, std::memory_order_relaxed);
      return *this;
    }
  };
  [[nodiscard]] Laziness& laziness() noexcept { return laziness_; }
  // For memory that gets a new owner: forgets what is known about the contents, but not the pending uses.
  void forget_contents() noexcept {
    laziness_ = Laziness();
    if (deferred_errors_.any() || deferred_errors_.is_exempt()) deferred_errors_ = DeferredErrors();
    for (Entry& entry : entries_) entry.is_of_former_owner = true;
  }
  // The deferred errors of the contents. Access needs no hazard_mutex().
  [[nodiscard]] DeferredErrors& deferred_errors() noexcept { return deferred_errors_; }

 private:
  struct Entry {
    std::shared_ptr<QueueState> queue;
    std::uint64_t ticket;
    ByteRange range;
    bool writes;
    bool is_of_former_owner = false;
  };
  void add_entry(QueueState& queue, std::uint64_t ticket, ByteRange range, Usage usage, Tracking tracking,
                 Dependencies& dependencies);
  void remove(std::size_t index, Dependencies& dropped);

  std::vector<Entry> entries_;  // the writes first, because reads wait for these only
  Laziness laziness_;
  DeferredErrors deferred_errors_;
  std::size_t poll_at_ = 16;  // number of entries from which add() queries drivers, which do not notify
  std::size_t writes_ = 0;    // in entries_
};

inline Mutex& hazard_mutex() {
  static constinit Mutex mutex;
  return mutex;
}

// Keeps `thing` alive until all its recorded uses are done. Never waits; release_unused() releases it.
void defer_release(UseRecord&& uses, std::shared_ptr<void> thing) noexcept;
void defer_release(std::shared_ptr<backend::Marker> marker, std::shared_ptr<void> thing) noexcept;
void release_unused() noexcept;

}  // namespace quern::detail
