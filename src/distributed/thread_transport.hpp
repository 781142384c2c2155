// SPDX-License-Identifier: MIT
// A transport whose ranks are threads of one process. Tests run on it, because they can count its messages,
// stop a rank and let it fail.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distributed/transport.hpp"

namespace quern::distributed {

// Returns the transport of each rank.
std::vector<std::unique_ptr<Transport>> make_thread_transports(int ranks,
                                                               const std::string& description = "threads");

// Calls the function on one thread for each rank, and waits for all of them. Rethrows the exception of the
// lowest rank that failed.
void run_ranks(int ranks, const std::function<void(std::unique_ptr<Transport>)>& function);

}  // namespace quern::distributed
