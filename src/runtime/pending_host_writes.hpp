// SPDX-License-Identifier: MIT
// Host memory that reads still in flight will write, so that nothing is uploaded from it too early.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/hazards.hpp"

namespace quern::detail {

// Drivers take the bytes of an upload when they are asked to, or later: an upload from memory that a read has
// yet to fill would send what was there before. One list for the process, because an address means the same
// on every queue.
class PendingHostWrites {
 public:
  static PendingHostWrites& instance();

  // The ticket writes these addresses.
  void add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, ByteRange addresses);
  // Adds what has to be done before these addresses can be read.
  void collect(ByteRange addresses, bool on_host, Dependencies& dependencies);

 private:
  struct Entry {
    std::weak_ptr<QueueState> queue;
    std::uint64_t ticket;
    ByteRange addresses;
  };
  // Calls visit(entry, queue) for what may be in flight, and forgets the rest.
  template <class Visit>
  void for_each_pending(Dependencies& dependencies, Visit&& visit);

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::atomic<bool> any_{false};  // so that most uploads take no lock
};

}  // namespace quern::detail
