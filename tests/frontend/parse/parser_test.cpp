// SPDX-License-Identifier: MIT
// Errors of the syntax, with their file, line and column.
#include <gtest/gtest.h>

#include "frontend/errors.hpp"

namespace quern::frontend {
namespace {

using test::error_of;
using test::in_kernel;

TEST(SyntaxErrors, show_what_is_missing_where_the_line_ends) {
  EXPECT_EQ(error_of(in_kernel("int i = 1\na[0] = i;")), "kernel.cl:2:10: expected ';' after a declaration");
  EXPECT_EQ(error_of("kernel void f(global int *a) { a[0] = 1;"), "kernel.cl:1:30: this '{' has no '}'");
}

}  // namespace
}  // namespace quern::frontend
