// SPDX-License-Identifier: MIT
// Two devices that share a context. PoCL makes as many as it is told, so this is a program of its own.
#include <cstdlib>

#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

// Before anything loads PoCL; newer versions take their old name for the CPU device too.
[[maybe_unused]] const int kTold = setenv("POCL_DEVICES", "pthread pthread", 0);

class TwoDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    static auto* const found = new Discovery(discover_opencl());
    for (const auto& first : found->devices) {
      for (const auto& second : found->devices) {
        if (first != second && first->platform_handle() == second->platform_handle())
          devices = {first, second};
      }
    }
    if (devices.empty()) GTEST_SKIP() << "no OpenCL platform has two devices here";
    context = devices[0]->make_context(devices);
  }

  std::vector<std::shared_ptr<Device>> devices;
  std::shared_ptr<Context> context;
};

TEST_F(TwoDevices, share_memory_and_wait_for_each_other) {
  CompileRequest request;
  request.text = "kernel void add(global int* a, int c) { a[get_global_id(0)] += c; }";
  auto memory_object = context->allocate(0, 64 * sizeof(int));
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<Compiled> programs;
  std::vector<std::unique_ptr<Function>> functions;
  for (std::size_t device = 0; device < 2; ++device) {
    queues.push_back(context->make_queue(device, {}));
    programs.push_back(context->compile(device, request));
    EXPECT_FALSE(programs.back().binary.empty()) << device;
    // The second device runs what was loaded from its binary.
    if (device == 1) programs.back().module = context->load(device, programs.back().binary);
    functions.push_back(programs.back().module->function("add", nullptr));
  }
  const std::vector<int> start = counting(64);
  queues[0]->write(*memory_object, 0, start.data(), 64 * sizeof(int));
  int total = 0;
  for (int round = 0; round < 6; ++round) {
    const std::size_t device = static_cast<std::size_t>(round) % 2;
    const int c = 1 << round;
    total += c;
    const Argument arguments[] = {memory(*memory_object), value(c)};
    ASSERT_TRUE(queues[device]->wait(queues[1 - device]->record()));
    queues[device]->launch(*functions[device], range(64, 64), arguments);
  }
  std::vector<int> got(64);
  queues[1]->read(*memory_object, 0, got.data(), 64 * sizeof(int));
  ASSERT_TRUE(queues[1]->record()->wait(Deadline::max()));
  EXPECT_EQ(got, counting(64, total));
}

TEST_F(TwoDevices, alone_in_contexts_of_their_own_do_not_share) {
  auto alone = devices[1]->make_context({&devices[1], 1});
  auto queue = context->make_queue(1, {});
  EXPECT_FALSE(queue->wait(alone->make_queue(0, {})->record()));
  EXPECT_THROW((void)devices[0]->make_context({&devices[1], 1}), ArgumentError);
}

}  // namespace
}  // namespace quern::backend::opencl_test
