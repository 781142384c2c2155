// SPDX-License-Identifier: MIT
// What carries bytes between ranks: one process alone, threads of one process, or MPI.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace quern::distributed {

// A send or a receive under way. Its memory stays valid until done() has returned true.
class Transfer {
 public:
  virtual ~Transfer() = default;
  // Makes progress. Returns true once the memory of a send may be reused, or a receive holds its message.
  virtual bool done() = 0;
  // The length of the message that arrived. Only for a receive that is done. It exceeds the memory's length
  // if the message did not fit.
  [[nodiscard]] virtual std::size_t length() const noexcept = 0;
  // Whether the transport no longer uses the memory once this object is destroyed.
  [[nodiscard]] virtual bool may_be_destroyed() const noexcept { return true; }
};

constexpr int kLargestMessageTag = 16383;

// Messages from one rank to another with the same tag arrive in the order in which they were sent. Every
// method may be called by any thread of the rank.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  // "one process", "threads", or the name and version of the MPI library.
  [[nodiscard]] virtual std::string description() const = 0;

  virtual std::unique_ptr<Transfer> send(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual std::unique_ptr<Transfer> receive(std::span<std::byte> bytes, int from, int tag) = 0;

  struct Waiting {
    int from = 0;
  };
  // A message of this tag that has arrived and that no receive was posted for.
  virtual std::optional<Waiting> probe(int tag) = 0;

  // Returns when a message may have arrived, at the latest after this time.
  virtual void pause(std::chrono::microseconds longest) = 0;

  // How long a rank that waits may keep a processor to itself.
  [[nodiscard]] virtual std::chrono::microseconds brief_wait() const noexcept {
    return std::chrono::milliseconds(5);
  }

  // Whether messages can be sent: false once MPI is finalised.
  [[nodiscard]] virtual bool is_open() const noexcept { return true; }

  // Ends all ranks of the program.
  [[noreturn]] virtual void abort(int exit_status) = 0;
};

std::unique_ptr<Transport> make_self_transport();

}  // namespace quern::distributed
