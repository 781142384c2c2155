// SPDX-License-Identifier: MIT
// Errors and warnings of names and types, with their file, line and column.
#include <gtest/gtest.h>

#include "frontend/errors.hpp"

namespace quern::frontend {
namespace {

using test::error_of;
using test::in_kernel;
using test::position;

TEST(CheckErrors, name_an_undeclared_identifier) {
  EXPECT_EQ(error_of(in_kernel("  a[0] = b + 1;")), "kernel.cl:2:10: use of undeclared identifier 'b'");
}

TEST(CheckErrors, name_an_undeclared_function) {
  EXPECT_EQ(error_of(in_kernel("  a[0] = sine(1.0f);")),
            "kernel.cl:2:10: call of undeclared function 'sine'");
}

TEST(CheckErrors, count_arguments) {
  EXPECT_EQ(error_of("int g(int a, int b) { return a + b; }\n" + in_kernel("a[0] = g(1);")),
            "kernel.cl:3:8: 'g' takes 2 arguments but was given 1");
  EXPECT_EQ(error_of(in_kernel("a[0] = sqrt(1.0f, 2.0f);")),
            "kernel.cl:2:8: 'sqrt' takes 1 argument but was given 2");
}

TEST(CheckErrors, name_a_missing_member) {
  EXPECT_EQ(error_of("struct s { int p; };\n" + in_kernel("struct s v; v.q = 1;")),
            "kernel.cl:3:15: 'struct s' has no member 'q'");
  EXPECT_EQ(error_of(in_kernel("float2 v; v.z = 1;")), "kernel.cl:2:13: 'float2' has no component '.z'");
}

TEST(CheckErrors, refuse_to_change_what_is_const) {
  EXPECT_EQ(error_of(in_kernel("const int n = 1;\nn = 2;")),
            "kernel.cl:3:3: cannot assign to 'n', which is const");
  EXPECT_EQ(error_of(in_kernel("x[0] += 2;")), "kernel.cl:2:6: cannot assign to a const float");
  EXPECT_EQ(error_of("constant int t[2] = {1, 2};\n" + in_kernel("t[0]++;")),
            "kernel.cl:3:5: cannot assign to a const int");
}

TEST(CheckErrors, refuse_values_that_do_not_fit) {
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

TEST(CheckErrors, name_what_is_not_supported_yet) {
  EXPECT_EQ(error_of("kernel void f(read_only image2d_t i) {}"),
            "kernel.cl:1:35: a parameter of type image2d_t is not supported on the host device yet");
}

TEST(CheckErrors, hold_local_variables_to_the_body_of_a_kernel) {
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

TEST(CheckErrors, warn_where_an_integer_meets_a_floating_function) {
  Source source;
  source.text = in_kernel("a[0] = sqrt(a[1]);");
  const Lowered lowered = lower_to_c(source);
  ASSERT_EQ(lowered.warnings.size(), 1U);
  EXPECT_EQ(position(lowered.warnings[0]), "kernel.cl:2:8");
}

}  // namespace
}  // namespace quern::frontend
