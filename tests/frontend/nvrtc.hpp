// SPDX-License-Identifier: MIT
// NVRTC, where it is installed: it compiles without a GPU.
#pragma once

#include <dlfcn.h>

#include <string>
#include <utility>

namespace quern::frontend::test {

class Nvrtc {
 public:
  Nvrtc() {
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (!handle_) handle_ = dlopen(name, RTLD_NOW);
  }
  [[nodiscard]] bool present() const { return handle_ != nullptr; }

  // The PTX, or the log when it does not compile.
  std::pair<bool, std::string> compile(const std::string& text) const {
    void* program = nullptr;
    get<int(void**, const char*, const char*, int, const char* const*, const char* const*)>(
        "nvrtcCreateProgram")(&program, text.c_str(), "lowered.cu", 0, nullptr, nullptr);
    const bool is_newer = text.starts_with("/* quern-std: c++20 */");
    const char* options[] = {"--gpu-architecture=sm_90", "--fmad=false", "-lineinfo",
                             is_newer ? "--std=c++20" : "--std=c++17"};
    const bool ok = get<int(void*, int, const char* const*)>("nvrtcCompileProgram")(program, 4, options) == 0;
    const char* what = ok ? "PTX" : "ProgramLog";
    std::size_t size = 0;
    get<int(void*, std::size_t*)>((std::string("nvrtcGet") + what + "Size").c_str())(program, &size);
    std::string result(size, '\0');
    get<int(void*, char*)>((std::string("nvrtcGet") + what).c_str())(program, result.data());
    get<int(void**)>("nvrtcDestroyProgram")(&program);
    return {ok, result};
  }

 private:
  template <class F>
  F* get(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }
  void* handle_ = nullptr;
};

inline const Nvrtc& nvrtc() {
  static const auto* loaded = new Nvrtc;
  return *loaded;
}

}  // namespace quern::frontend::test
