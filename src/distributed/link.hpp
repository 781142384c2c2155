// SPDX-License-Identifier: MIT
// What the communicators of one transport share: their tags, the numbers of their operations, and which ranks
// have ended their program.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "distributed/transport.hpp"

namespace quern::distributed {

class Link {
 public:
  using Counter = std::shared_ptr<std::atomic<std::uint64_t>>;

  explicit Link(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link();  // leaks memory that MPI may still read

  [[nodiscard]] Transport& transport() const noexcept { return *transport_; }
  // Counts the operations of the communicator whose tags begin here. The count outlives the communicator.
  [[nodiscard]] Counter counter(int tags);

  // Tells all other ranks that this one calls no more operations. Later calls do nothing.
  void announce_end() noexcept;
  // Waits until all other ranks have announced their end, too, and for no longer than this. MPI_Finalize
  // waits for them as well, but it warns of messages that were not received.
  void wait_for_endings(std::chrono::milliseconds longest) noexcept;
  // Reads what other ranks have announced.
  void read_endings();
  struct Ending {
    std::uint64_t last_operation = 0;  // of the communicator that asks; 0 if the rank never had it
    std::chrono::steady_clock::time_point when;
  };
  [[nodiscard]] bool has_endings() const;
  // For a rank of the transport, as far as it was read.
  [[nodiscard]] std::optional<Ending> ending_of(int rank, int tags) const;

  std::mutex split_mutex;  // of a split, which all ranks must make in the same order
  int next_tag = 1;        // no communicator of this rank has it or a larger one

 private:
  struct Notice;
  struct Ended {
    bool is_complete = false;
    std::chrono::steady_clock::time_point when;
    std::map<int, std::uint64_t> operations;  // by the first tag of the communicator
  };
  struct Sending {
    std::vector<std::byte> bytes;
    std::unique_ptr<Transfer> transfer;
  };
  [[nodiscard]] std::vector<std::vector<std::byte>> own_notices() const;

  std::unique_ptr<Transport> transport_;
  mutable std::mutex mutex_;
  std::map<int, Counter> counters_;
  std::map<int, Ended> ended_;  // by rank
  bool has_announced_ = false;
  std::vector<Sending> sending_;
};

}  // namespace quern::distributed
