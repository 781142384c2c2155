// SPDX-License-Identifier: MIT
// Building OpenCL programs: logs, options, signatures, binaries.
#include <algorithm>

#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

CompileRequest request(std::string text, std::vector<std::string> options = {}) {
  CompileRequest made;
  made.text = std::move(text);
  made.name = "mine.cl";
  made.options = std::move(options);
  return made;
}

TEST_F(OpenCL, a_build_error_has_the_log_with_the_authors_file_and_line) {
  try {
    (void)context->compile(0, request("kernel void f(global int* a) {\n  a[0] = nowhere;\n}\n", {"-DX=1"}));
    FAIL() << "it was built";
  } catch (const BuildError& error) {
    EXPECT_NE(error.log().find("nowhere"), std::string::npos) << error.log();
    EXPECT_NE(error.log().find("mine.cl:2"), std::string::npos) << error.log();
    EXPECT_NE(error.options().find("-DX=1"), std::string::npos) << error.options();
    EXPECT_NE(error.device().find(setup()->device->properties().name), std::string::npos);
  }
}

TEST_F(OpenCL, warnings_are_kept) {
  // A text that is new each time: NVIDIA's driver has a cache of its own, and says nothing of what it finds
  // there.
  const std::string now = std::to_string(Clock::now().time_since_epoch().count());
  const auto compiled = context->compile(
      0, request("#warning mind the gap\nkernel void f(global long* a) { a[0] = " + now + "; }"));
  EXPECT_NE(compiled.log.find("mind the gap"), std::string::npos) << compiled.log;
}

TEST_F(OpenCL, an_unknown_option_is_a_build_error) {
  EXPECT_THROW(
      (void)context->compile(0, request("kernel void f(global int* a) { a[0] = 1; }", {"-no-such-option"})),
      BuildError);
}

TEST_F(OpenCL, options_with_line_breaks_or_nuls_are_refused) {
  const std::string text = "kernel void f(global int* a) { a[0] = 1; }";
  EXPECT_THROW((void)context->compile(0, request(text, {"-DX=1\n-DY"})), ArgumentError);
  EXPECT_THROW((void)context->compile(0, request(text, {std::string("-DX\0", 4)})), ArgumentError);
}

TEST_F(OpenCL, a_define_may_hold_spaces) {
  const auto compiled =
      context->compile(0, request("kernel void f(global int* a) { a[get_global_id(0)] = VALUE * TWO; }",
                                  {"-DVALUE=(3 + 4)", "-D TWO=2"}));
  auto a = upload(std::vector<int>(64));
  const Argument arguments[] = {memory(*a)};
  queue->launch(*compiled.module->function("f", nullptr), range(64, 64), arguments);
  EXPECT_EQ(download<int>(*a)[5], 14);
}

TEST_F(OpenCL, a_program_can_be_built_for_debugging) {
  CompileRequest debug = request("kernel void f(global int* a) { a[get_global_id(0)] = 3; }");
  debug.debug = true;
  EXPECT_NE(context->compile(0, debug).module, nullptr);
}

TEST_F(OpenCL, other_languages_are_refused) {
  CompileRequest cuda = request("__global__ void f() {}");
  cuda.dialect = Dialect::cuda_cpp;
  EXPECT_THROW((void)context->compile(0, cuda), ArgumentError);
}

TEST_F(OpenCL, a_program_lists_its_kernels) {
  auto names = module->function_names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"add", "reverse", "shapes", "spin", "tell", "times"}));
  EXPECT_EQ(module->global("add"), nullptr);
  try {
    (void)module->function("missing", nullptr);
    FAIL() << "there is one";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("reverse"), std::string::npos) << error.what();
  }
}

TEST_F(OpenCL, signatures_are_known_from_the_driver) {
  const auto add = module->signature_of("add");
  ASSERT_TRUE(add.has_value());
  ASSERT_EQ(add->parameters.size(), 3u);
  EXPECT_EQ(add->parameters[0].name, "a");
  EXPECT_EQ(add->parameters[0].type_name, "const int*");
  EXPECT_TRUE(add->parameters[0].is_pointer);
  EXPECT_TRUE(add->parameters[0].is_const);
  EXPECT_EQ(add->parameters[0].space, AddressSpace::global);
  EXPECT_EQ(add->parameters[0].dtype, dtype_of<std::int32_t>());
  EXPECT_FALSE(add->parameters[1].is_const);
  EXPECT_FALSE(add->parameters[2].is_pointer);
  EXPECT_EQ(add->parameters[2].space, AddressSpace::value);
  EXPECT_EQ(add->parameters[2].dtype, dtype_of<std::int32_t>());
  EXPECT_EQ(add->required_local, (std::array<std::size_t, 3>{0, 0, 0}));

  const auto reverse = module->signature_of("reverse");
  ASSERT_TRUE(reverse.has_value());
  EXPECT_EQ(reverse->parameters[1].space, AddressSpace::local);

  const auto shapes = module->signature_of("shapes");
  ASSERT_TRUE(shapes.has_value());
  EXPECT_EQ(shapes->parameters[0].dtype.scalar, Scalar::unknown);
  EXPECT_EQ(shapes->parameters[1].dtype, DType::of(Scalar::float64, 4));
  EXPECT_EQ(shapes->parameters[2].space, AddressSpace::constant);
  EXPECT_TRUE(shapes->parameters[2].is_const);
  EXPECT_EQ(shapes->parameters[3].dtype, dtype_of<std::uint8_t>());
}

TEST_F(OpenCL, attributes_are_those_of_the_device) {
  auto add = function("add");
  EXPECT_GE(add->attributes().max_work_group_size, 1u);
  EXPECT_LE(add->attributes().max_work_group_size, setup()->device->properties().max_work_group_size);
  EXPECT_GE(add->attributes().preferred_multiple, 1u);
}

TEST_F(OpenCL, a_binary_loads_and_runs) {
  const auto& binary = setup()->compiled.binary;
  ASSERT_FALSE(binary.empty());
  auto loaded = context->load(0, binary);
  auto a = upload(counting(64)), b = upload(counting(64));
  const int c = 5;
  const Argument arguments[] = {memory(*a), memory(*b), value(c)};
  queue->launch(*loaded->function("add", nullptr), range(64, 64), arguments);
  EXPECT_EQ(download<int>(*b), counting(64, 5));
}

TEST_F(OpenCL, a_damaged_binary_is_an_error) {
  const auto& good = setup()->compiled.binary;
  ASSERT_FALSE(good.empty());
  EXPECT_THROW((void)context->load(0, {}), Error);
  for (const std::size_t kept : {std::size_t{1}, std::size_t{40}, good.size() / 2, good.size() - 1}) {
    EXPECT_THROW((void)context->load(0, std::span(good).first(kept)), Error) << kept << " bytes";
  }
  for (std::size_t at = 0; at < good.size(); at += good.size() / 50 + 1) {
    auto bad = good;
    bad[at] ^= std::byte{0x10};
    EXPECT_THROW((void)context->load(0, bad), Error) << "byte " << at;
  }
}

TEST_F(OpenCL, the_compiler_has_an_identity) {
  const std::string identity = context->compiler_identity(0);
  EXPECT_NE(identity.find(setup()->device->properties().driver_version), std::string::npos) << identity;
  EXPECT_EQ(identity, context->compiler_identity(0));
}

}  // namespace
}  // namespace quern::backend::opencl_test
