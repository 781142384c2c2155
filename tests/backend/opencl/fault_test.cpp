// SPDX-License-Identifier: MIT
// A kernel that accesses memory that is not its own, on a GPU: the marker says that the device is lost.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "backend/opencl/support.hpp"

namespace quern::backend::opencl_test {
namespace {

// What happened, in words. A CPU device would take the process down with it.
std::string break_a_gpu() {
  const Discovery found = discover_opencl();
  std::shared_ptr<Device> device;
  for (const auto& candidate : found.devices) {
    if (candidate->properties().kind == DeviceKind::gpu) device = candidate;
  }
  if (device == nullptr) return "no GPU";
  auto context = device->make_context({&device, 1});
  CompileRequest request;
  request.text = "kernel void stray(global int* a, long far) { a[far + get_global_id(0)] = 1; }";
  auto compiled = context->compile(0, request);
  auto stray = compiled.module->function("stray", nullptr);
  auto queue = context->make_queue(0, {});
  auto a = context->allocate(0, 4096);
  const std::int64_t far = std::int64_t{1} << 40;
  const Argument arguments[] = {memory(*a), value(far)};
  queue->launch(*stray, range(64, 64), arguments);
  auto marker = queue->record();
  if (!marker->wait(Clock::now() + std::chrono::seconds(30))) return "the wait did not end";
  if (marker->error() == nullptr) return "no error";
  try {
    std::rethrow_exception(marker->error());
  } catch (const DeviceLost& error) {
    return std::string("lost: ") + error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(OpenCLFault, a_stray_access_on_a_gpu_is_a_lost_device) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = break_a_gpu();
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  char text[1024] = {};
  const ssize_t length = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_GT(length, 0);
  if (std::string(text) == "no GPU") GTEST_SKIP() << "there is no OpenCL GPU here";
  EXPECT_TRUE(std::string(text).starts_with("lost: ")) << text;
}

}  // namespace
}  // namespace quern::backend::opencl_test
