// SPDX-License-Identifier: MIT
// The transport over MPI, whose library is found and loaded at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "distributed/transport.hpp"

namespace quern::distributed {

// What the launcher's environment variables say: the number of ranks, and which launcher it was.
struct Launcher {
  int size = 0;  // 0 if no launcher started this process
  std::string name;
};
Launcher find_launcher();

// The transport of MPI's world, or of the communicator at this address (mpi4py's `MPI._addressof(comm)`).
// Initialises MPI if the program has not. Throws DistributedError if no library is found, or if its world
// does not have the size that the launcher says.
std::unique_ptr<Transport> make_mpi_transport(std::uintptr_t communicator = 0);

// The transport that suits how the program was started: MPI under its launcher, else one process.
std::unique_ptr<Transport> make_default_transport();

}  // namespace quern::distributed
