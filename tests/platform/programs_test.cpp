// SPDX-License-Identifier: MIT
// Programs: builds and their logs, options, binaries, compiled units.
#include <gtest/gtest.h>

#include "platform/loaded_platform.hpp"

namespace quern::platform {
namespace {

std::string log_of(const Session& s, cl_program program) {
  std::size_t size = 0;
  s.cl.clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string text(size, '\0');
  s.cl.clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
  return text.c_str();
}

// Runs a kernel `void f(global int *out)` and returns what it wrote.
int result_of(const Session& s, cl_program program) {
  const cl_kernel kernel = s.cl.clCreateKernel(program, "f", nullptr);
  if (kernel == nullptr) return -1;
  const cl_mem memory = s.buffer(std::vector<int>{-2});
  s.cl.clSetKernelArg(kernel, 0, sizeof memory, &memory);
  s.cl.clEnqueueTask(s.queue, kernel, 0, nullptr, nullptr);
  const int value = s.read<int>(memory, 1)[0];
  s.cl.clReleaseMemObject(memory);
  s.cl.clReleaseKernel(kernel);
  return value;
}

TEST(Programs, report_errors_in_the_lines_of_the_user) {
  const Session s;
  const cl_program program = s.program("kernel void f(global int *out) {\n  *out = missing;\n}");
  EXPECT_EQ(s.cl.clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log_of(s, program).find(":2:"), std::string::npos) << log_of(s, program);
  cl_build_status status = CL_BUILD_NONE;
  s.cl.clGetProgramBuildInfo(program, s.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr);
  EXPECT_EQ(status, CL_BUILD_ERROR);
  cl_int code = 0;
  EXPECT_EQ(s.cl.clCreateKernel(program, "f", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
  s.cl.clReleaseProgram(program);
}

TEST(Programs, take_options) {
  const Session s;
  const cl_program program =
      s.program("kernel void f(global int *out) { *out = VALUE + __OPENCL_C_VERSION__ + sizeof(TEXT); }");
  for (const char* bad : {"-D", "-no-such-option", "-cl-no-such-option", "-I"})
    EXPECT_EQ(s.cl.clBuildProgram(program, 0, nullptr, bad, nullptr, nullptr), CL_INVALID_BUILD_OPTIONS)
        << bad;
  ASSERT_EQ(s.cl.clBuildProgram(program, 0, nullptr, "-D VALUE=1000 '-DTEXT=\"a b\"' -cl-std=CL3.0 -w",
                                nullptr, nullptr),
            CL_SUCCESS)
      << log_of(s, program);
  EXPECT_EQ(result_of(s, program), 1000 + 300 + 4);
  s.cl.clReleaseProgram(program);
}

TEST(Programs, are_not_built_again_while_they_have_kernels) {
  const Session s;
  const cl_program program = s.program("kernel void f(global int *out) { *out = 1; }");
  ASSERT_EQ(s.cl.clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_int code = 0;
  EXPECT_EQ(s.cl.clCreateKernel(program, "g", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_KERNEL_NAME);
  const cl_kernel kernel = s.cl.clCreateKernel(program, "f", &code);
  EXPECT_EQ(s.cl.clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  s.cl.clReleaseKernel(kernel);
  EXPECT_EQ(s.cl.clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  s.cl.clReleaseProgram(program);
}

TEST(Programs, are_found_again_through_their_kernels) {
  const Session s;
  const cl_kernel kernel =
      s.kernel("kernel void f(global int *out) { *out = 1; }", "f");  // releases the program
  cl_program program = nullptr;
  ASSERT_EQ(s.cl.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr), CL_SUCCESS);
  EXPECT_EQ(s.cl.clReleaseProgram(program), CL_INVALID_PROGRAM);  // the test has no reference to give up
  EXPECT_EQ(s.cl.clRetainProgram(program), CL_SUCCESS);
  EXPECT_EQ(s.cl.clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_EQ(result_of(s, program), 1);
  EXPECT_EQ(s.cl.clReleaseProgram(program), CL_SUCCESS);
  EXPECT_EQ(s.cl.clRetainProgram(program), CL_INVALID_PROGRAM);
}

// PyOpenCL's header has it; the front end brings its own functions of complex numbers.
TEST(Programs, multiply_and_add_complex_numbers) {
  const Session s;
  const cl_program program = s.program(
      "#pragma quern complex\n"
      "kernel void f(global int *out) {\n"
      "  cfloat_t r = cfloat_fma(cfloat_new(1, 2), cfloat_new(3, 4), cfloat_new(100, 1000));\n"
      "  *out = (int)cfloat_real(r) * 10000 + (int)cfloat_imag(r);\n"
      "}");
  ASSERT_EQ(s.cl.clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
      << log_of(s, program);
  EXPECT_EQ(result_of(s, program), 95 * 10000 + 1010);  // -5 + 100, 10 + 1000
  s.cl.clReleaseProgram(program);
}

std::vector<unsigned char> binary_of(const Session& s, cl_program program) {
  std::size_t size = 0;
  s.cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  std::vector<unsigned char> binary(size);
  unsigned char* target = binary.data();
  s.cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr);
  return binary;
}

TEST(Programs, come_back_from_their_binaries) {
  const Session s;
  const cl_program program = s.program("kernel void f(global int *out) { *out = 17; }");
  ASSERT_EQ(s.cl.clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  std::vector<unsigned char> binary = binary_of(s, program);
  ASSERT_FALSE(binary.empty());
  const auto load = [&](cl_int& status, cl_int& code) {
    const unsigned char* data = binary.data();
    const std::size_t size = binary.size();
    return s.cl.clCreateProgramWithBinary(s.context, 1, &s.device, &size, &data, &status, &code);
  };
  cl_int status = 1, code = 1;
  const cl_program again = load(status, code);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(s.cl.clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result_of(s, again), 17);
  binary[binary.size() / 2] ^= 1;
  EXPECT_EQ(load(status, code), nullptr);
  EXPECT_EQ(status, CL_INVALID_BINARY);
  EXPECT_EQ(code, CL_INVALID_BINARY);
  s.cl.clReleaseProgram(again);
  s.cl.clReleaseProgram(program);
}

TEST(Programs, are_linked_from_units_with_headers_in_memory) {
  const Session s;
  const cl_program header = s.program("int twice(int x);\n#define BASE 20\n");
  const cl_program first =
      s.program("#include \"twice.h\"\nkernel void f(global int *out) { *out = twice(BASE) + 1; }");
  const cl_program second = s.program("#include <twice.h>\nint twice(int x) { return 2 * x; }");
  const char* const name = "twice.h";
  for (const cl_program unit : {first, second})
    ASSERT_EQ(s.cl.clCompileProgram(unit, 0, nullptr, "", 1, &header, const_cast<const char**>(&name),
                                    nullptr, nullptr),
              CL_SUCCESS)
        << log_of(s, unit);
  cl_program_binary_type type = 0;
  s.cl.clGetProgramBuildInfo(first, s.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, nullptr);
  EXPECT_EQ(type, cl_program_binary_type{CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT});
  cl_int code = 0;
  const cl_program units[] = {first, second};
  const cl_program linked = s.cl.clLinkProgram(s.context, 0, nullptr, "", 2, units, nullptr, nullptr, &code);
  ASSERT_NE(linked, nullptr);
  EXPECT_EQ(code, CL_SUCCESS) << log_of(s, linked);
  EXPECT_EQ(result_of(s, linked), 41);
  EXPECT_EQ(s.cl.clLinkProgram(s.context, 0, nullptr, "-no", 2, units, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_LINKER_OPTIONS);
  // Without the second unit a function is missing.
  const cl_program broken = s.cl.clLinkProgram(s.context, 0, nullptr, "", 1, units, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_LINK_PROGRAM_FAILURE);
  for (const cl_program program : {header, first, second, linked, broken}) s.cl.clReleaseProgram(program);
}

}  // namespace
}  // namespace quern::platform
