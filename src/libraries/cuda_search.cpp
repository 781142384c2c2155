// SPDX-License-Identifier: MIT
// The search that all libraries of CUDA share.
#include "libraries/cuda_search.hpp"

#include <vector>

#include "base/cuda_libraries.hpp"
#include "base/environment.hpp"

namespace quern::libraries {

bool load_cuda_library(LibraryReport& report, std::span<const std::string> sonames,
                       const std::function<bool(const SharedLibrary&)>& take,
                       const std::function<void(const std::string& file)>& prepare) {
  report.backend = "cuda";
  std::vector<std::string> files =
      find_cuda_libraries(sonames, environment("QUERN_CUDA_LIBRARIES").value_or(""));
  if (files.empty()) files.assign(sonames.begin(), sonames.end());
  for (const std::string& file : files) {
    if (prepare) prepare(file);
    const SharedLibrary library({&file, 1});
    if (!library.loaded()) {
      report.attempts.push_back({file, library.attempts().front().error, false});
    } else if (take(library)) {
      report.attempts.push_back({file, "loaded", true});
      report.path = library.path();
      return true;
    } else {
      report.attempts.push_back({file, "it lacks functions of CUDA 12", false});
    }
  }
  return false;
}

}  // namespace quern::libraries
