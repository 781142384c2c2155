// SPDX-License-Identifier: MIT
// Search for the libraries of CUDA, and the choice of their major version.
#include "base/cuda_libraries.hpp"

#include <link.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
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

#if defined(__aarch64__)
constexpr const char* kCondaTarget = "sbsa-linux";
#else
constexpr const char* kCondaTarget = "x86_64-linux";
#endif

// The paths of the files that the process has loaded.
std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
    if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
      static_cast<std::vector<std::string>*>(to)->emplace_back(info->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(add, &files);
  return files;
}

// Whether the file's name is the soname, or the soname with further parts of a version.
bool has_soname(const std::string& file, const std::string& soname) {
  const std::string name = fs::path(file).filename().string();
  return name == soname || name.starts_with(soname + ".");
}

struct Library {
  const char* name;
  int version_13, version_12;  // of their sonames
};
constexpr Library kLibraries[] = {{"cublas", 13, 12},    {"cublasLt", 13, 12}, {"cudart", 13, 12},
                                  {"nvJitLink", 13, 12}, {"nvrtc", 13, 12},    {"cufft", 12, 11},
                                  {"cusolver", 12, 11},  {"cusparse", 12, 12}};
// The libraries that Quern calls. Their majors differ in all sonames except cuSPARSE's.
constexpr const char* kCalled[] = {"cublas", "cufft", "cusolver"};
// What shows the major version of CUDA that a process already uses. NVRTC does not: Quern loads it itself,
// and it only makes code that the driver loads.
constexpr const char* kShowing[] = {"cublas", "cublasLt", "cudart", "cufft", "cusolver"};

// The major version in which a library has this file name; 0 if both have it, or none.
int major_by_name(const std::string& file) {
  for (const Library& library : kLibraries) {
    if (library.version_13 == library.version_12) continue;
    for (const int major : kCudaMajors)
      if (has_soname(file, cuda_soname(library.name, major))) return major;
  }
  return 0;
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
  if (const auto conda = environment("CONDA_PREFIX"); conda && !conda->empty()) {
    out.push_back(fs::path(*conda) / "lib");
    out.push_back(fs::path(*conda) / "targets" / kCondaTarget / "lib");
  }
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
  const std::vector<std::string> loaded = loaded_files();
  std::vector<std::string> files;
  for (const std::string& name : sonames) {
    const auto add = [&, first = files.size()](const std::string& file) {
      if (std::find(files.begin() + static_cast<std::ptrdiff_t>(first), files.end(), file) == files.end())
        files.push_back(file);
    };
    for (const std::string& file : loaded)
      if (has_soname(file, name)) add(file);
    if (const std::string found = find_library_file(name); !found.empty()) add(found);
    for (const fs::path& place : places) {
      std::error_code error;
      if (fs::exists(place / name, error)) add((place / name).string());
    }
  }
  return files;
}

std::string cuda_soname(std::string_view library, int major) {
  int version = major;
  for (const Library& one : kLibraries)
    if (library == one.name) version = major == 13 ? one.version_13 : one.version_12;
  return "lib" + std::string(library) + ".so." + std::to_string(version);
}

int cuda_major_of(const std::string& file) {
  if (const int major = major_by_name(file); major != 0) return major;
  // Packages of CUDA 13 share one folder, nvidia/cu13/lib; toolkits are in folders such as cuda-12.6.
  std::error_code ignored;
  const std::string real = fs::canonical(file, ignored).string();
  for (const int major : kCudaMajors) {
    const std::string number = std::to_string(major);
    if (file.find("/cu" + number + "/") != std::string::npos ||
        real.find("/cuda-" + number) != std::string::npos)
      return major;
  }
  if (file.find("/nvidia/") != std::string::npos) return 12;
  std::optional<int> beside;
  for (const int major : kCudaMajors)
    for (const Library& library : kLibraries) {
      if (library.version_13 == library.version_12 ||
          !fs::exists(fs::path(file).parent_path() / cuda_soname(library.name, major), ignored))
        continue;
      if (beside.value_or(major) != major) return 0;  // libraries of both
      beside = major;
    }
  return beside.value_or(0);
}

int choose_cuda_major(int driver_major, std::span<const std::string> loaded,
                      const std::function<bool(const std::string& soname)>& is_found) {
  const auto is_allowed = [&](int major) { return driver_major == 0 || major <= driver_major; };
  for (const std::string& file : loaded)
    for (const char* const library : kShowing)
      for (const int major : kCudaMajors)
        if (is_allowed(major) && has_soname(file, cuda_soname(library, major))) return major;
  int chosen = 0;
  std::ptrdiff_t most = 0;
  for (const int major : kCudaMajors) {
    if (!is_allowed(major)) continue;
    const std::ptrdiff_t found =
        std::count_if(std::begin(kCalled), std::end(kCalled),
                      [&](const char* library) { return is_found(cuda_soname(library, major)); });
    if (found > most) {
      most = found;
      chosen = major;
    }
  }
  return chosen;
}

int choose_cuda_major(int driver_major, const std::string& listed) {
  return choose_cuda_major(driver_major, loaded_files(), [&](const std::string& soname) {
    return !find_cuda_libraries({&soname, 1}, listed).empty();
  });
}

}  // namespace quern
