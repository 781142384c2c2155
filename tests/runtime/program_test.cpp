// SPDX-License-Identifier: MIT
// Building, caching and reloading programs, on every device.
#include <chrono>
#include <string>

#include "runtime/device_fixture.hpp"
#include "runtime/program_entry.hpp"

namespace quern::test {
namespace {

class Programs : public EachDevice {};

constexpr const char* kScale = R"(
#ifndef FACTOR
#define FACTOR 2
#endif
kernel void scale(global int *x) { x[get_global_id(0)] *= FACTOR; }
)";

TEST_P(Programs, the_same_text_is_built_once) {
  const std::string text = std::string(kScale) + "// built once\n";
  const Program first(text);
  first.build(device_);
  const Stats before = stats();
  const Program second(text);
  second.build(device_);
  EXPECT_EQ(stats().compilations, before.compilations);
  EXPECT_EQ(stats().cache_hits_memory, before.cache_hits_memory + 1);
}

TEST_P(Programs, a_program_that_is_gone_is_not_built_again) {
  const std::string text = std::string(kScale) + "// comes and goes\n";
  Program(text).build(device_);
  const Stats before = stats();
  Program(text).build(device_);
  EXPECT_EQ(stats().compilations, before.compilations);
  EXPECT_EQ(stats().cache_hits_memory, before.cache_hits_memory + 1);
}

TEST_P(Programs, definitions_change_the_program) {
  for (const int factor : {3, 5}) {
    ProgramOptions options;
    options.defines.emplace_back("FACTOR", std::to_string(factor));
    const Array x = asarray(queue_, iota(10));
    Program(kScale, options).kernel("scale")(queue_, range(10), x);
    const auto values = x.to_vector<int>(queue_);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i * factor);
  }
}

TEST_P(Programs, a_binary_runs_again) {
  const std::vector<std::byte> binary = Program(kScale).binary(device_);
  const Program again = Program::from_binary(Context::of(device_), device_, binary);
  const Array x = asarray(queue_, iota(10));
  again.kernel("scale")(queue_, range(10), x);
  EXPECT_EQ(x.to_vector<int>(queue_)[9], 18);
  std::vector<std::byte> damaged(binary.begin(),
                                 binary.begin() + static_cast<std::ptrdiff_t>(binary.size() / 2));
  EXPECT_THROW((void)Program::from_binary(Context::of(device_), device_, damaged), Error);
}

TEST_P(Programs, errors_name_the_users_line) {
  const Program broken("kernel void f(global int *x)\n{\n  x[0] = undeclared;\n}\n");
  try {
    broken.build(device_);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const BuildError& error) {
    EXPECT_NE(std::string(error.what()).find("undeclared"), std::string::npos) << error.what();
    ASSERT_FALSE(error.diagnostics().empty()) << error.what();
    EXPECT_EQ(error.diagnostics().front().line, 3) << error.what();
    EXPECT_FALSE(error.device().empty());
  }
}

TEST_P(Programs, kernels_are_listed) {
  EXPECT_EQ(Program(kScale).kernel_names(), std::vector<std::string>{"scale"});
}

TEST_P(Programs, a_program_may_die_before_its_work_is_done) {
  const Array x = zeros(queue_, {4096}, dtype_of<int>());
  {
    const Program mortal(R"(
kernel void spin(global int *x, int rounds) {
  int i = get_global_id(0);
  uint h = i;
  for (int r = 0; r < rounds; r++) h = h * 1664525u + 1013904223u;
  x[i] = h == 12345u ? 2 : 1;
})");
    mortal.kernel("spin")(queue_, range(4096), x, 20000);
  }
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(4096, 1));
}

TEST_P(Programs, malformed_options_are_named) {
  ProgramOptions options;
  options.options = {"-D1x=2"};
  EXPECT_THROW(Program(kScale, options), ArgumentError);
}

constexpr const char* kReverse = R"(
kernel void reverse(global int *x, local int *tile) {
  const size_t i = get_local_id(0);
  tile[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tile[get_local_size(0) - 1 - i];
}
)";

void expect_reversed(const Queue& queue, const Kernel& kernel, std::size_t local) {
  const Array x = asarray(queue, iota(96));
  kernel(queue, range(96).with_local(local), x, LocalMemory{4 * local});
  const auto values = x.to_vector<int>(queue);
  for (std::size_t i = 0; i < 96; ++i) {
    const std::size_t group = i / local * local;
    ASSERT_EQ(values[i], static_cast<int>(group + local - 1 - (i - group))) << local;
  }
}

TEST_P(Programs, kernels_that_want_it_are_built_once_for_each_local_size) {
  // A text that no cache has seen.
  const std::string source =
      kReverse + ("\nconstant int unique_" +
                  std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + " = 1;\n");
  const Program program(source);
  const Kernel kernel = program.kernel("reverse");
  const bool wanted = kernel.attributes(device_).wants_fixed_local;
  for (const std::size_t local : {16, 32, 16, 8, 32}) expect_reversed(queue_, kernel, local);
  const Stats before = stats();
  for (const std::size_t local : {16, 32, 8}) {
    expect_reversed(queue_, kernel, local);
    expect_reversed(queue_, Program(source).kernel("reverse"), local);
  }
  EXPECT_EQ(stats().compilations, before.compilations);
  EXPECT_EQ(kernel.signature(device_).required_local[0], 0U);
  // A binary has no source to build again; it runs with any size.
  const Program binary = Program::from_binary(Context::of(device_), device_, program.binary(device_));
  expect_reversed(queue_, binary.kernel("reverse"), 24);
  EXPECT_EQ(stats().compilations, before.compilations);
  expect_reversed(queue_, kernel, 48);
  EXPECT_EQ(stats().compilations - before.compilations, wanted ? 1U : 0U);
}

TEST_P(Programs, threads_that_launch_a_new_local_size_build_it_once) {
  const Kernel kernel = Program(std::string(kReverse) + "// threads\n").kernel("reverse");
  expect_reversed(queue_, kernel, 8);
  const Stats before = stats();
  in_threads(8, [&](int) {
    const Queue mine(device_);
    expect_reversed(mine, kernel, 12);
  });
  EXPECT_LE(stats().compilations - before.compilations, 1U);
}

QUERN_EACH_DEVICE(Programs);

TEST(ProgramEntry, survives_the_way_through_bytes) {
  auto layout = std::make_shared<StructLayout>();
  layout->name = "particle";
  layout->fields = {{"mass", dtype_of<float>(), 0, 1}, {"position", DType::of(Scalar::float32, 3), 16, 2}};
  layout->size = 48;
  layout->alignment = 16;
  detail::ProgramEntry entry;
  entry.backend = "host";
  entry.lowered = true;
  entry.signatures = {
      {"f",
       {{"p", "struct particle*", DType::structure(layout), true, AddressSpace::global, true}},
       {8, 1, 1}}};
  entry.lowered_names = {{"g<float>", "_Z1gIfE"}};
  entry.log = "a warning";
  entry.binary = {std::byte{1}, std::byte{2}};
  const auto bytes = detail::serialize(entry);
  const auto again = detail::deserialize(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->backend, "host");
  EXPECT_TRUE(again->lowered);
  ASSERT_EQ(again->signatures.size(), 1U);
  EXPECT_EQ(again->signatures[0].required_local[0], 8U);
  EXPECT_EQ(again->signatures[0].parameters[0].dtype, entry.signatures[0].parameters[0].dtype);
  EXPECT_TRUE(again->signatures[0].parameters[0].is_const);
  EXPECT_EQ(again->lowered_names, entry.lowered_names);
  EXPECT_EQ(again->log, entry.log);
  EXPECT_EQ(again->binary, entry.binary);
  // Every flipped bit and every truncation is recognised.
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    auto damaged = bytes;
    damaged[n] ^= std::byte{1};
    EXPECT_FALSE(detail::deserialize(damaged)) << n;
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(detail::deserialize(std::span(bytes).first(n))) << n;
  }
}

}  // namespace
}  // namespace quern::test
