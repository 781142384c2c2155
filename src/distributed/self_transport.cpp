// SPDX-License-Identifier: MIT
// The transport of a program with one rank, which needs no MPI: messages to itself.

#include <utility>

#include "distributed/thread_transport.hpp"
#include "distributed/transport.hpp"

namespace quern::distributed {

std::unique_ptr<Transport> make_self_transport() {
  return std::move(make_thread_transports(1, "one process").front());
}

}  // namespace quern::distributed
