// SPDX-License-Identifier: MIT
// Every kernel of the corpus, lowered to CUDA C++, compiles with NVRTC where that is installed.
#include <filesystem>

#include "frontend/host_program.hpp"
#include "frontend/nvrtc.hpp"

namespace quern::frontend {
namespace {

using test::nvrtc;

class LowerToCuda : public testing::TestWithParam<std::string> {};

TEST_P(LowerToCuda, compiles_for_sm_90) {
  const Lowered lowered = lower_to_cuda(test::kernel_file(GetParam()));
  if (!nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  const auto [ok, text] = nvrtc().compile(lowered.text);
  ASSERT_TRUE(ok) << text << lowered.text;
  for (const Signature& kernel : lowered.kernels)
    EXPECT_NE(text.find(".entry quern_kernel_" + kernel.name), std::string::npos) << kernel.name;
}

// The writers that both targets share must not let one language into the other's text.
TEST_P(LowerToCuda, each_text_speaks_one_language) {
  const Source source = test::kernel_file(GetParam());
  const std::string c = lower_to_c(source).text, cuda = lower_to_cuda(source).text;
  for (const char* word : {"__device__", "__shared__", "__global__", "threadIdx", "_sync(", "asm(\"cvt"})
    EXPECT_EQ(c.find(word), std::string::npos) << word << " in\n" << c;
  for (const char* word :
       {"quern_launch", "_Bool", "always_inline", "__builtin_mem", "__atomic_", "GCC unroll"})
    EXPECT_EQ(cuda.find(word), std::string::npos) << word << " in\n" << cuda;
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

TEST(LowerToCudaText, rotations_do_not_keep_sha256_from_being_unrolled_into_registers) {
  if (!nvrtc().present()) GTEST_SKIP() << "NVRTC is not installed";
  const Source source = test::kernel_file("../../../examples/kernels/sha256");
  const auto [ok, ptx] = nvrtc().compile(lower_to_cuda(source).text);
  ASSERT_TRUE(ok) << ptx;
  EXPECT_NE(ptx.find("shf.l.wrap.b32"), std::string::npos) << ptx;
  EXPECT_EQ(ptx.find("st.local"), std::string::npos) << ptx;
}

Source switch_over(const std::string& range) {
  Source source;
  source.text = "kernel void f(global int *x) { switch (x[0]) { case " + range + ": x[1] = 1; } }";
  return source;
}

TEST(LowerToCudaText, a_range_of_case_labels_is_written_label_by_label) {
  EXPECT_NE(lower_to_cuda(switch_over("3 ... 5")).text.find("case 3ll: case 4ll: case 5ll: ;"),
            std::string::npos);
  EXPECT_NE(lower_to_c(switch_over("3 ... 5")).text.find("case 3ll ... 5ll:;"), std::string::npos);
}

TEST(LowerToCudaText, a_long_range_of_case_labels_is_an_error_that_says_what_to_write) {
  EXPECT_NO_THROW(lower_to_c(switch_over("0 ... 100000")));
  try {
    lower_to_cuda(switch_over("0 ... 100000"));
    FAIL() << "the range was accepted";
  } catch (const BuildError& error) {
    EXPECT_NE(std::string(error.what()).find("in an if statement"), std::string::npos) << error.what();
  }
}

TEST(LowerToCudaText, gets_the_number_of_dimensions) {
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
