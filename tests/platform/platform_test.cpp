// SPDX-License-Identifier: MIT
// The library as a platform: its table, its queries, bad handles, devices and contexts, two copies, exits.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <set>

#include "platform/loaded_platform.hpp"

namespace quern::platform {
namespace {

TEST(Platform, fills_every_slot_of_the_table) {
  const auto* const slots = reinterpret_cast<void* const*>(host_platform().table);
  for (std::size_t k = 0; k < sizeof(cl_icd_dispatch) / sizeof(void*); ++k) EXPECT_NE(slots[k], nullptr) << k;
}

TEST(Platform, exports_the_functions_of_the_loader_alone) {
  void* const library = dlopen(QUERN_PLATFORM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(dlsym(library, "clGetPlatformInfo"), nullptr);
  EXPECT_NE(dlsym(library, "clIcdGetPlatformIDsKHR"), nullptr);
  EXPECT_EQ(dlsym(library, "clCreateContext"), nullptr);
}

TEST(Platform, says_its_name_suffix_and_version) {
  const auto& [id, table, device] = host_platform();
  char text[64] = {};
  std::size_t size = 0;
  EXPECT_EQ(table->clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof text, text, &size), CL_SUCCESS);
  EXPECT_STREQ(text, "Quern");
  EXPECT_EQ(size, sizeof "Quern");
  EXPECT_EQ(table->clGetPlatformInfo(id, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof text, text, nullptr), CL_SUCCESS);
  EXPECT_STREQ(text, "QUERN");
  EXPECT_EQ(table->clGetPlatformInfo(id, CL_PLATFORM_VERSION, sizeof text, text, nullptr), CL_SUCCESS);
  EXPECT_EQ(std::string(text).rfind("OpenCL 3.0 ", 0), 0U);
  EXPECT_EQ(table->clGetPlatformInfo(id, CL_PLATFORM_NAME, 3, text, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(table->clGetPlatformInfo(id, 0xdead, sizeof text, text, nullptr), CL_INVALID_VALUE);
}

TEST(Platform, answers_queries_of_the_device_in_the_right_size) {
  const Session session;
  std::size_t size = 0;
  cl_device_type type = 0;
  EXPECT_EQ(session.cl.clGetDeviceInfo(session.device, CL_DEVICE_TYPE, sizeof type, &type, &size),
            CL_SUCCESS);
  EXPECT_EQ(type, cl_device_type{CL_DEVICE_TYPE_CPU});
  EXPECT_EQ(size, sizeof type);
  EXPECT_EQ(session.cl.clGetDeviceInfo(session.device, CL_DEVICE_TYPE, 1, &type, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(session.cl.clGetDeviceInfo(session.device, 0xdead, 0, nullptr, &size), CL_INVALID_VALUE);
  cl_bool images = CL_TRUE;
  session.cl.clGetDeviceInfo(session.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
  EXPECT_EQ(images, cl_bool{CL_FALSE});
}

TEST(Platform, finds_devices_by_type) {
  const auto& [id, table, device] = host_platform();
  cl_device_id found = nullptr;
  EXPECT_EQ(table->clGetDeviceIDs(id, CL_DEVICE_TYPE_CPU, 1, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, device);
  EXPECT_EQ(table->clGetDeviceIDs(id, CL_DEVICE_TYPE_DEFAULT, 1, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(table->clGetDeviceIDs(id, CL_DEVICE_TYPE_GPU, 1, &found, nullptr), CL_DEVICE_NOT_FOUND);
  EXPECT_EQ(table->clGetDeviceIDs(id, 0, 1, &found, nullptr), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(table->clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 0, &found, nullptr), CL_INVALID_VALUE);
}

TEST(Platform, refuses_whatever_is_no_handle) {
  const Session session;
  const cl_icd_dispatch& cl = session.cl;
  std::mt19937_64 random(7);
  std::vector<std::uintptr_t> addresses = {0,
                                           8,
                                           4096,
                                           SIZE_MAX,
                                           reinterpret_cast<std::uintptr_t>(&session),
                                           reinterpret_cast<std::uintptr_t>(session.queue) + 1,
                                           reinterpret_cast<std::uintptr_t>(session.context) + 8,
                                           reinterpret_cast<std::uintptr_t>(session.device)};
  for (int k = 0; k < 1000; ++k) addresses.push_back(random());
  for (const std::uintptr_t address : addresses) {
    const auto as = [&]<class T>(T) { return reinterpret_cast<T>(address); };
    EXPECT_EQ(cl.clRetainContext(as(cl_context{})), CL_INVALID_CONTEXT);
    EXPECT_EQ(cl.clFinish(as(cl_command_queue{})), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(cl.clReleaseMemObject(as(cl_mem{})), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(cl.clReleaseProgram(as(cl_program{})), CL_INVALID_PROGRAM);
    EXPECT_EQ(cl.clReleaseKernel(as(cl_kernel{})), CL_INVALID_KERNEL);
    EXPECT_EQ(cl.clReleaseEvent(as(cl_event{})), CL_INVALID_EVENT);
  }
}

TEST(Platform, refuses_a_handle_that_was_released) {
  const Session session;
  const cl_event event = session.cl.clCreateUserEvent(session.context, nullptr);
  EXPECT_EQ(session.cl.clRetainEvent(event), CL_SUCCESS);
  EXPECT_EQ(session.cl.clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(session.cl.clReleaseEvent(event), CL_SUCCESS);
  EXPECT_EQ(session.cl.clReleaseEvent(event), CL_INVALID_EVENT);
  EXPECT_EQ(session.cl.clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
}

TEST(Platform, keeps_a_context_for_the_objects_in_it) {
  const Session session;
  const cl_icd_dispatch& cl = session.cl;
  const cl_context context = cl.clCreateContext(nullptr, 1, &session.device, nullptr, nullptr, nullptr);
  static int destroyed;
  destroyed = 0;
  EXPECT_EQ(cl.clSetContextDestructorCallback(
                context, [](cl_context, void*) { ++destroyed; }, nullptr),
            CL_SUCCESS);
  cl_int code = 0;
  const cl_mem memory = cl.clCreateBuffer(context, 0, 16, nullptr, &code);
  EXPECT_EQ(cl.clReleaseContext(context), CL_SUCCESS);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(cl.clReleaseMemObject(memory), CL_SUCCESS);
  EXPECT_EQ(destroyed, 1);
}

TEST(Platform, refuses_bad_contexts_and_queues) {
  const Session session;
  const cl_icd_dispatch& cl = session.cl;
  cl_int code = 0;
  EXPECT_EQ(cl.clCreateContext(nullptr, 0, nullptr, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  const cl_context_properties unknown[] = {0x7777, 1, 0};
  EXPECT_EQ(cl.clCreateContext(unknown, 1, &session.device, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_PROPERTY);
  EXPECT_EQ(cl.clCreateCommandQueue(session.context, nullptr, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  EXPECT_EQ(cl.clCreateCommandQueue(session.context, session.device, 1 << 20, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(cl.clCreateCommandQueue(session.context, session.device, CL_QUEUE_ON_DEVICE, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_QUEUE_PROPERTIES);
}

TEST(Platform, divides_the_device) {
  const Session session;
  cl_uint units = 0;
  session.cl.clGetDeviceInfo(session.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  if (units < 2) GTEST_SKIP() << "one compute unit";
  const cl_device_partition_property single[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint count = 0;
  EXPECT_EQ(session.cl.clCreateSubDevices(session.device, single, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, units);
  const cl_device_partition_property too_many[] = {CL_DEVICE_PARTITION_BY_COUNTS, units + 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  EXPECT_EQ(session.cl.clCreateSubDevices(session.device, too_many, 0, nullptr, &count),
            CL_INVALID_DEVICE_PARTITION_COUNT);
}

TEST(Platform, runs_beside_a_copy_of_itself) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::temp_directory_path() / ("quern_copy_" + std::to_string(getpid()) + ".so");
  fs::copy_file(QUERN_PLATFORM_LIBRARY, copy);
  void* const other = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  fs::remove(copy);
  ASSERT_NE(other, nullptr) << dlerror();
  auto* const list = reinterpret_cast<cl_int (*)(cl_uint, cl_platform_id*, cl_uint*)>(
      dlsym(other, "clIcdGetPlatformIDsKHR"));
  cl_platform_id id = nullptr;
  ASSERT_EQ(list(1, &id, nullptr), CL_SUCCESS);
  EXPECT_NE(id, host_platform().id);
  const auto& cl = **reinterpret_cast<const cl_icd_dispatch* const*>(id);
  EXPECT_EQ(cl.clGetPlatformInfo(host_platform().id, CL_PLATFORM_NAME, 0, nullptr, nullptr),
            CL_INVALID_PLATFORM);
  cl_device_id device = nullptr;
  ASSERT_EQ(cl.clGetDeviceIDs(id, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  const cl_context context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  EXPECT_NE(context, nullptr);
  EXPECT_EQ(cl.clReleaseContext(context), CL_SUCCESS);
}

TEST(Platform, survives_exits_with_work_in_flight) {
  for (int k = 0; k < 5; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      execl(QUERN_PLATFORM_EXIT, QUERN_PLATFORM_EXIT, nullptr);
      _exit(127);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace quern::platform
