// SPDX-License-Identifier: MIT
// The search that all libraries of CUDA share.
#include "libraries/cuda_search.hpp"

#include <filesystem>
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

void load_cuda_dependencies(std::initializer_list<std::string> sonames) {
  const std::string listed = environment("QUERN_CUDA_LIBRARIES").value_or("");
  for (const std::string& name : sonames) {
    const std::vector<std::string> files = find_cuda_libraries({&name, 1}, listed);
    if (!files.empty()) static_cast<void>(SharedLibrary(files));
  }
}

bool is_of_cuda_12(const std::string& file) {
  // Packages of CUDA 13 share one folder, nvidia/cu13/lib; toolkits are in folders such as cuda-12.6.
  if (file.find("/cu13/") != std::string::npos) return false;
  std::error_code ignored;
  const std::string real = std::filesystem::canonical(file, ignored).string();
  return file.find("/cu12/") != std::string::npos || file.find("/nvidia/") != std::string::npos ||
         real.find("cuda-12") != std::string::npos;
}

std::string version_by(int (*get_property)(int, int*)) {
  std::string version;
  for (int part = 0; part < 3; ++part) {
    int value = 0;
    get_property(part, &value);
    version += (part == 0 ? "" : ".") + std::to_string(value);
  }
  return version;
}

}  // namespace quern::libraries
