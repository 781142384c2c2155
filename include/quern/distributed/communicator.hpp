// SPDX-License-Identifier: MIT
// Ranks: the processes of an MPI program, one process alone, or threads of one process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/distributed_error.hpp"

namespace quern {
namespace QUERN_API distributed {

class CommunicatorState;

// How long ranks wait for each other.
struct WaitLimits {
  std::chrono::milliseconds warn{30'000};     // then a warning names the operation and the absent ranks
  std::chrono::milliseconds fail{600'000};    // then the wait throws
  std::chrono::milliseconds stopped{10'000};  // a rank of this node that is stopped for so long has failed
  // QUERN_DIST_WARN and QUERN_DIST_TIMEOUT, in seconds, change the first two.
  static WaitLimits from_environment();
};

// Messages sent, since the communicator was made.
struct MessageCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  // payloads
};

// A group of ranks, as one of them sees it. A handle: copies refer to the same group. All ranks call the same
// functions of distributed arrays in the same order. Functions throw DistributedError if ranks disagree, fail
// or do not answer.
class Communicator {
 public:
  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] int size() const noexcept;
  // "one process", "threads", or the name and version of the MPI library.
  [[nodiscard]] std::string description() const;
  [[nodiscard]] MessageCounts sent() const;

  // Waits until all ranks have called it.
  void barrier() const;
  // Called by all ranks. Those with the same color become a communicator of their own, in the order of their
  // ranks. The color must not be negative.
  [[nodiscard]] Communicator split(int color) const;
  // Tells all other ranks that this one cannot go on. They throw where they wait for it next.
  void announce_failure(const std::string& text) const noexcept;
  // Tells all other ranks that this one calls no more operations. Those that wait for it, now or later,
  // throw. on_threads() does so for a rank whose function returns, and announce_exit() for processes.
  void announce_end() const noexcept;
  // Ends all ranks of the program.
  [[noreturn]] void abort(int exit_status) const;
  friend bool operator==(const Communicator&, const Communicator&) = default;

  // Internal.
  explicit Communicator(std::shared_ptr<CommunicatorState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<CommunicatorState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<CommunicatorState> state_;
};

// All ranks that mpiexec has started; this process alone if no launcher has started it. Called by all ranks.
// Initialises MPI if the program has not. Throws DistributedError if no MPI library is found, or if its world
// does not have the size that the launcher's variables say.
[[nodiscard]] Communicator world();
// The ranks of the MPI communicator at this address (an MPI_Comm*; mpi4py's `MPI._addressof(comm)`).
[[nodiscard]] Communicator of_mpi(std::uintptr_t communicator);
// announce_end() of all communicators of MPI; then waits until all other ranks have called it. Called when
// the process exits; a program that calls MPI_Finalize itself calls it before.
void announce_exit(bool waits = true) noexcept;
// This process alone.
[[nodiscard]] Communicator self();
// Ranks that are threads of this process: the communicator of each rank.
[[nodiscard]] std::vector<Communicator> threads(int ranks,
                                                const WaitLimits& limits = WaitLimits::from_environment());
// Calls the function on one thread for each rank, and waits for all of them. A rank that throws announces its
// failure. Rethrows the exception of the rank that failed first.
void on_threads(int ranks, const std::function<void(const Communicator&)>& function,
                const WaitLimits& limits = WaitLimits::from_environment());

}  // namespace distributed
}  // namespace quern
