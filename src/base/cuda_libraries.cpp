// SPDX-License-Identifier: MIT
// Search for the libraries of CUDA.
#include "base/cuda_libraries.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/environment.hpp"
#include "base/shared_library.hpp"

namespace quern {
namespace {

namespace fs = std::filesystem;

struct PackageFolders {
  std::mutex mutex;
  std::vector<std::string> folders;
};

PackageFolders& package_folders() {
  static auto* const all = new PackageFolders;  // never destroyed: threads may use it until the process ends
  return *all;
}

// The folders nvidia/*/lib of the packages.
void add_package_folders(std::vector<fs::path>& to) {
  for (const std::string& root : package_roots()) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator each(fs::path(root) / "nvidia", error), end; !error && each != end;
         each.increment(error)) {
      std::error_code ignored;
      if (fs::is_directory(each->path() / "lib", ignored)) found.push_back(each->path() / "lib");
    }
    std::sort(found.begin(), found.end());
    to.insert(to.end(), found.begin(), found.end());
  }
}

std::vector<fs::path> folders(const std::string& listed) {
  std::vector<fs::path> out;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto root = environment(variable); root && !root->empty())
      out.push_back(fs::path(*root) / "lib64");
  }
  out.emplace_back("/usr/local/cuda/lib64");
  for (std::size_t begin = 0; begin <= listed.size();) {
    const std::size_t end = std::min(listed.find(':', begin), listed.size());
    if (end > begin) out.emplace_back(listed.substr(begin, end - begin));
    begin = end + 1;
  }
  add_package_folders(out);
  return out;
}

}  // namespace

void set_package_roots(std::vector<std::string> folders) {
  PackageFolders& all = package_folders();
  const std::lock_guard lock(all.mutex);
  all.folders = std::move(folders);
}

std::vector<std::string> package_roots() {
  PackageFolders& all = package_folders();
  const std::lock_guard lock(all.mutex);
  return all.folders;
}

std::vector<std::string> find_cuda_libraries(std::span<const std::string> sonames,
                                             const std::string& listed) {
  const std::vector<fs::path> places = folders(listed);
  std::vector<std::string> files;
  for (const std::string& name : sonames) {
    if (const std::string found = find_library_file(name); !found.empty()) files.push_back(found);
    for (const fs::path& place : places) {
      std::error_code error;
      if (fs::exists(place / name, error)) files.push_back((place / name).string());
    }
  }
  return files;
}

}  // namespace quern
