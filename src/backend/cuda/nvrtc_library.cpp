// SPDX-License-Identifier: MIT
// Search for NVRTC, and loading it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>

#include "backend/cuda/nvrtc.hpp"
#include "base/cuda_libraries.hpp"
#include "base/environment.hpp"
#include "base/shared_library.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

namespace fs = std::filesystem;

struct Release {
  int major;
  const char* soname;
};
constexpr std::array<Release, 3> kReleases = {
    {{13, "libnvrtc.so.13"}, {12, "libnvrtc.so.12"}, {11, "libnvrtc.so.11.2"}}};

std::vector<std::string> sonames(int driver_major) {
  std::vector<std::string> names;
  for (const Release& release : kReleases) {
    if (release.major <= driver_major) names.emplace_back(release.soname);
  }
  names.emplace_back("libnvrtc.so");
  for (const Release& release : kReleases) {
    if (release.major > driver_major) names.emplace_back(release.soname);
  }
  return names;
}

template <class Pointer>
void require(const SharedLibrary& library, const char* symbol, Pointer& pointer) {
  pointer = reinterpret_cast<Pointer>(library.symbol(symbol));
  if (pointer == nullptr) {
    throw BuildError(library.path() + " is not an NVRTC that Quern can use (CUDA 11.2 or later): it lacks " +
                     symbol);
  }
}

std::unique_ptr<Nvrtc> load(const std::vector<std::string>& files) {
  const SharedLibrary library(files);
  if (!library.loaded()) {
    std::string tried;
    for (const SharedLibrary::Attempt& attempt : library.attempts()) {
      tried += "\n  " + attempt.name + ": " + attempt.error;
    }
    throw BuildError(
        "NVRTC, which compiles kernels for CUDA devices, could not be loaded. Install CUDA's toolkit or the "
        "pip package "
        "nvidia-cuda-nvrtc, or name the library in QUERN_NVRTC_LIBRARY. Tried:" +
        tried);
  }
  auto nvrtc = std::make_unique<Nvrtc>();
  nvrtc->path = library.path();
  require(library, "nvrtcGetErrorString", nvrtc->nvrtcGetErrorString);
  require(library, "nvrtcVersion", nvrtc->nvrtcVersion);
  require(library, "nvrtcGetNumSupportedArchs", nvrtc->nvrtcGetNumSupportedArchs);
  require(library, "nvrtcGetSupportedArchs", nvrtc->nvrtcGetSupportedArchs);
  require(library, "nvrtcCreateProgram", nvrtc->nvrtcCreateProgram);
  require(library, "nvrtcDestroyProgram", nvrtc->nvrtcDestroyProgram);
  require(library, "nvrtcCompileProgram", nvrtc->nvrtcCompileProgram);
  require(library, "nvrtcGetProgramLogSize", nvrtc->nvrtcGetProgramLogSize);
  require(library, "nvrtcGetProgramLog", nvrtc->nvrtcGetProgramLog);
  require(library, "nvrtcGetPTXSize", nvrtc->nvrtcGetPTXSize);
  require(library, "nvrtcGetPTX", nvrtc->nvrtcGetPTX);
  require(library, "nvrtcGetCUBINSize", nvrtc->nvrtcGetCUBINSize);
  require(library, "nvrtcGetCUBIN", nvrtc->nvrtcGetCUBIN);
  require(library, "nvrtcAddNameExpression", nvrtc->nvrtcAddNameExpression);
  require(library, "nvrtcGetLoweredName", nvrtc->nvrtcGetLoweredName);

  int major = 0, minor = 0, count = 0;
  nvrtc->nvrtcVersion(&major, &minor);
  nvrtc->version = std::to_string(major) + "." + std::to_string(minor);
  nvrtc->knows_minimal = major > 12 || (major == 12 && minor >= 4);
  nvrtc->has_cache = major > 12 || (major == 12 && minor >= 9);
  if (nvrtc->nvrtcGetNumSupportedArchs(&count) == NvrtcResult::success && count > 0) {
    nvrtc->architectures.resize(static_cast<std::size_t>(count));
    nvrtc->nvrtcGetSupportedArchs(nvrtc->architectures.data());
    std::sort(nvrtc->architectures.begin(), nvrtc->architectures.end());
  }
  std::error_code error;
  const fs::path include = fs::weakly_canonical(nvrtc->path, error).parent_path().parent_path() / "include";
  if (!error && fs::exists(include / "cuda_fp16.h", error))
    nvrtc->include_option = "--include-path=" + include.string();
  return nvrtc;
}

}  // namespace

std::vector<std::string> nvrtc_files(int driver_major) {
  if (const auto chosen = environment("QUERN_NVRTC_LIBRARY"); chosen && !chosen->empty()) return {*chosen};
  return find_cuda_libraries(sonames(driver_major), environment("QUERN_NVRTC_PATH").value_or(""));
}

const Nvrtc& load_nvrtc(int driver_major) {
  static std::mutex mutex;
  static const Nvrtc* loaded = nullptr;  // never destroyed: compilations may run while the process exits
  const std::lock_guard lock(mutex);
  if (loaded == nullptr) {
    std::vector<std::string> files = nvrtc_files(driver_major);
    if (files.empty())
      files = sonames(driver_major);  // the loader may find it, and its message says what it tried
    loaded = load(files).release();
  }
  return *loaded;
}

}  // namespace quern::backend::cuda
