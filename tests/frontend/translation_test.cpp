// SPDX-License-Identifier: MIT
// A translation runs each stage once, whichever results the caller needs and in whichever order. It returns
// what a translation of its own would return.
#include "frontend/translation.hpp"

#include <filesystem>

#include "frontend/host_program.hpp"
#include "frontend/stages.hpp"

namespace quern::frontend::test {
namespace {

Source source_of(const std::string& text) {
  Source source;
  source.text = text;
  return source;
}

std::string counts_since(const StageCounts& before) {
  const StageCounts now = stage_counts();
  return std::to_string(now.preprocess - before.preprocess) + " " + std::to_string(now.parse - before.parse) +
         " " + std::to_string(now.lower - before.lower);
}

constexpr const char* kReverse = R"(
kernel void reverse(global int *x) {
  local int tile[64];
  const size_t i = get_local_id(0);
  tile[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tile[get_local_size(0) - 1 - i];
}
)";

TEST(Translations, run_each_stage_once_and_when_it_is_needed) {
  Translation translation(source_of(kReverse), Target::host);
  const StageCounts before = stage_counts();
  EXPECT_NE(translation.preprocessed().find("reverse"), std::string::npos);
  (void)translation.preprocessed();
  EXPECT_EQ(counts_since(before), "1 0 0");
  ASSERT_EQ(translation.signatures().size(), 1U);
  translation.check_declarations(Target::host);
  EXPECT_EQ(counts_since(before), "1 1 0");
  const auto any = translation.lower(Target::host);
  EXPECT_EQ(translation.lower(Target::host), any);
  EXPECT_EQ(translation.signatures().front().name, any->kernels.front().name);
  EXPECT_EQ(counts_since(before), "1 1 1");
}

TEST(Translations, lower_the_kept_tree_for_each_local_size) {
  Translation translation(source_of(kReverse), Target::host);
  const StageCounts before = stage_counts();
  for (const std::size_t size : {16, 32, 8}) (void)translation.lower(Target::host, {size, 1, 1});
  EXPECT_EQ(counts_since(before), "1 1 3");
}

TEST(Translations, serve_all_targets_where_no_line_asks_for_one) {
  Translation translation(source_of(kReverse), Target::opencl);
  EXPECT_FALSE(translation.serves(Target::host));  // which is not known yet
  const StageCounts before = stage_counts();
  (void)translation.signatures();
  for (const Target target : {Target::host, Target::cuda}) {
    EXPECT_TRUE(translation.serves(target));
    EXPECT_EQ(translation.lower(target)->text,
              (*Translation(source_of(kReverse), target).lower(target)).text);
  }
  EXPECT_FALSE(translation.serves(Target::cuda_c));
  EXPECT_EQ(counts_since(before), "3 3 4");  // one of them, and two to compare with
}

TEST(Translations, serve_their_own_target_where_a_line_asks_for_it) {
  for (const char* text : {"#ifdef QUERN_HOST\n#endif\nkernel void f() {}",
                           "#if defined(QUERN_CUDA)\n#endif\nkernel void f() {}",
                           "kernel void f(global int *x) { x[0] = QUERN_SUB_GROUP_SIZE; }",
                           "#define ON QUERN_OPENCL\n#if ON\n#endif\nkernel void f() {}"}) {
    Translation translation(source_of(text), Target::opencl);
    (void)translation.preprocessed();
    EXPECT_TRUE(translation.serves(Target::opencl)) << text;
    EXPECT_FALSE(translation.serves(Target::host)) << text;
    EXPECT_FALSE(translation.serves(Target::cuda)) << text;
  }
  // Their own definition does not differ.
  Source source = source_of("#ifdef QUERN_HOST\n#endif\nkernel void f() {}");
  source.defines.emplace_back("QUERN_HOST", "1");
  Translation translation(source, Target::opencl);
  (void)translation.preprocessed();
  EXPECT_TRUE(translation.serves(Target::host));
}

// Lowering leaves the tree as it was: what comes out does not depend on what was lowered before.
TEST(Translations, lower_every_kernel_as_if_it_were_the_first_time) {
  for (const auto& entry : std::filesystem::directory_iterator(QUERN_TEST_KERNELS)) {
    if (entry.path().extension() != ".cl") continue;
    const Source source = kernel_file(entry.path().stem().string());
    Translation host(source, Target::host), cuda(source, Target::cuda);
    struct Step {
      Target target;
      LocalSize local;
    };
    const Step steps[] = {{Target::host, {}}, {Target::host, {16, 4, 1}}, {Target::cuda, {}},
                          {Target::host, {}}, {Target::host, {1, 1, 1}},  {Target::cuda, {64, 1, 1}}};
    for (const auto& [target, local] : steps) {
      Translation& used = host.serves(target) ? host : cuda;
      const auto kept = used.lower(target, local), fresh = Translation(source, target).lower(target, local);
      EXPECT_EQ(kept->text, fresh->text) << source.file;
      EXPECT_EQ(kept->forms, fresh->forms) << source.file;
      EXPECT_EQ(kept->warnings.size(), fresh->warnings.size()) << source.file;
      ASSERT_EQ(kept->kernels.size(), fresh->kernels.size()) << source.file;
      for (std::size_t k = 0; k < kept->kernels.size(); ++k) {
        EXPECT_EQ(kept->kernels[k].required_local, fresh->kernels[k].required_local) << source.file;
        EXPECT_EQ(kept->kernels[k].wants_fixed_local, fresh->kernels[k].wants_fixed_local) << source.file;
        EXPECT_EQ(kept->kernels[k].local_memory, fresh->kernels[k].local_memory) << source.file;
      }
    }
  }
}

TEST(Translations, report_an_error_each_time) {
  Translation translation(
      source_of("kernel void f(global int *x) { x[0] = undeclared; }\nkernel void g(unknown *y) {}"),
      Target::opencl);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(translation.signatures().size(), 2U);
    EXPECT_THROW(translation.check_declarations(Target::host), BuildError);
    EXPECT_THROW((void)translation.lower(Target::host), BuildError);
  }
  Translation body(source_of("kernel void f(global int *x) { x[0] = undeclared; }"), Target::host);
  for (int round = 0; round < 2; ++round) {
    body.check_declarations(Target::host);
    EXPECT_THROW((void)body.lower(Target::host), BuildError);
    EXPECT_EQ(body.signatures().size(), 1U);
  }
}

constexpr const char* kComplex = R"(
#pragma quern complex
kernel void square(global complex64 *x) { size_t i = get_global_id(0); x[i] = x[i] * x[i]; }
)";

// The text in which complex numbers are vectors is a text of its own.
TEST(Translations, run_the_stages_twice_for_complex_numbers) {
  Translation translation(source_of(kComplex), Target::host);
  const StageCounts before = stage_counts();
  (void)translation.preprocessed();
  (void)translation.signatures();
  for (const std::size_t size : {0, 16, 32}) {
    const auto lowered = translation.lower(Target::host, {size, 1, 1});
    EXPECT_EQ(lowered->kernels.front().parameters.front().dtype.scalar, Scalar::complex64);
  }
  EXPECT_EQ(counts_since(before), "2 2 3");
  Translation device(source_of(kComplex), Target::opencl);
  const StageCounts then = stage_counts();
  (void)device.signatures();
  EXPECT_NE(device.without_complex().find("float2"), std::string::npos);
  (void)device.opencl_support();
  EXPECT_EQ(counts_since(then), "1 1 0");
}

TEST(Translations, keep_the_authors_macros_out_of_the_functions_of_complex_numbers) {
  Source source = source_of(
      "#pragma quern complex\nkernel void divide(global complex64 *to) { to[0] = to[a] / to[b] * to[x]; }");
  for (const char* name : {"x", "y", "a", "b", "r", "s"}) source.defines.emplace_back(name, "3");
  EXPECT_NO_THROW((void)lower_to_c(source));
  EXPECT_NO_THROW((void)lower_to_cuda(source));
}

}  // namespace
}  // namespace quern::frontend::test
