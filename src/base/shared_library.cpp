// SPDX-License-Identifier: MIT
// Libraries by dlopen, and the loader's search without loading.
#include "base/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/elf_file.hpp"
#include "base/environment.hpp"
#include "base/file_descriptor.hpp"
#include "base/loader_cache.hpp"

namespace quern {
namespace {

constexpr std::size_t kMostCacheBytes = std::size_t{256} << 20;

// The loader skips files for other machines, such as the 32-bit half of a driver.
bool is_loadable(const std::string& path) {
  const FileDescriptor file = FileDescriptor::open_to_read(path);
  struct stat status = {};
  return file.valid() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
         elf::is_native(file.get());
}

std::vector<std::string> library_path_folders() {
  std::vector<std::string> folders;
  const std::string path = environment("LD_LIBRARY_PATH").value_or("");
  if (path.empty()) return folders;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find_first_of(":;", start), path.size());
    folders.push_back(end == start ? "." : path.substr(start, end - start));
    start = end + 1;
  }
  return folders;
}

constexpr std::string_view kSystemFolders[] = {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
};

}  // namespace

SharedLibrary::SharedLibrary(std::span<const std::string> names) {
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      const char* error = ::dlerror();
      attempts_.push_back({name, error != nullptr ? error : "could not be loaded"});
      continue;
    }
    attempts_.push_back({name, ""});
    link_map* map = nullptr;
    if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr) {
      path_ = map->l_name;
    }
    return;
  }
}

void* SharedLibrary::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
}

std::string find_library_file(const std::string& soname) {
  if (soname.empty()) return {};
  if (soname.find('/') != std::string::npos) return is_loadable(soname) ? soname : std::string{};
  for (const std::string& folder : library_path_folders()) {
    if (std::string path = folder + "/" + soname; is_loadable(path)) return path;
  }
  if (const auto cache = read_file("/etc/ld.so.cache", kMostCacheBytes)) {
    for (const std::string& path : loader_cache_paths(*cache, soname)) {
      if (is_loadable(path)) return path;
    }
  }
  for (const std::string_view folder : kSystemFolders) {
    if (std::string path = std::string(folder) + "/" + soname; is_loadable(path)) return path;
  }
  return {};
}

std::string file_identity(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return {};
  char* resolved = ::realpath(path.c_str(), nullptr);
  std::string identity = resolved != nullptr ? resolved : path;
  std::free(resolved);
  identity += " " + std::to_string(status.st_size);
  if (S_ISREG(status.st_mode)) {
    const FileDescriptor file = FileDescriptor::open_to_read(path);
    const std::string id = file.valid() ? elf::build_id(file.get()) : "";
    if (!id.empty()) return identity + " build-id " + id;
  }
  return identity + " changed " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace quern
