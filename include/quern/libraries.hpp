// SPDX-License-Identifier: MIT
// Libraries of others that Quern calls if it finds them: BLAS and LAPACK, cuBLAS. They are searched and
// loaded when the first operation needs them. QUERN_LIBRARIES=never turns them off.
#pragma once

#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/device.hpp"
#include "quern/queue.hpp"

namespace QUERN_API quern {

struct LibraryReport {
  std::string name, backend;  // "cuBLAS", "cuda"
  std::string path, version;  // empty if it was not found
  std::string details;        // "64-bit integers, a private instance"
  std::vector<BackendReport::Attempt> attempts;
  // Why Quern's own kernels are used although the library was found; empty if no operation failed so far.
  std::string failure;
};

// Searches all libraries, and returns what was found and tried.
std::vector<LibraryReport> find_libraries();

// Tries the libraries of the queue's backend on its device, as the first operation that uses each does.
// Failures are then in the reports.
void try_libraries(const Queue& queue);

// Folders in which Python packages are installed, such as site-packages. NVIDIA's packages keep libraries
// below them. Affects later searches.
void set_package_folders(std::vector<std::string> folders);

}  // namespace quern
