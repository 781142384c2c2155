// SPDX-License-Identifier: MIT
// Ranks for tests: threads of one process, each with a communicator.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "distributed/communicator.hpp"
#include "distributed/thread_transport.hpp"
#include "quern/queue.hpp"

namespace quern::distributed {

inline Queue host_queue() {
  return Queue::of(device("host"));
}

// Calls the function with the communicator of each rank.
template <class Function>
void on_ranks(int ranks, const Function& function, WaitLimits limits = {}) {
  run_ranks(ranks, [&](std::unique_ptr<Transport> transport) {
    const auto state = CommunicatorState::make(std::move(transport), limits);
    if constexpr (std::is_invocable_v<Function, const Communicator&>) {
      function(Communicator(state));
    } else {
      function(state);
    }
  });
}

}  // namespace quern::distributed
