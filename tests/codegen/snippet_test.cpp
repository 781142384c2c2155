// SPDX-License-Identifier: MIT
// Which operands a user's snippet reads and writes.
#include "codegen/snippet.hpp"

#include <gtest/gtest.h>

#include "quern/error.hpp"

namespace quern::codegen {
namespace {

ElementUse use_of(const char* text, const char* operand, Snippet::Form form = Snippet::Form::indexed) {
  return Snippet(text, form, "operation").use_of(operand);
}

TEST(Snippet, reads_and_writes_are_told_apart) {
  const char* const text = "z[i] = x[i] + 1; y[i] += z[i]; ++w[i]";
  EXPECT_TRUE(use_of(text, "x").reads);
  EXPECT_FALSE(use_of(text, "x").writes);
  EXPECT_TRUE(use_of(text, "z").writes && use_of(text, "z").reads && use_of(text, "z").assigns_first);
  EXPECT_TRUE(use_of(text, "y").writes && use_of(text, "y").reads);
  EXPECT_FALSE(use_of(text, "y").assigns_first);
  EXPECT_TRUE(use_of(text, "w").writes);
  EXPECT_FALSE(use_of("if (z[i] == 3) x[i] = 0", "z").writes);
}

TEST(Snippet, only_a_certain_assignment_saves_the_load) {
  for (const char* text :
       {"if (c) z[i] = 1", "for (;;) z[i] = 1", "if (c) { z[i] = 1; }", "if (c) continue; z[i] = 1",
        "z[i] = z[i] + 1", "a = c ? z[i] : 0; z[i] = 1", "z[i].x = 1", "c && (z[i] = 1)"})
    EXPECT_FALSE(use_of(text, "z").assigns_first) << text;
  for (const char* text : {"z[i] = 1", "int t = 2; z[i] = t; if (t) z[i] = 3", "if (c) { t = 1; } z[i] = t"})
    EXPECT_TRUE(use_of(text, "z").assigns_first) << text;
}

TEST(Snippet, a_pointer_that_is_compared_is_told_from_its_elements) {
  const auto compares = [](const char* text) {
    return Snippet(text, Snippet::Form::indexed, "predicate").compares("x");
  };
  EXPECT_TRUE(compares("x > 0"));
  EXPECT_TRUE(compares("0 < (x)"));
  EXPECT_TRUE(compares("i > 2 && x"));
  EXPECT_TRUE(compares("(x)"));
  EXPECT_FALSE(compares("x[i] > 0 && x[0] < 3"));
  EXPECT_FALSE(compares("*x > 0"));
  EXPECT_FALSE(compares("found(x, i) != 0"));
  EXPECT_FALSE(compares("y > p.x"));
}

TEST(Snippet, another_subscript_or_an_address_needs_the_pointer) {
  for (const char* text : {"y = x[i + 1]", "y = x[i] + x[0]", "f(x)", "f(&x[i])",
                           "for (int i = 0; i < 3; i++) y += x[i]", "i++; y = x[i]", "*x = 1"})
    EXPECT_TRUE(use_of(text, "x").needs_pointer) << text;
  for (const char* text : {"y = x[i]", "y = p.x + x[i]", "y = a & x[i]", "y = x[ i ]"})
    EXPECT_FALSE(use_of(text, "x").needs_pointer) << text;
}

TEST(Snippet, members_and_swizzles_read_and_write_their_element) {
  EXPECT_TRUE(use_of("p[i].x = 1", "p").writes && use_of("p[i].x = 1", "p").reads);
  EXPECT_TRUE(use_of("p[i].m[3].y += 1", "p").writes);
  EXPECT_FALSE(use_of("y = p[i].m[3].y", "p").writes);
}

TEST(Snippet, rewriting_keeps_lines_and_everything_else) {
  const Snippet snippet("z[i] =\n  x[i] /* old */ + p.x; // done", Snippet::Form::indexed, "operation");
  EXPECT_EQ(snippet.rewritten([](std::string_view name) { return name == "x" ? "v[k]" : ""; }),
            "z[i] =\nv[k] + p.x;");
}

TEST(Snippet, names_are_elements_in_cupys_form) {
  const auto use = use_of("z = x + p.x", "x", Snippet::Form::named);
  EXPECT_TRUE(use.reads && !use.writes && !use.needs_pointer);
  EXPECT_TRUE(use_of("z = x", "z", Snippet::Form::named).assigns_first);
}

TEST(Snippet, what_cannot_be_put_into_a_loop_is_refused) {
  for (const char* text : {"return;", "x[i] = (1", "x[i] = 1}", "x[i) = 1"})
    EXPECT_THROW(Snippet(text, Snippet::Form::indexed, "operation"), ArgumentError) << text;
}

}  // namespace
}  // namespace quern::codegen
