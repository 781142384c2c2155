// SPDX-License-Identifier: MIT
// Shared virtual memory.
#include <gtest/gtest.h>

#include <future>
#include <numeric>

#include "platform/loaded_platform.hpp"

namespace quern::platform {
namespace {

TEST(SharedMemory, is_one_address_for_host_and_kernels) {
  const Session s;
  auto* const shared = static_cast<int*>(s.cl.clSVMAlloc(s.context, CL_MEM_READ_WRITE, 400, 0));
  ASSERT_NE(shared, nullptr);
  const cl_kernel kernel =
      s.kernel("kernel void f(global int *x) { x[get_global_id(0)] = 3 * get_global_id(0); }", "f");
  EXPECT_EQ(s.cl.clSetKernelArgSVMPointer(kernel, 0, shared + 10), CL_SUCCESS);
  const int one = 1;
  s.cl.clEnqueueSVMMemFill(s.queue, shared, &one, sizeof one, 400, 0, nullptr, nullptr);
  const std::size_t global = 50;
  ASSERT_EQ(s.cl.clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(s.cl.clEnqueueSVMMap(s.queue, CL_TRUE, CL_MAP_READ, shared, 400, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(shared[9], 1);
  EXPECT_EQ(shared[12], 6);
  EXPECT_EQ(shared[59], 147);
  EXPECT_EQ(shared[60], 1);
  s.cl.clEnqueueSVMUnmap(s.queue, shared, 0, nullptr, nullptr);
  int host[5] = {};
  EXPECT_EQ(s.cl.clEnqueueSVMMemcpy(s.queue, CL_TRUE, host, shared + 10, sizeof host, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(host[4], 12);
  EXPECT_EQ(s.cl.clEnqueueSVMMemcpy(s.queue, CL_TRUE, shared, shared + 1, 8, 0, nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  s.cl.clReleaseKernel(kernel);
  s.cl.clSVMFree(s.context, shared);
}

TEST(SharedMemory, refuses_bad_requests) {
  const Session s;
  EXPECT_EQ(s.cl.clSVMAlloc(s.context, 0, 0, 0), nullptr);
  EXPECT_EQ(s.cl.clSVMAlloc(s.context, CL_MEM_USE_HOST_PTR, 16, 0), nullptr);
  EXPECT_EQ(s.cl.clSVMAlloc(s.context, 0, 16, 3), nullptr);
  EXPECT_EQ(s.cl.clSVMAlloc(nullptr, 0, 16, 0), nullptr);
}

TEST(SharedMemory, is_freed_in_the_order_of_the_queue) {
  const Session s;
  void* shared = s.cl.clSVMAlloc(s.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 64);
  ASSERT_NE(shared, nullptr);
  std::promise<void*> promise;
  const auto freed = [](cl_command_queue, cl_uint, void* addresses[], void* data) {
    static_cast<std::promise<void*>*>(data)->set_value(addresses[0]);
  };
  EXPECT_EQ(s.cl.clEnqueueSVMFree(s.queue, 1, &shared, freed, &promise, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(promise.get_future().get(), shared);
  s.cl.clSVMFree(s.context, shared);  // a callback frees itself
}

}  // namespace
}  // namespace quern::platform
