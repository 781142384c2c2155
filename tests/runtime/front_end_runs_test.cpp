// SPDX-License-Identifier: MIT
// A build runs each stage of the front end at most once, even if the caller asks for names or signatures too.
#include <chrono>
#include <string>

#include "frontend/stages.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class FrontEndRuns : public EachDevice {
 protected:
  // What the front end must do for a build of this device: it lowers, or declares what the driver then
  // compiles.
  [[nodiscard]] std::uint64_t lowerings() const {
    return device_.properties().dialect == Dialect::opencl_c ? 0 : 1;
  }
  // Of what is found in a cache; the key of an OpenCL device's program is made of the text as it is.
  [[nodiscard]] std::string for_a_hit() const {
    return device_.properties().dialect == Dialect::opencl_c ? "0 0 0" : "1 0 0";
  }
  [[nodiscard]] std::string for_a_build() const { return "1 1 " + std::to_string(lowerings()); }
};

// A text that no cache has seen.
std::string unseen(const std::string& text) {
  static int number = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return text + "\nconstant int unique_" + std::to_string(now) + "_" + std::to_string(++number) + " = 1;\n";
}

constexpr const char* kPlain = "kernel void add(global int *x) { x[get_global_id(0)] += 1; }";
constexpr const char* kBarrier = R"(
kernel void add(global int *x) {
  local int tile[64];
  tile[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] += tile[get_local_size(0) - 1 - get_local_id(0)];
}
)";

// How often a call preprocesses, parses and lowers.
template <class Call>
std::string stages_of(const Call& call) {
  const frontend::StageCounts before = frontend::stage_counts();
  call();
  const frontend::StageCounts after = frontend::stage_counts();
  return std::to_string(after.preprocess - before.preprocess) + " " +
         std::to_string(after.parse - before.parse) + " " + std::to_string(after.lower - before.lower);
}

void add(const Queue& queue, const Kernel& kernel, const Array& x, std::size_t local) {
  kernel(queue, range(64).with_local(local), x);
}

TEST_P(FrontEndRuns, a_build_runs_each_stage_once) {
  for (const char* source : {kPlain, kBarrier}) {
    const std::string text = unseen(source);
    EXPECT_EQ(stages_of([&] { Program(text).build(device_); }), for_a_build());
    EXPECT_EQ(stages_of([&] { Program(text).build(device_); }), for_a_hit());
    const Context other(std::vector<Device>{device_});  // whose programs are not in the memory of this one
    EXPECT_EQ(stages_of([&] { Program(text).build(other, device_); }), for_a_hit());
  }
}

TEST_P(FrontEndRuns, names_and_build_share_one_run) {
  const Program program(unseen(kPlain));
  EXPECT_EQ(stages_of([&] {
              EXPECT_EQ(program.kernel_names(), std::vector<std::string>{"add"});
              EXPECT_EQ(program.kernel_names(), std::vector<std::string>{"add"});
              program.check_declarations(device_);
              program.build(device_);
              EXPECT_EQ(program.kernel_names(), std::vector<std::string>{"add"});
            }),
            for_a_build());
}

TEST_P(FrontEndRuns, a_first_launch_with_a_local_size_shares_one_run) {
  const Program program(unseen(kPlain));
  const Array x = zeros(queue_, {64}, dtype_of<int>());
  EXPECT_EQ(stages_of([&] {
              (void)program.kernel_names();
              add(queue_, program.kernel("add"), x, 16);
            }),
            for_a_build());
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(64, 1));
}

TEST_P(FrontEndRuns, further_local_sizes_are_lowered_from_the_same_tree) {
  const std::string text = unseen(kBarrier);
  const Program program(text);
  const Array x = zeros(queue_, {64}, dtype_of<int>());
  const bool is_fixed = device_.properties().dialect == Dialect::host_c;
  // The host asks once whether the kernel wants a size, and lowers it for each.
  const std::string expected = is_fixed ? "1 1 4" : for_a_build();
  EXPECT_EQ(stages_of([&] {
              for (const std::size_t local : {16, 32, 8, 16}) add(queue_, program.kernel("add"), x, local);
            }),
            expected);
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(64, 4));
  // What was built answers the question about local sizes.
  const Program again(text);
  EXPECT_EQ(stages_of([&] {
              for (const std::size_t local : {16, 32}) add(queue_, again.kernel("add"), x, local);
            }),
            for_a_hit());
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(64, 6));
}

// Each of the two kernels has the local size that its author and its launch give it.
TEST_P(FrontEndRuns, a_required_local_size_stays_where_another_kernel_is_built_for_its_launch) {
  const Program program(unseen(std::string(kBarrier) + R"(
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void add_eights(global int *x) {
  local int tile[8];
  tile[get_local_id(0)] = get_local_size(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] += tile[7 - get_local_id(0)];
}
)"));
  const Array x = zeros(queue_, {64}, dtype_of<int>());
  add(queue_, program.kernel("add"), x, 16);
  const Kernel eights = program.kernel("add_eights");
  EXPECT_THROW(add(queue_, eights, x, 16), ArgumentError);
  add(queue_, eights, x, 8);
  EXPECT_EQ(x.to_vector<int>(queue_), std::vector<int>(64, 9));
}

INSTANTIATE_TEST_SUITE_P(Devices, FrontEndRuns, ::testing::ValuesIn(device_specs()), test_name);

}  // namespace
}  // namespace quern::test
