// SPDX-License-Identifier: MIT
// Every kernel of the corpus, lowered to CUDA C++, compiles with NVRTC where that is installed.
#include <dlfcn.h>

#include <filesystem>

#include "frontend/host_program.hpp"

namespace quern::frontend {
namespace {

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
    const char* options[] = {"--gpu-architecture=sm_90", "--fmad=false", "-lineinfo"};
    const bool ok = get<int(void*, int, const char* const*)>("nvrtcCompileProgram")(program, 3, options) == 0;
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

const Nvrtc& nvrtc() {
  static const auto* loaded = new Nvrtc;
  return *loaded;
}

class LowerToCuda : public testing::TestWithParam<std::string> {};

TEST_P(LowerToCuda, compiles_for_sm_90) {
  const Lowered lowered = lower_to_cuda(test::kernel_file(GetParam()));
  if (!nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  const auto [ok, text] = nvrtc().compile(lowered.text);
  ASSERT_TRUE(ok) << text << lowered.text;
  for (const Signature& kernel : lowered.kernels)
    EXPECT_NE(text.find(".entry quern_kernel_" + kernel.name), std::string::npos) << kernel.name;
}

std::vector<std::string> corpus() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(QUERN_TEST_KERNELS))
    if (entry.path().extension() == ".cl") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Corpus, LowerToCuda, testing::ValuesIn(corpus()),
                         [](const auto& p) { return p.param; });

TEST(LowerToCudaText, loads_and_stores_a_float4_at_once) {
  if (!nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  const auto [ok, ptx] = nvrtc().compile(lower_to_cuda(test::kernel_file("lin_comb")).text);
  ASSERT_TRUE(ok) << ptx;
  EXPECT_NE(ptx.find("ld.global.v4.f32"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("st.global.v4.f32"), std::string::npos) << ptx;
}

TEST(LowerToCudaText, is_told_the_number_of_dimensions) {
  EXPECT_NE(lower_to_cuda(test::kernel_file("index3")).text.find("quern_c.work_dim"), std::string::npos);
}

TEST(LowerToCudaText, an_error_of_nvrtc_names_the_users_line) {
  if (!nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  const Lowered lowered = lower_to_cuda(test::kernel_file("vector_add"));
  std::string broken = lowered.text;
  const std::size_t at = broken.find("a[i] + b[i]");
  ASSERT_NE(at, std::string::npos) << broken;
  broken.replace(at, 4, "nope");
  const auto [ok, log] = nvrtc().compile(broken);
  EXPECT_FALSE(ok);
  EXPECT_NE(log.find("vector_add.cl(4)"), std::string::npos) << log;
}

}  // namespace
}  // namespace quern::frontend
