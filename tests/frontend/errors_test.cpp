// SPDX-License-Identifier: MIT
// Errors of the front end, in the user's file, line and column.
#include <gtest/gtest.h>

#include "frontend/diagnostics.hpp"
#include "frontend/frontend.hpp"

namespace quern::frontend {
namespace {

std::string position(const Diagnostic& d) {
  return d.file + ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
}

// "file:line:column: text" of the first error; empty when there is none.
std::string error_of(const std::string& code) {
  Source source;
  source.text = code;
  try {
    (void)lower_to_c(source);
  } catch (const BuildError& error) {
    return position(error.diagnostics().at(0)) + ": " + error.diagnostics().at(0).text;
  }
  return "";
}

std::string in_kernel(const std::string& body) {
  return "kernel void f(global int *a, global const float *x) {\n" + body + "\n}";
}

TEST(Errors, name_an_undeclared_identifier) {
  EXPECT_EQ(error_of(in_kernel("  a[0] = b + 1;")), "kernel.cl:2:10: use of undeclared identifier 'b'");
}

TEST(Errors, name_an_undeclared_function) {
  EXPECT_EQ(error_of(in_kernel("  a[0] = sine(1.0f);")),
            "kernel.cl:2:10: call of undeclared function 'sine'");
}

TEST(Errors, count_arguments) {
  EXPECT_EQ(error_of("int g(int a, int b) { return a + b; }\n" + in_kernel("a[0] = g(1);")),
            "kernel.cl:3:8: 'g' takes 2 arguments but was given 1");
  EXPECT_EQ(error_of(in_kernel("a[0] = sqrt(1.0f, 2.0f);")),
            "kernel.cl:2:8: 'sqrt' takes 1 argument but was given 2");
}

TEST(Errors, name_a_missing_member) {
  EXPECT_EQ(error_of("struct s { int p; };\n" + in_kernel("struct s v; v.q = 1;")),
            "kernel.cl:3:15: 'struct s' has no member 'q'");
  EXPECT_EQ(error_of(in_kernel("float2 v; v.z = 1;")), "kernel.cl:2:13: 'float2' has no component '.z'");
}

TEST(Errors, refuse_to_change_what_is_const) {
  EXPECT_EQ(error_of(in_kernel("const int n = 1;\nn = 2;")),
            "kernel.cl:3:3: cannot assign to 'n', which is const");
  EXPECT_EQ(error_of(in_kernel("x[0] += 2;")), "kernel.cl:2:6: cannot assign to a const float");
  EXPECT_EQ(error_of("constant int t[2] = {1, 2};\n" + in_kernel("t[0]++;")),
            "kernel.cl:3:5: cannot assign to a const int");
}

TEST(Errors, show_what_is_missing_where_the_line_ends) {
  EXPECT_EQ(error_of(in_kernel("int i = 1\na[0] = i;")), "kernel.cl:2:10: expected ';' after a declaration");
  EXPECT_EQ(error_of("kernel void f(global int *a) { a[0] = 1;"), "kernel.cl:1:30: this '{' has no '}'");
}

TEST(Errors, refuse_values_that_do_not_fit) {
  EXPECT_EQ(error_of(in_kernel("float4 v = (float4)(1, 2, 3);")),
            "kernel.cl:2:12: a 'float4' needs 4 components but has 3");
  EXPECT_EQ(error_of(in_kernel("int4 v = (float4)(1);")),
            "kernel.cl:2:10: cannot convert 'float4' to 'int4' for an initialiser; use convert_int4()");
  EXPECT_EQ(error_of(in_kernel("a[0] = x % 2;")),
            "kernel.cl:2:10: '%' cannot be applied to '__global const float*' and 'int'");
  EXPECT_EQ(error_of(in_kernel("break;")), "kernel.cl:2:1: 'break' outside a loop");
  EXPECT_EQ(error_of(in_kernel("goto end;")), "kernel.cl:2:6: label 'end' is not defined");
  EXPECT_EQ(error_of(in_kernel("int i = 1; int i = 2;")), "kernel.cl:2:16: 'i' is declared twice");
  EXPECT_EQ(error_of("kernel int f() { return 1; }"), "kernel.cl:1:12: kernel 'f' must return void");
  EXPECT_EQ(error_of("kernel void f(float *a) { }"),
            "kernel.cl:1:22: parameter 'a' of a kernel must point to global, constant or local memory");
}

TEST(Errors, name_what_is_not_supported_yet) {
  EXPECT_EQ(error_of("kernel void f(read_only image2d_t i) {}"),
            "kernel.cl:1:35: a parameter of type image2d_t is not supported on the host device yet");
}

TEST(Errors, hold_local_variables_to_the_body_of_a_kernel) {
  const std::string place =
      "a variable in local memory must be declared in a kernel, outside its inner blocks";
  EXPECT_EQ(error_of(in_kernel("{ local float t[4]; }")), "kernel.cl:2:15: " + place);
  EXPECT_EQ(error_of("void g() { local int t; }"), "kernel.cl:1:22: " + place);
  EXPECT_EQ(error_of(in_kernel("local int t = 1;")),
            "kernel.cl:2:13: a variable in local memory cannot be initialised");
  EXPECT_EQ(error_of(in_kernel("barrier();")), "kernel.cl:2:1: 'barrier' takes 1 argument but was given 0");
  EXPECT_EQ(error_of("kernel void g(global int *a) { local int t; t = a[0]; }\n"
                     "kernel void f(global int *a) { g(a); }"),
            "kernel.cl:2:32: a call of kernel 'g', which has variables in local memory, is not supported on "
            "the host device yet");
}

TEST(Errors, follow_line_directives) {
  EXPECT_EQ(error_of("#line 40 \"other.cl\"\nkernel void f() { oops; }"),
            "other.cl:40:19: use of undeclared identifier 'oops'");
}

TEST(Errors, of_a_macro_are_where_it_is_used) {
  EXPECT_EQ(error_of("#define BAD (1 +* 2)\n\n" + in_kernel("a[0] = BAD;")),
            "kernel.cl:4:8: cannot dereference 'int', which is not a pointer");
}

TEST(Errors, show_the_line_and_a_caret) {
  Source source;
  source.text = "kernel void f(global int *a) {\n\ta[0] = b;\n}\n";
  try {
    (void)lower_to_c(source);
    FAIL();
  } catch (const BuildError& error) {
    EXPECT_EQ(std::string(error.what()),
              "kernel.cl:2:9: error: use of undeclared identifier 'b'\n"
              "  1 | kernel void f(global int *a) {\n"
              "  2 | \ta[0] = b;\n"
              "      \t       ^\n"
              "  3 | }\n");
  }
}

TEST(Errors, warn_where_an_integer_meets_a_floating_function) {
  Source source;
  source.text = in_kernel("a[0] = sqrt(a[1]);");
  const Lowered lowered = lower_to_c(source);
  ASSERT_EQ(lowered.warnings.size(), 1U);
  EXPECT_EQ(position(lowered.warnings[0]), "kernel.cl:2:8");
}

TEST(ParseLog, reads_gcc_clang_and_pocl) {
  const auto found = parse_log(
      "In file included from x:\nkernel.cl:3:7: error: 'q' undeclared (first use in this function)\n"
      "kernel.cl:4:1: warning: unused variable [-Wunused]\n/tmp/a b.cl:12:5: fatal error: no\nnothing: "
      "here\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(position(found[0]), "kernel.cl:3:7");
  EXPECT_EQ(found[0].text, "'q' undeclared (first use in this function)");
  EXPECT_EQ(found[1].severity, Diagnostic::Severity::warning);
  EXPECT_EQ(found[2].file, "/tmp/a b.cl");
}

TEST(ParseLog, reads_messages_that_begin_with_their_severity) {
  const auto found = parse_log(
      "error: kernel.cl:3:10: use of undeclared identifier 'q'\n"
      "error: kernel.cl:1:54 <Spelling=/lib/renames.h:182:24>: call to 'sin' is ambiguous\n"
      "Device x failed to build the program\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(position(found[0]), "kernel.cl:3:10");
  EXPECT_EQ(found[0].text, "use of undeclared identifier 'q'");
  EXPECT_EQ(position(found[1]), "kernel.cl:1:54");
  EXPECT_EQ(found[1].text, "call to 'sin' is ambiguous");
}

TEST(ParseLog, reads_nvrtc_and_nvidia_opencl) {
  const auto found = parse_log(
      "kernel.cl(12): error: identifier \"q\" is undefined\n  x = q;\n      ^\nkernel.cl(3): warning #177-D: "
      "variable was declared\n"
      "<kernel>:5:9: error: use of undeclared identifier 'q'\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].line, 12);
  EXPECT_EQ(found[0].text, "identifier \"q\" is undefined");
  EXPECT_EQ(found[1].severity, Diagnostic::Severity::warning);
  EXPECT_EQ(position(found[2]), "<kernel>:5:9");
}

TEST(BuildErrorOfALog, shows_the_source_or_else_the_whole_log) {
  const BuildError error = build_error("a device", "k.cl", "one\ntwo\n", "<kernel>:2:1: error: bad\n", "-O3");
  EXPECT_NE(std::string(error.what()).find("k.cl:2:1: error: bad\n  1 | one\n  2 | two\n      ^"),
            std::string::npos)
      << error.what();
  EXPECT_EQ(error.options(), "-O3");
  EXPECT_NE(std::string(build_error("d", "k.cl", "", "it went wrong", "").what()).find("it went wrong"),
            std::string::npos);
}

constexpr const char* kInParts = "top\n#line 1 \"opera \\\"tion\"\nint y;\ny + z;\n#line 7 \"rest\"\nend\n";

TEST(BuildErrorOfALog, finds_the_lines_of_a_compiler_that_heeds_no_line_directives) {
  const BuildError error =
      build_error("d", "k.cl", kInParts, "<kernel>:4:5: error: no z\n<kernel>:1:1: error: bad\n", "");
  ASSERT_EQ(error.diagnostics().size(), 2U);
  EXPECT_EQ(position(error.diagnostics()[0]), "opera \"tion:2:5");
  EXPECT_EQ(position(error.diagnostics()[1]), "k.cl:1:1");
}

TEST(BuildErrorOfALog, shows_the_part_that_a_line_directive_names) {
  const std::string what = build_error("d", "k.cl", kInParts, "opera \"tion:2:5: error: no z\n", "").what();
  EXPECT_NE(what.find("error: no z\n  1 | int y;\n  2 | y + z;\n          ^\n"), std::string::npos) << what;
  EXPECT_EQ(what.find("end"), std::string::npos) << what;
}

TEST(BuildErrorOfALog, tells_once_of_a_text_that_was_compiled_twice) {
  const std::string log = "part:2:5: error: no z\npart:2:25: error: no z\npart:2:5: error: no y\n";
  EXPECT_EQ(build_error("d", "k.cl", "", log, "").diagnostics().size(), 2U);
}

TEST(Errors, show_the_part_that_a_line_directive_names) {
  Source source;
  source.text = "kernel void k(global int *a) {\n#line 1 \"operation\"\na[0] =\n  z;\n#line 3 \"rest\"\n}\n";
  try {
    lower_to_c(source);
    FAIL();
  } catch (const BuildError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "operation:2:3: error: use of undeclared identifier 'z'\n  1 | a[0] =\n  2 |   z;\n        ^\n");
  }
}

}  // namespace
}  // namespace quern::frontend
