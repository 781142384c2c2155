// SPDX-License-Identifier: MIT
// Arguments of generated kernels and the preamble that defines their types.
#include "codegen/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "frontend/stages.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
namespace {

frontend::Source source_of(std::string text) {
  frontend::Source source;
  source.text = std::move(text);
  source.file = "preamble";
  return source;
}

constexpr const char* kText = R"(
#define ELEMENT double
#define OTHER(x) ((x) + shift)
#if 0
#define NOT_TAKEN 1
#endif
typedef struct { float x, y; } point;
)";

TEST(Preamble, is_preprocessed_once_for_all_arguments_and_types) {
  const std::uint64_t before = frontend::stage_counts().preprocess;
  const Preamble preamble(source_of(kText));
  const std::vector<Argument> first = parse_arguments("const ELEMENT *a, point *p", preamble);
  const std::vector<Argument> second = parse_arguments("complex64 *z, int n", preamble);
  const DType point = type_called("point", preamble);
  const frontend::Macros& macros = preamble.macros();
  EXPECT_EQ(frontend::stage_counts().preprocess - before, 1U);

  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].parameter.dtype.scalar, Scalar::float64);
  EXPECT_TRUE(first[0].parameter.is_const);
  EXPECT_EQ(first[1].parameter.dtype.itemsize, 8U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].parameter.dtype.scalar, Scalar::complex64);
  EXPECT_FALSE(second[1].parameter.is_pointer);
  ASSERT_TRUE(point.layout);
  EXPECT_EQ(point.layout->fields.size(), 2U);
  for (const char* name : {"ELEMENT", "OTHER", "NOT_TAKEN"})
    EXPECT_NE(std::ranges::find(macros.names, name), macros.names.end()) << name;
  EXPECT_NE(std::ranges::find(macros.mentioned, "shift"), macros.mentioned.end());
}

TEST(Preamble, macros_of_an_argument_list_do_not_pass_to_the_next_one) {
  const Preamble preamble(source_of("#define PAIR(a) a##2\n"));
  for (int round = 0; round < 2; ++round) {
    const std::vector<Argument> arguments = parse_arguments("PAIR(float) x", preamble);
    ASSERT_EQ(arguments.size(), 1U);
    EXPECT_EQ(arguments[0].parameter.dtype.lanes, 2);
  }
}

TEST(Preamble, errors_name_the_preamble_or_the_arguments) {
  try {
    const Preamble preamble(source_of("\n#if 1\n"));
    FAIL() << "the preamble has no #endif";
  } catch (const BuildError& error) {
    ASSERT_FALSE(error.diagnostics().empty());
    EXPECT_EQ(error.diagnostics()[0].file, "preamble");
    EXPECT_EQ(error.diagnostics()[0].line, 2);
  }
  const Preamble preamble(source_of("#define TWO(a, b) a\n"));
  try {
    (void)parse_arguments("TWO(float) x", preamble);
    FAIL() << "the macro takes two arguments";
  } catch (const BuildError& error) {
    ASSERT_FALSE(error.diagnostics().empty());
    EXPECT_EQ(error.diagnostics()[0].file, "arguments");
    EXPECT_EQ(error.diagnostics()[0].line, 1);
  }
}

}  // namespace
}  // namespace quern::codegen
