// SPDX-License-Identifier: MIT
// The rows themselves: each is a signature, has texts for all that it takes, and is there once.
#include "quern/registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace quern::test {
namespace {

using registry::Function;
using registry::Parameter;

TEST(Registry, every_row_can_be_read_and_is_documented) {
  for (const Function& function : registry::functions()) {
    SCOPED_TRACE(std::string(function.name));
    EXPECT_NO_THROW(registry::parameters_of(function));
    EXPECT_NE(function.call, nullptr);
    const std::string text = registry::documentation_of(function);
    EXPECT_EQ(text.find("    \n"), std::string::npos) << "a parameter or the result has no text";
    EXPECT_NE(text.find("\nExamples\n"), std::string::npos);
    const std::string_view summary = function.summary;
    EXPECT_TRUE(!summary.empty() && summary.back() == '.' && summary.size() <= 110);
  }
}

TEST(Registry, documentation_of_a_method_leaves_the_array_out) {
  const Function& sum = *registry::find_function("sum");
  EXPECT_NE(registry::documentation_of(sum).find("\na : "), std::string::npos);
  const std::string text = registry::documentation_of(sum, "sum", true);
  EXPECT_EQ(text.find("\na : "), std::string::npos);
  EXPECT_NE(text.find("----------\naxis : "), std::string::npos);
  // A method without parameters has no section for them.
  const Function& nonzero = *registry::find_function("nonzero");
  EXPECT_EQ(registry::documentation_of(nonzero, "nonzero", true).find("Parameters"), std::string::npos);
}

TEST(Registry, examples_call_the_function_by_the_name_that_was_asked_for) {
  const Function& arccos = *registry::find_function("arccos");
  EXPECT_NE(registry::documentation_of(arccos).find("qn.arccos("), std::string::npos);
  EXPECT_NE(registry::documentation_of(arccos, "acos").find("print(qn.acos([0.0, 1.0]))"), std::string::npos);
  const Function& sum = *registry::find_function("sum");
  EXPECT_NE(registry::documentation_of(sum, "sum", true).find("print(x.sum(), x.sum(axis=0))"),
            std::string::npos);
  const Function& take = *registry::find_function("take");
  EXPECT_NE(registry::documentation_of(take, "take", true).find("qn.asarray([10, 20, 30]).take([2, 0])"),
            std::string::npos);
}

TEST(Registry, no_name_is_there_twice) {
  std::set<std::string> names;
  for (const Function& function : registry::functions())
    for (const std::string& name : registry::names_of(function))
      EXPECT_TRUE(names.insert(name).second) << name;
  EXPECT_EQ(registry::find_function("acos"), registry::find_function("arccos"));
  EXPECT_EQ(registry::find_function("no_such_function"), nullptr);
}

TEST(Registry, functions_of_two_operands_have_methods) {
  const Function* const row = registry::find_method(*registry::find_function("bitwise_xor"), "reduce");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->name, "bitwise_xor.reduce");
  for (const std::string_view name : {"reduce", "accumulate", "reduceat", "outer", "at"}) {
    const Function* const method = registry::find_method(*registry::find_function("add"), name);
    ASSERT_NE(method, nullptr);
    EXPECT_NO_THROW(registry::parameters_of(*method));
    EXPECT_EQ(registry::documentation_of(*method).find("    \n"), std::string::npos) << name;
  }
  EXPECT_EQ(registry::find_method(*registry::find_function("sin"), "reduce"), nullptr);
  EXPECT_NE(registry::find_method(*registry::find_function("sin"), "at"), nullptr);
  EXPECT_EQ(registry::find_method(*registry::find_function("sum"), "reduce"), nullptr);
  EXPECT_EQ(registry::find_method(*registry::find_function("add"), "sum"), nullptr);
}

TEST(Registry, signatures_are_read_as_python_writes_them) {
  const Function* const sum = registry::find_function("sum");
  ASSERT_NE(sum, nullptr);
  const std::vector<Parameter> parameters = registry::parameters_of(*sum);
  ASSERT_EQ(parameters.size(), 7U);
  EXPECT_TRUE(parameters[0].is_required);
  EXPECT_EQ(parameters[1].name, "axis");
  EXPECT_TRUE(registry::includes(parameters[1].takes, registry::Takes::integers));
  EXPECT_TRUE(registry::includes(parameters[1].takes, registry::Takes::nothing));
  EXPECT_EQ(std::get<bool>(parameters[4].preset), false);
  const std::vector<Parameter> hypot = registry::parameters_of(*registry::find_function("hypot"));
  EXPECT_EQ(hypot[0].passed, Parameter::Passed::by_position);
  EXPECT_EQ(hypot[2].passed, Parameter::Passed::either);
  EXPECT_EQ(hypot[3].passed, Parameter::Passed::by_name);
  EXPECT_EQ(
      registry::stub_of(*registry::find_function("count_nonzero"), "count_nonzero", false),
      "def count_nonzero(a: Array | npt.ArrayLike, axis: int | Sequence[int] | None = None, *, keepdims: "
      "bool = False) -> Array");
}

}  // namespace
}  // namespace quern::test
