// SPDX-License-Identifier: MIT
// The search that all libraries of CUDA share.
#include "libraries/cuda_search.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/cuda_libraries.hpp"
#include "base/environment.hpp"
#include "quern/device.hpp"

namespace quern::libraries {
namespace {

std::string listed_folders() {
  return environment("QUERN_CUDA_LIBRARIES").value_or("");
}

// The major version of CUDA that the driver has; 0 without a CUDA device.
int driver_major() {
  static const int major = [] {
    for (const Device& device : devices("cuda"))
      for (const auto& [name, value] : device.info())
        if (name == "cuda_version") return std::atoi(value.c_str());
    return 0;
  }();
  return major;
}

std::string why_not(int major) {
  if (driver_major() != 0 && major > driver_major())
    return "of CUDA " + std::to_string(major) + ", which is newer than CUDA " +
           std::to_string(driver_major()) + " of the driver";
  return "of CUDA " + std::to_string(major) + "; this process uses libraries of CUDA " +
         std::to_string(cuda_major());
}

}  // namespace

int cuda_major() {
  static const int major = choose_cuda_major(driver_major(), listed_folders());
  return major;
}

bool load_cuda_library(LibraryReport& report, std::span<const std::string> sonames,
                       const std::function<bool(const SharedLibrary&)>& take,
                       const std::function<void(const std::string& file)>& prepare) {
  report.backend = "cuda";
  std::vector<std::string> files = find_cuda_libraries(sonames, listed_folders());
  if (files.empty()) files.assign(sonames.begin(), sonames.end());
  for (const std::string& file : files) {
    if (const int major = cuda_major_of(file); major != 0 && cuda_major() != 0 && major != cuda_major()) {
      report.attempts.push_back({file, why_not(major), false});
      continue;
    }
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

bool load_cuda_library(LibraryReport& report, const char* library,
                       const std::function<bool(const SharedLibrary&)>& take,
                       const std::function<void(const std::string& file)>& prepare) {
  std::vector<std::string> sonames;
  for (const int major : kCudaMajors)
    if (std::string soname = cuda_soname(library, major); sonames.empty() || sonames.back() != soname)
      sonames.push_back(std::move(soname));
  return load_cuda_library(report, sonames, take, prepare);
}

void load_cuda_dependencies(std::initializer_list<const char*> libraries) {
  for (const char* const library : libraries) {
    const std::string soname = cuda_soname(library, cuda_major());
    const std::vector<std::string> files = find_cuda_libraries({&soname, 1}, listed_folders());
    if (!files.empty()) static_cast<void>(SharedLibrary(files));
  }
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
