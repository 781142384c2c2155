// SPDX-License-Identifier: MIT
// Which tickets last read and wrote a piece of memory, by byte range, so that queues can wait for each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/byte_range.hpp"
#include "runtime/deferred_errors.hpp"

namespace quern::backend {
class Marker;
}

namespace quern::detail {

class QueueState;

struct Dependency {
  std::shared_ptr<QueueState> queue;
  std::uint64_t ticket = 0;
  bool on_host = false;  // it has to be done before the dependent is handed to a driver
};

// What an operation waits for.
class Dependencies {
 public:
  void add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, bool on_host = false);
  // One whose result the operation reads, or that its caller named: where it fails, the operation fails.
  void add_source(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, bool on_host = false);
  // At most one entry for each queue: in an in-order queue the latest ticket covers the earlier ones.
  [[nodiscard]] const std::vector<Dependency>& list() const noexcept { return list_; }
  [[nodiscard]] const std::vector<Dependency>& sources() const noexcept { return sources_; }
  // Takes a reference that must not be dropped under hazard_mutex(): the last one destroys the queue and all
  // it keeps.
  void drop_later(std::shared_ptr<QueueState>&& queue) { dropped_.push_back(std::move(queue)); }

 private:
  std::vector<Dependency> list_, sources_;
  std::vector<std::shared_ptr<QueueState>> dropped_;
};

// What an operation does with a piece of memory.
enum class Usage : std::uint8_t {
  reads,
  writes,      // a part of it, or it reads it too
  overwrites,  // all of it, whatever was there before
};

// The pending uses of one allocation or module. All methods want hazard_mutex() held: one launch records all
// its uses in one go, so that two launches that share two buffers cannot end up waiting for each other.
class UseRecord {
 public:
  // Records a use and adds what it must wait for: of other queues, writes before a read, reads and writes
  // before a write. Only writes whose result the use may read are sources. Later waiters for this use need
  // not know the ones it covers.
  void add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, ByteRange range, Usage usage,
           Dependencies& dependencies);
  // What somebody outside all queues must wait for.
  void collect(ByteRange range, bool writes, Dependencies& dependencies) const;
  // Forgets what is known to be done. Its queues are to be dropped without the lock.
  void forget_done(Dependencies& dropped);
  // True when nothing is recorded; of a record that nobody shares it can be asked without the lock.
  [[nodiscard]] bool is_empty() const noexcept { return entries_.empty(); }
  // Whether somebody outside all queues has nothing to wait for.
  [[nodiscard]] bool is_idle(ByteRange range, bool writes) const;
  // True when everything recorded is done, or is on this queue.
  [[nodiscard]] bool ready_for(const QueueState* queue) const;

  // What lazy arrays note here; of these, hazard_mutex() need not be held.
  struct Laziness {
    std::atomic<bool> is_read{false};      // an expression that is not enqueued may read the memory
    std::atomic<std::uint64_t> shares{0};  // how many others use it, who do not tell
    Laziness() = default;
    Laziness(Laziness&&) noexcept {}  // memory changes hands when nobody uses it
    Laziness& operator=(Laziness&&) noexcept {
      is_read = false;
      shares = 0;
      return *this;
    }
  };
  [[nodiscard]] Laziness& laziness() noexcept { return laziness_; }
  // What the contents hang on; likewise.
  [[nodiscard]] DeferredErrors& deferred_errors() noexcept { return deferred_errors_; }

 private:
  struct Entry {
    std::shared_ptr<QueueState> queue;
    std::uint64_t ticket;
    ByteRange range;
    bool writes;
  };
  std::vector<Entry> entries_;
  Laziness laziness_;
  DeferredErrors deferred_errors_;
  std::size_t poll_at_ = 16;  // entries; drivers tell only those who ask, so a long record asks now and then
};

std::mutex& hazard_mutex();

// Keeps `thing` until everything recorded for it is done. Never waits; the dead are looked after by sweep().
void defer_release(UseRecord&& uses, std::shared_ptr<void> thing) noexcept;
void defer_release(std::shared_ptr<backend::Marker> marker, std::shared_ptr<void> thing) noexcept;
void release_unused() noexcept;

}  // namespace quern::detail
