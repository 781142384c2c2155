// SPDX-License-Identifier: MIT
// Ends with kernels in flight, objects that a static destructor releases, and a command that waits for a user
// event.
#include "platform/loaded_platform.hpp"

namespace {

struct Released {
  cl_mem memory = nullptr;
  cl_kernel kernel = nullptr;
  ~Released() {
    const cl_icd_dispatch& cl = *quern::platform::host_platform().table;
    cl.clReleaseMemObject(memory);
    cl.clReleaseKernel(kernel);
  }
} released;

}  // namespace

int main() {
  static auto* const session = new quern::platform::Session;  // never released
  const cl_icd_dispatch& cl = session->cl;
  released.memory = session->buffer(std::vector<float>(1 << 20, 1.f));
  released.kernel = session->kernel(
      "kernel void work(global float *a) { float x = a[get_global_id(0)];"
      " for (int i = 0; i < 1000; ++i) x = x * 0.5f + 1.f; a[get_global_id(0)] = x; }",
      "work");
  cl.clSetKernelArg(released.kernel, 0, sizeof(cl_mem), &released.memory);
  const std::size_t global = 1 << 20;
  for (int k = 0; k < 20; ++k)
    cl.clEnqueueNDRangeKernel(session->queue, released.kernel, 1, nullptr, &global, nullptr, 0, nullptr,
                              nullptr);
  const cl_event user = cl.clCreateUserEvent(session->context, nullptr);
  cl.clEnqueueNDRangeKernel(session->queue, released.kernel, 1, nullptr, &global, nullptr, 1, &user, nullptr);
  return released.kernel != nullptr ? 0 : 1;
}
