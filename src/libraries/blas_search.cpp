// SPDX-License-Identifier: MIT
// Search for files of a BLAS in Python's packages and the loader's folders.
#include "libraries/blas_search.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/cuda_libraries.hpp"
#include "base/environment.hpp"
#include "base/shared_library.hpp"

namespace quern::libraries {
namespace {

namespace fs = std::filesystem;

// The files of a folder whose names begin with `prefix`, sorted.
std::vector<std::string> files_in(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (name.starts_with(prefix) && name.find(".so") != std::string::npos)
      found.push_back(each->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string name_of(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  if (file.find("openblas") != std::string::npos) return "OpenBLAS";
  if (file.find("mkl") != std::string::npos) return "MKL";
  if (file.find("blis") != std::string::npos) return "BLIS";
  if (file.find("flexiblas") != std::string::npos) return "FlexiBLAS";
  return "BLAS";
}

}  // namespace

std::vector<BlasFile> blas_files() {
  if (const auto chosen = environment("QUERN_BLAS_LIBRARY"); chosen && !chosen->empty()) {
    const std::string file = find_library_file(*chosen);
    return {{name_of(*chosen), file.empty() ? *chosen : file}};
  }
  std::vector<BlasFile> files;
  const auto add = [&](const std::vector<std::string>& paths) {
    for (const std::string& path : paths) files.push_back({name_of(path), path});
  };
  const std::vector<std::string> roots = package_roots();
  for (const std::string& root : roots)
    add(files_in(fs::path(root) / "scipy_openblas64" / "lib", "libscipy_openblas64_"));
  for (const std::string& root : roots) add(files_in(fs::path(root) / "numpy.libs", "libscipy_openblas64_"));
  for (const std::string& root : roots) {
    // site-packages is lib/python3.x/site-packages of an environment, and MKL's package installs into its
    // lib.
    for (const char* soname : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}) {
      const fs::path file = fs::path(root).parent_path().parent_path() / soname;
      std::error_code error;
      if (fs::exists(file, error)) files.push_back({"MKL", file.string()});
    }
  }
  for (const char* soname : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so", "libopenblas64.so.0",
                             "libopenblas64_.so.0", "libopenblas.so.0", "libopenblas.so",
                             "libflexiblas64.so.3", "libflexiblas.so.3", "libblis64.so.4", "libblis.so.4"}) {
    if (const std::string found = find_library_file(soname); !found.empty())
      files.push_back({name_of(soname), found});
  }
  return files;
}

}  // namespace quern::libraries
