// SPDX-License-Identifier: MIT
// How errors are shown: their positions in the user's files, the lines around them, and logs of other
// compilers.
#include "frontend/diagnostics.hpp"

#include <gtest/gtest.h>

#include "frontend/errors.hpp"
#include "frontend/frontend.hpp"

namespace quern::frontend {
namespace {

using test::error_of;
using test::in_kernel;
using test::position;

TEST(ErrorPositions, follow_line_directives) {
  EXPECT_EQ(error_of("#line 40 \"other.cl\"\nkernel void f() { oops; }"),
            "other.cl:40:19: use of undeclared identifier 'oops'");
}

TEST(ErrorPositions, of_a_macro_are_where_it_is_used) {
  EXPECT_EQ(error_of("#define BAD (1 +* 2)\n\n" + in_kernel("a[0] = BAD;")),
            "kernel.cl:4:8: cannot dereference 'int', which is not a pointer");
}

TEST(ErrorPositions, show_the_line_and_a_caret) {
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

TEST(ErrorPositions, show_the_part_that_a_line_directive_names) {
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
