// SPDX-License-Identifier: MIT
// Communicators as programs hold them: those of MPI, of one process, and of threads.
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "distributed/collectives.hpp"
#include "distributed/communicator.hpp"
#include "distributed/mpi_transport.hpp"
#include "distributed/parts.hpp"
#include "distributed/thread_transport.hpp"
#include "quern/distributed/communicator.hpp"
#include "quern/error.hpp"

namespace quern::distributed {

int Communicator::rank() const noexcept {
  return state_->rank();
}

int Communicator::size() const noexcept {
  return state_->size();
}

std::string Communicator::description() const {
  return state_->transport().description();
}

MessageCounts Communicator::sent() const {
  return state_->sent();
}

void Communicator::barrier() const {
  distributed::barrier(*state_, call_of("barrier", ""));
}

Communicator Communicator::split(int color) const {
  if (color < 0) throw ArgumentError(ArgumentError::Kind::value, "split: the color must not be negative");
  return Communicator(state_->split(color));
}

void Communicator::announce_failure(const std::string& text) const noexcept {
  state_->announce_failure(text);
}

void Communicator::announce_end() const noexcept {
  state_->link()->announce_end();
}

void Communicator::abort(int exit_status) const {
  state_->transport().abort(exit_status);
  std::abort();  // not reached
}

namespace {

// The links of MPI stay until the process exits: then they tell the other ranks. Never destroyed.
struct Links {
  const pid_t process = ::getpid();  // a child that fork() has made is not a rank
  std::mutex mutex;
  std::vector<std::shared_ptr<Link>> all;
};
Links& links_of_mpi() {
  static auto* const links = [] {
    std::atexit([] { announce_exit(true); });  // runs before MPI is finalised, which was registered before
    return new Links();
  }();
  return *links;
}

Communicator kept_until_exit(std::unique_ptr<Transport> transport) {
  Communicator made(CommunicatorState::make(std::move(transport)));
  if (made.size() > 1) {
    Links& links = links_of_mpi();
    const std::lock_guard lock(links.mutex);
    links.all.push_back(made.state()->link());
  }
  return made;
}

}  // namespace

Communicator world() {
  return kept_until_exit(make_default_transport());
}

Communicator of_mpi(std::uintptr_t communicator) {
  return kept_until_exit(make_mpi_transport(communicator));
}

void announce_exit(bool waits) noexcept {
  Links& links = links_of_mpi();
  if (links.process != ::getpid()) return;
  const std::lock_guard lock(links.mutex);
  for (const std::shared_ptr<Link>& link : links.all) link->announce_end();
  if (!waits) return;
  for (const std::shared_ptr<Link>& link : links.all)
    link->wait_for_endings(WaitLimits::from_environment().fail);
}

Communicator self() {
  return Communicator(CommunicatorState::make(make_self_transport()));
}

std::vector<Communicator> threads(int ranks, const WaitLimits& limits) {
  if (ranks < 1) throw ArgumentError(ArgumentError::Kind::value, "threads: at least one rank is needed");
  std::vector<std::shared_ptr<CommunicatorState>> states(static_cast<std::size_t>(ranks));
  run_ranks(ranks, [&](std::unique_ptr<Transport> transport) {  // making them is an operation of all ranks
    const int rank = transport->rank();
    states[static_cast<std::size_t>(rank)] = CommunicatorState::make(std::move(transport), limits);
  });
  return {states.begin(), states.end()};
}

void on_threads(int ranks, const std::function<void(const Communicator&)>& function,
                const WaitLimits& limits) {
  const std::vector<Communicator> communicators = threads(ranks, limits);
  std::mutex mutex;
  std::exception_ptr first;  // others learn of it, and fail for that reason
  std::vector<std::thread> running;
  for (const Communicator& communicator : communicators) {
    running.emplace_back([&, communicator] {
      const auto fail = [&](const char* text) {
        {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        communicator.announce_failure(text);
      };
      try {
        function(communicator);
        communicator.announce_end();
      } catch (const std::exception& error) {
        fail(error.what());
      } catch (...) {
        fail("an exception");
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace quern::distributed
