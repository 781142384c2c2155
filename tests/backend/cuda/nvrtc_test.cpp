// SPDX-License-Identifier: MIT
// Compiling CUDA C++ with NVRTC, which needs no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include "backend/cuda/nvrtc.hpp"
#include "backend/cuda/program.hpp"
#include "quern/error.hpp"
#include "runtime/build_options.hpp"

namespace quern::backend::cuda {
namespace {

constexpr int kDriverMajor = 13;

// The Nvrtc, or null where the machine has none.
const Nvrtc* nvrtc() {
  try {
    return &load_nvrtc(kDriverMajor);
  } catch (const BuildError&) {
    return nullptr;
  }
}

#define NEED_NVRTC() \
  if (nvrtc() == nullptr) GTEST_SKIP() << "NVRTC is not installed"

int a_known_architecture() {
  return nvrtc()->architectures.back();
}

CompileRequest request(std::string text) {
  CompileRequest out;
  out.dialect = Dialect::cuda_cpp;
  out.text = std::move(text);
  out.name = "test.cu";
  return out;
}

bool is_elf(const std::vector<std::byte>& binary) {
  return binary.size() > 4 && std::string_view(reinterpret_cast<const char*>(binary.data()), 4) ==
                                  "\x7f"
                                  "ELF";
}

constexpr const char* kGood = R"(extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; })";

TEST(Nvrtc, a_kernel_becomes_a_cubin_that_can_be_checked) {
  NEED_NVRTC();
  const Compiled compiled = compile_with_nvrtc(*nvrtc(), a_known_architecture(), request(kGood), "a test");
  EXPECT_TRUE(is_elf(compiled.binary));
  EXPECT_EQ(compiled.log, "");
  EXPECT_NO_THROW(check_image(compiled.binary));
}

TEST(Nvrtc, every_truncation_of_a_cubin_is_an_error) {
  NEED_NVRTC();
  const Compiled compiled = compile_with_nvrtc(*nvrtc(), a_known_architecture(), request(kGood), "a test");
  for (std::size_t size = 0; size < compiled.binary.size(); size += 1 + size / 50) {
    EXPECT_THROW(check_image(std::span(compiled.binary).first(size)), Error) << size;
  }
  EXPECT_THROW(check_image(std::span(compiled.binary).first(compiled.binary.size() - 1)), Error);
}

TEST(Nvrtc, an_error_has_its_line_in_the_log_with_options_and_device) {
  NEED_NVRTC();
  CompileRequest bad = request("extern \"C\" __global__ void k(float* x) {\n  x[0] = undefined_name;\n}\n");
  bad.options = {"-DN=3"};
  try {
    compile_with_nvrtc(*nvrtc(), a_known_architecture(), bad, "'Some GPU' (cuda:0)");
    FAIL() << "it compiled";
  } catch (const BuildError& error) {
    EXPECT_NE(error.log().find("test.cu(2): error"), std::string::npos) << error.log();
    EXPECT_NE(error.log().find("undefined_name"), std::string::npos) << error.log();
    EXPECT_NE(error.options().find("-DN=3"), std::string::npos);
    EXPECT_EQ(error.device(), "'Some GPU' (cuda:0)");
    EXPECT_NE(std::string(error.what()).find("undefined_name"), std::string::npos);
  }
}

TEST(Nvrtc, line_directives_name_the_users_own_file) {
  NEED_NVRTC();
  try {
    compile_with_nvrtc(*nvrtc(), a_known_architecture(),
                       request("#line 41 \"user.cl\"\nextern \"C\" __global__ void k() {\n  oops;\n}\n"),
                       "a test");
    FAIL() << "it compiled";
  } catch (const BuildError& error) {
    EXPECT_NE(error.log().find("user.cl(42): error"), std::string::npos) << error.log();
  }
}

TEST(Nvrtc, warnings_are_in_the_log_of_a_success) {
  NEED_NVRTC();
  const Compiled compiled =
      compile_with_nvrtc(*nvrtc(), a_known_architecture(),
                         request("extern \"C\" __global__ void k() { int never_used = 3; }"), "a test");
  EXPECT_NE(compiled.log.find("never_used"), std::string::npos) << compiled.log;
  EXPECT_TRUE(is_elf(compiled.binary));
}

TEST(Nvrtc, name_expressions_keep_template_instances_and_give_their_symbols) {
  NEED_NVRTC();
  CompileRequest templates =
      request("template <class T> __global__ void fill(T* x, T v) { x[threadIdx.x] = v; }");
  templates.name_expressions = {"fill<float>", "fill<unsigned char>"};
  const Compiled compiled = compile_with_nvrtc(*nvrtc(), a_known_architecture(), templates, "a test");
  ASSERT_EQ(compiled.lowered_names.size(), 2U);
  EXPECT_EQ(compiled.lowered_names[0],
            (std::pair<std::string, std::string>("fill<float>", "_Z4fillIfEvPT_S0_")));
  EXPECT_EQ(compiled.lowered_names[1].second, "_Z4fillIhEvPT_S0_");
}

TEST(Nvrtc, a_name_expression_that_names_nothing_is_a_build_error) {
  NEED_NVRTC();
  CompileRequest templates = request(kGood);
  templates.name_expressions = {"no_such_thing<int>"};
  EXPECT_THROW(compile_with_nvrtc(*nvrtc(), a_known_architecture(), templates, "a test"), BuildError);
}

TEST(Nvrtc, an_unknown_option_is_a_build_error) {
  NEED_NVRTC();
  CompileRequest odd = request(kGood);
  odd.options = {"--no-such-option"};
  EXPECT_THROW(compile_with_nvrtc(*nvrtc(), a_known_architecture(), odd, "a test"), BuildError);
}

TEST(Nvrtc, defines_standard_and_architecture_can_be_chosen) {
  NEED_NVRTC();
  CompileRequest chosen = request("static_assert(N == 3 && __cplusplus >= 202002L); __global__ void k() {}");
  const std::string ptx_of = "compute_" + std::to_string(nvrtc()->architectures.front());
  chosen.options = {"-DN=3", "-std=c++20", "--gpu-architecture=" + ptx_of};
  const Compiled compiled = compile_with_nvrtc(*nvrtc(), a_known_architecture(), chosen, "a test");
  const std::string ptx(reinterpret_cast<const char*>(compiled.binary.data()), compiled.binary.size());
  EXPECT_NE(ptx.find(".target sm_" + std::to_string(nvrtc()->architectures.front())), std::string::npos);
  EXPECT_NO_THROW(check_image(compiled.binary));
}

// The PTX of a product and a sum of floats, built with an option of OpenCL's.
std::string ptx_with(const std::string& option) {
  CompileRequest asked =
      request(R"(extern "C" __global__ void k(float* x, float y) { x[0] = x[1] * y + x[2]; })");
  ProgramOptions options;
  if (!option.empty()) options.options = {option};
  asked.options =
      detail::compiler_options(detail::parse_options(options), Dialect::cuda_cpp, Language::opencl_c);
  // The device's own code first: its compiler has options too.
  EXPECT_TRUE(is_elf(compile_with_nvrtc(*nvrtc(), a_known_architecture(), asked, "a test").binary)) << option;
  asked.options.push_back("--gpu-architecture=compute_" + std::to_string(nvrtc()->architectures.front()));
  const auto binary = compile_with_nvrtc(*nvrtc(), a_known_architecture(), asked, "a test").binary;
  return {reinterpret_cast<const char*>(binary.data()), binary.size()};
}

TEST(Nvrtc, options_of_opencl_contract_and_flush_where_they_say_so) {
  NEED_NVRTC();
  const auto contracts = [](const std::string& option) {
    return ptx_with(option).find("fma.rn") != std::string::npos;
  };
  const auto flushes = [](const std::string& option) {
    return ptx_with(option).find(".ftz") != std::string::npos;
  };
  for (const char* option : {"", "-cl-denorms-are-zero", "-cl-opt-disable", "-cl-no-signed-zeros",
                             "-cl-finite-math-only", "-cl-fp32-correctly-rounded-divide-sqrt", "-w"})
    EXPECT_FALSE(contracts(option)) << option;
  for (const char* option : {"-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"})
    EXPECT_TRUE(contracts(option)) << option;
  for (const char* option : {"-cl-denorms-are-zero", "-cl-fast-relaxed-math"})
    EXPECT_TRUE(flushes(option)) << option;
  for (const char* option : {"", "-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-opt-disable"})
    EXPECT_FALSE(flushes(option)) << option;
}

TEST(Nvrtc, debug_adds_line_information) {
  NEED_NVRTC();
  CompileRequest debug = request(kGood);
  debug.debug = true;
  const auto plain = compile_with_nvrtc(*nvrtc(), a_known_architecture(), request(kGood), "a test").binary;
  EXPECT_GT(compile_with_nvrtc(*nvrtc(), a_known_architecture(), debug, "a test").binary.size(),
            plain.size());
}

TEST(Nvrtc, a_device_newer_than_the_compiler_gets_ptx_and_an_older_one_an_error) {
  NEED_NVRTC();
  EXPECT_EQ(choose_target(*nvrtc(), 999), "compute_" + std::to_string(nvrtc()->architectures.back()));
  EXPECT_EQ(choose_target(*nvrtc(), nvrtc()->architectures.front()),
            "sm_" + std::to_string(nvrtc()->architectures.front()));
  EXPECT_THROW(choose_target(*nvrtc(), 20), BuildError);
  const Compiled compiled = compile_with_nvrtc(*nvrtc(), 999, request(kGood), "a test");
  EXPECT_FALSE(is_elf(compiled.binary));
  EXPECT_NO_THROW(check_image(compiled.binary));
}

TEST(Nvrtc, the_toolkits_headers_are_found) {
  NEED_NVRTC();
  if (nvrtc()->include_option.empty()) GTEST_SKIP() << "no headers come with this NVRTC";
  EXPECT_NO_THROW(compile_with_nvrtc(
      *nvrtc(), a_known_architecture(),
      request(
          "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half* x) { x[0] = __float2half(1.f); }"),
      "a test"));
}

TEST(Nvrtc, threads_compile_side_by_side) {
  NEED_NVRTC();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      CompileRequest own = request(kGood);
      own.options = {"-DTHREAD=" + std::to_string(i)};
      good += is_elf(compile_with_nvrtc(*nvrtc(), a_known_architecture(), own, "a test").binary) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
}

TEST(Nvrtc, a_named_library_is_the_only_candidate) {
  setenv("QUERN_NVRTC_LIBRARY", "/somewhere/libnvrtc.so", 1);
  EXPECT_EQ(nvrtc_files(kDriverMajor), std::vector<std::string>{"/somewhere/libnvrtc.so"});
  unsetenv("QUERN_NVRTC_LIBRARY");
}

TEST(Nvrtc, listed_folders_are_searched_and_versions_the_driver_knows_come_first) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / "quern_nvrtc_test";
  fs::create_directories(root / "a");
  fs::create_directories(root / "b");
  for (const char* file : {"a/libnvrtc.so.13", "b/libnvrtc.so.12"}) {
    std::fclose(std::fopen((root / file).c_str(), "w"));
  }
  setenv("QUERN_NVRTC_PATH", ((root / "a").string() + "::" + (root / "b").string()).c_str(), 1);
  const auto place = [&](int major, const char* file) {
    const auto files = nvrtc_files(major);
    return std::find(files.begin(), files.end(), (root / file).string()) - files.begin();
  };
  EXPECT_LT(place(13, "a/libnvrtc.so.13"), place(13, "b/libnvrtc.so.12"));
  EXPECT_GT(place(12, "a/libnvrtc.so.13"), place(12, "b/libnvrtc.so.12"));
  unsetenv("QUERN_NVRTC_PATH");
  fs::remove_all(root);
}

TEST(CudaImage, other_bytes_are_refused) {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); };
  EXPECT_THROW(check_image({}), Error);
  EXPECT_THROW(check_image(bytes("hello")), Error);
  EXPECT_THROW(check_image(bytes(std::string_view("\x7f"
                                                  "ELF",
                                                  4))),
               Error);
  EXPECT_THROW(check_image(bytes(std::string_view(".version 8.0\0.target sm_90\n", 27))), Error);
  EXPECT_NO_THROW(check_image(bytes(".version 8.0\n.target sm_90\n.address_size 64\n")));
}

}  // namespace
}  // namespace quern::backend::cuda
