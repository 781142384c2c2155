// SPDX-License-Identifier: MIT
// Which MPI libraries Quern loads.
#pragma once

#include <string>
#include <vector>

#include "quern/api.hpp"

namespace quern {
namespace QUERN_API distributed {

// The names and paths that world() tries to load, in this order, in a process that this launcher ("Open MPI",
// "MPICH", or any other) has started: QUERN_MPI_LIBRARY, or the library that the process has loaded, or
// well-known names. Loads nothing.
[[nodiscard]] std::vector<std::string> mpi_library_names(const std::string& launcher);

}  // namespace distributed
}  // namespace quern
