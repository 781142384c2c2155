// SPDX-License-Identifier: MIT
// Placeholders in kernel texts.
#include "quern/template.hpp"

#include <gtest/gtest.h>

#include "quern/error.hpp"

namespace quern {
namespace {

TEST(Template, placeholders_become_their_values) {
  EXPECT_EQ(
      render("kernel void k(global {{T}} *x) { x[0] = ({{ T }}){{ n }}; }", {{"T", "float"}, {"n", "4"}}),
      "kernel void k(global float *x) { x[0] = (float)4; }");
  EXPECT_EQ(render("nothing", {}), "nothing");
}

TEST(Template, a_name_without_a_value_is_an_error_with_its_line) {
  try {
    render("one\ntwo {{ three }}", {});
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "template, line 2: 'three' has no value");
  }
}

TEST(Template, a_value_that_nothing_takes_and_an_open_placeholder_are_errors) {
  EXPECT_THROW(render("x", {{"T", "float"}}), ArgumentError);
  EXPECT_THROW(render("{{ T", {{"T", "float"}}), ArgumentError);
}

}  // namespace
}  // namespace quern
