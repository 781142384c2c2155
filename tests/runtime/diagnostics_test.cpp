// SPDX-License-Identifier: MIT
// Errors and warnings of programs, found without a device.
#include "quern/diagnostics.hpp"

#include <gtest/gtest.h>

#include <string>

namespace quern::test {
namespace {

constexpr Dialect kDialects[] = {Dialect::host_c, Dialect::opencl_c, Dialect::cuda_cpp};

// "line:column error: text" of each diagnostic.
std::string summary(const std::string& text, Dialect dialect, ProgramOptions options = {}) {
  std::string lines;
  for (const Diagnostic& one : diagnostics(Program(text, std::move(options)), dialect)) {
    const char* const severity = one.severity == Diagnostic::Severity::error     ? "error"
                                 : one.severity == Diagnostic::Severity::warning ? "warning"
                                                                                 : "note";
    lines += std::to_string(one.line) + ":" + std::to_string(one.column) + " " + severity + "\n";
  }
  return lines;
}

TEST(Diagnostics, of_a_right_program_are_none) {
  for (const Dialect dialect : kDialects)
    EXPECT_EQ(summary("kernel void f(global float *x) { x[get_global_id(0)] = sqrt(2.0f); }", dialect), "");
}

TEST(Diagnostics, are_those_of_each_function) {
  const char* const text =
      "kernel void f(global float *x) {\n"
      "  x[0] = y;\n"
      "}\n"
      "kernel void g(global float *x) {\n"
      "  x[0] = 1\n"
      "}\n"
      "kernel void h(global float *x) { x[0] = 2; }\n";
  for (const Dialect dialect : kDialects) EXPECT_EQ(summary(text, dialect), "2:10 error\n5:11 error\n");
}

TEST(Diagnostics, of_functions_are_left_out_where_declarations_have_errors) {
  const char* const text =
      "struct S { int a; int a; };\n"
      "kernel void f(global int *x) { x[0] = y; }\n"
      "int g(int a, int a) { return a; }\n";
  for (const Dialect dialect : kDialects) {
    const std::string found = summary(text, dialect);
    EXPECT_TRUE(found.starts_with("1:")) << found;
    EXPECT_EQ(found.find("\n2:"), std::string::npos) << found;
  }
}

TEST(Diagnostics, of_an_unknown_type_are_those_of_targets_without_a_compiler_of_their_own) {
  const char* const text = "kernel void f(global number *x) { }\n";
  EXPECT_EQ(summary(text, Dialect::host_c), "1:22 error\n");
  EXPECT_EQ(summary(text, Dialect::cuda_cpp), "1:22 error\n");
  EXPECT_EQ(summary(text, Dialect::opencl_c), "");
}

TEST(Diagnostics, include_the_call_graph) {
  for (const Dialect dialect : kDialects)
    EXPECT_EQ(summary("int f(int);\nkernel void g(global int *x) { x[0] = f(1); }", dialect), "2:39 error\n");
}

TEST(Diagnostics, of_the_preprocessor_are_among_them) {
  for (const Dialect dialect : kDialects) {
    EXPECT_EQ(summary("#error no\nkernel void f() {}", dialect), "1:2 error\n");
    EXPECT_EQ(summary("#warning hm\nkernel void f() {}", dialect), "1:2 warning\n");
  }
}

TEST(Diagnostics, depend_on_the_target) {
  const char* const text =
      "#ifdef QUERN_CUDA\n"
      "kernel void f() { return 1; }\n"
      "#endif\n";
  EXPECT_EQ(summary(text, Dialect::host_c), "");
  EXPECT_EQ(summary(text, Dialect::opencl_c), "");
  EXPECT_TRUE(summary(text, Dialect::cuda_cpp).starts_with("2:")) << summary(text, Dialect::cuda_cpp);
}

TEST(Diagnostics, of_what_only_the_devices_compiler_supports_are_those_of_other_targets) {
  const char* const text =
      "kernel void f(read_only image2d_t i, global float4 *x) {\n"
      "  x[0] = read_imagef(i, (int2)(0, 0));\n"
      "}\n";
  EXPECT_EQ(summary(text, Dialect::opencl_c), "");
  EXPECT_NE(summary(text, Dialect::host_c), "");
  EXPECT_NE(summary(text, Dialect::cuda_cpp), "");
}

TEST(Diagnostics, of_complex_programs_are_found) {
  const char* const text =
      "#pragma quern complex\n"
      "kernel void f(global complex64 *x) { x[0] = x[0] * y; }\n";
  for (const Dialect dialect : kDialects) EXPECT_EQ(summary(text, dialect), "2:52 error\n");
}

TEST(Diagnostics, hint_at_the_other_language) {
  const std::string found = summary("__global__ void f(float *x) { x[threadIdx.x] = 1; }", Dialect::host_c);
  EXPECT_TRUE(found.ends_with("note\n")) << found;
}

TEST(Diagnostics, of_cuda_c_are_those_of_the_preprocessor) {
  ProgramOptions options;
  options.language = Language::cuda_c;
  EXPECT_EQ(summary("__global__ void f(float *x) { x[threadIdx.x] = 1; }", Dialect::cuda_cpp, options), "");
  EXPECT_EQ(summary("#error no", Dialect::cuda_cpp, options), "1:2 error\n");
}

TEST(Diagnostics, can_be_asked_for_again_and_leave_the_program_usable) {
  const Program program("kernel void f(global int *x) { x[0] = 1; }");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(diagnostics(program, Dialect::host_c).empty());
  EXPECT_NE(program.lowered_source(Dialect::host_c).find("quern_kernel_f"), std::string::npos);
  EXPECT_EQ(program.kernel_names(), std::vector<std::string>{"f"});
}

}  // namespace
}  // namespace quern::test
