// SPDX-License-Identifier: MIT
// Kernels: arguments, what is known of them, sizes, launches, functions of the program.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "platform/loaded_platform.hpp"

namespace quern::platform {
namespace {

constexpr char kScale[] =
    "typedef struct { int a; float b; } pair;\n"
    "kernel void scale(global float * restrict x, const global volatile int *n, float f, local float *s,\n"
    "                  constant pair *p, float4 v) {\n"
    "  const int i = get_global_id(0);\n"
    "  s[get_local_id(0)] = x[i];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  x[i] = s[get_local_size(0) - 1 - get_local_id(0)] * f + n[0] + p->b + v.w;\n"
    "}\n";

std::string text(const Session& s, cl_kernel kernel, cl_uint index, cl_kernel_arg_info query) {
  char value[64] = {};
  EXPECT_EQ(s.cl.clGetKernelArgInfo(kernel, index, query, sizeof value, value, nullptr), CL_SUCCESS);
  return value;
}

TEST(Kernels, describe_their_arguments) {
  const Session s;
  const cl_kernel kernel = s.kernel(kScale, "scale");
  ASSERT_NE(kernel, nullptr);
  const char* const types[] = {"float*", "int*", "float", "float*", "pair*", "float4"};
  const char* const names[] = {"x", "n", "f", "s", "p", "v"};
  const cl_kernel_arg_address_qualifier spaces[] = {
      CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_GLOBAL,   CL_KERNEL_ARG_ADDRESS_PRIVATE,
      CL_KERNEL_ARG_ADDRESS_LOCAL,  CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_PRIVATE};
  const cl_kernel_arg_type_qualifier qualifiers[] = {CL_KERNEL_ARG_TYPE_RESTRICT,
                                                     CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE,
                                                     0,
                                                     0,
                                                     CL_KERNEL_ARG_TYPE_CONST,
                                                     0};
  for (cl_uint k = 0; k < 6; ++k) {
    EXPECT_EQ(text(s, kernel, k, CL_KERNEL_ARG_TYPE_NAME), types[k]);
    EXPECT_EQ(text(s, kernel, k, CL_KERNEL_ARG_NAME), names[k]);
    cl_kernel_arg_address_qualifier space = 0;
    s.cl.clGetKernelArgInfo(kernel, k, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr);
    EXPECT_EQ(space, spaces[k]);
    cl_kernel_arg_type_qualifier own = 0;
    s.cl.clGetKernelArgInfo(kernel, k, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof own, &own, nullptr);
    EXPECT_EQ(own, qualifiers[k]);
  }
  EXPECT_EQ(s.cl.clGetKernelArgInfo(kernel, 6, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr),
            CL_INVALID_ARG_INDEX);
  s.cl.clReleaseKernel(kernel);
}

TEST(Kernels, refuse_bad_arguments) {
  const Session s;
  const cl_kernel kernel = s.kernel(kScale, "scale");
  ASSERT_NE(kernel, nullptr);
  const float f = 1;
  int stranger = 0;
  void* const bad = &stranger;
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 6, 4, &f), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 2, 8, &f), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 2, 4, nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 3, 0, nullptr), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 3, 4, &f), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 0, sizeof bad, &bad), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(s.cl.clSetKernelArg(kernel, 0, 4, &bad), CL_INVALID_ARG_SIZE);
  const std::size_t global = 4;
  EXPECT_EQ(s.cl.clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  s.cl.clReleaseKernel(kernel);
}

TEST(Kernels, run_with_every_kind_of_argument) {
  const Session s;
  const cl_kernel kernel = s.kernel(kScale, "scale");
  ASSERT_NE(kernel, nullptr);
  std::vector<float> x(32);
  std::iota(x.begin(), x.end(), 0.f);
  struct Pair {
    int a;
    float b;
  };
  const cl_mem buffer = s.buffer(x), n = s.buffer(std::vector<int>{100}),
               p = s.buffer(std::vector<Pair>{{1, 0.5f}});
  const float f = 2;
  const cl_float4 v = {{0, 0, 0, 1000}};
  s.cl.clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  s.cl.clSetKernelArg(kernel, 1, sizeof n, &n);
  s.cl.clSetKernelArg(kernel, 2, sizeof f, &f);
  s.cl.clSetKernelArg(kernel, 3, 8 * sizeof f, nullptr);
  s.cl.clSetKernelArg(kernel, 4, sizeof p, &p);
  s.cl.clSetKernelArg(kernel, 5, sizeof v, &v);
  const std::size_t global = 32, local = 8;
  ASSERT_EQ(s.cl.clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t mirrored = i / 8 * 8 + 7 - i % 8;
    EXPECT_EQ(s.read<float>(buffer, 32)[i], 2.f * static_cast<float>(mirrored) + 100 + 0.5f + 1000);
  }
  // Memory that was released meanwhile is no argument.
  s.cl.clReleaseMemObject(n);
  EXPECT_EQ(s.cl.clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  s.cl.clReleaseMemObject(buffer);
  s.cl.clReleaseMemObject(p);
  s.cl.clReleaseKernel(kernel);
}

TEST(Kernels, refuse_bad_sizes) {
  const Session s;
  const cl_kernel kernel = s.kernel(
      "kernel void a(global int *x) { x[get_global_id(0)] = get_local_size(0); }\n"
      "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void b(global int *x) { x[get_global_id(0)] = "
      "1; }",
      "a");
  ASSERT_NE(kernel, nullptr);
  const cl_mem memory = s.buffer(std::vector<int>(64, -1));
  s.cl.clSetKernelArg(kernel, 0, sizeof memory, &memory);
  const auto code = [&](cl_uint dims, std::size_t global, std::size_t local) {
    const std::size_t sizes[] = {global, 1, 1, 1}, groups[] = {local, 1, 1, 1};
    return s.cl.clEnqueueNDRangeKernel(s.queue, kernel, dims, nullptr, sizes, groups, 0, nullptr, nullptr);
  };
  EXPECT_EQ(code(0, 8, 1), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(code(4, 8, 1), CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(code(1, 8, 0), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(code(1, 8, 3), CL_INVALID_WORK_GROUP_SIZE);  // OpenCL C 1.2: groups are full
  EXPECT_EQ(code(1, 1 << 30, 1 << 30), CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(s.read<int>(memory, 64), std::vector<int>(64, -1));
  EXPECT_EQ(code(1, 0, 1), CL_SUCCESS);
  // Without a local size groups are full, too.
  const std::size_t odd = 45;
  EXPECT_EQ(s.cl.clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &odd, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<int> expected(64, -1);
  std::fill_n(expected.begin(), 45, 45);
  EXPECT_EQ(s.read<int>(memory, 64), expected);
  s.cl.clReleaseMemObject(memory);
  s.cl.clReleaseKernel(kernel);
}

TEST(Kernels, have_smaller_groups_at_the_end_since_version_2) {
  const Session s;
  const cl_kernel kernel = s.kernel(
      "kernel void a(global int *x) { x[get_global_id(0)] = get_local_size(0); }", "a", "-cl-std=CL3.0");
  ASSERT_NE(kernel, nullptr);
  const cl_mem memory = s.buffer(std::vector<int>(10, -1));
  s.cl.clSetKernelArg(kernel, 0, sizeof memory, &memory);
  const std::size_t global = 10, local = 4;
  ASSERT_EQ(s.cl.clEnqueueNDRangeKernel(s.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(s.read<int>(memory, 10), (std::vector<int>{4, 4, 4, 4, 4, 4, 4, 4, 2, 2}));
  s.cl.clReleaseMemObject(memory);
  s.cl.clReleaseKernel(kernel);
}

TEST(Kernels, may_be_functions_of_the_program) {
  const Session s;
  struct Arguments {
    std::atomic<int>* calls;
    int* memory;
  };
  static std::atomic<int> calls;
  calls = 0;
  const cl_mem memory = s.buffer(std::vector<int>{7});
  Arguments arguments = {&calls, nullptr};
  const void* const places[] = {&arguments.memory};
  ASSERT_EQ(
      s.cl.clEnqueueNativeKernel(
          s.queue,
          [](void* data) {
            const auto& given = *static_cast<Arguments*>(data);
            given.calls->fetch_add(*given.memory);
            *given.memory = 8;
          },
          &arguments, sizeof arguments, 1, &memory, const_cast<const void**>(places), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(s.read<int>(memory, 1), std::vector<int>{8});
  EXPECT_EQ(calls.load(), 7);
  s.cl.clReleaseMemObject(memory);
}

}  // namespace
}  // namespace quern::platform
