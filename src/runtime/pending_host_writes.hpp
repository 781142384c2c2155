// SPDX-License-Identifier: MIT
// Host memory that pending reads will write, so that an upload from it waits for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/hazards.hpp"

namespace quern::detail {

// A driver may copy the bytes of an upload at the call or later. An upload from memory that a read has not
// filled yet would send the old bytes. There is one list for the process, because an address means the same
// on every queue.
class PendingHostWrites {
 public:
  static PendingHostWrites& instance();

  // Records that the ticket writes these addresses.
  void add(const std::shared_ptr<QueueState>& queue, std::uint64_t ticket, ByteRange addresses);
  // Adds the operations that must be done before these addresses can be read.
  void collect(ByteRange addresses, bool on_host, Dependencies& dependencies);

 private:
  struct Entry {
    std::weak_ptr<QueueState> queue;
    std::uint64_t ticket;
    ByteRange addresses;
  };
  // Calls visit(entry, queue) for reads that may be in flight, and forgets the others.
  template <class Visit>
  void for_each_pending(Dependencies& dependencies, Visit&& visit);

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::atomic<bool> any_{false};  // so that most uploads take no lock
};

}  // namespace quern::detail
