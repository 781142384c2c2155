// SPDX-License-Identifier: MIT
// The platform as the loader has it: the library opened by path, and its dispatch table.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "platform/opencl.hpp"

namespace quern::platform {

struct LoadedPlatform {
  cl_platform_id id = nullptr;
  const cl_icd_dispatch* table = nullptr;
  cl_device_id device = nullptr;
};

// The host's platform. Ends the program if it cannot be loaded.
inline const LoadedPlatform& host_platform() {
  static const LoadedPlatform loaded = [] {
    void* const library = dlopen(QUERN_PLATFORM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    using Lookup = void*(const char*);
    auto* const lookup = reinterpret_cast<Lookup*>(dlsym(library, "clGetExtensionFunctionAddress"));
    using List = cl_int(cl_uint, cl_platform_id*, cl_uint*);
    auto* const list = reinterpret_cast<List*>(lookup("clIcdGetPlatformIDsKHR"));
    LoadedPlatform found;
    if (list(1, &found.id, nullptr) != CL_SUCCESS) std::abort();
    found.table = *reinterpret_cast<const cl_icd_dispatch* const*>(found.id);
    if (found.table->clGetDeviceIDs(found.id, CL_DEVICE_TYPE_ALL, 1, &found.device, nullptr) != CL_SUCCESS)
      std::abort();
    return found;
  }();
  return loaded;
}

// A context and queues of the host device, released at the end.
struct Session {
  const cl_icd_dispatch& cl = *host_platform().table;
  cl_device_id device = host_platform().device;
  cl_context context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = cl.clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, nullptr);

  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    cl.clReleaseCommandQueue(queue);
    cl.clReleaseContext(context);
  }

  template <class T>
  cl_mem buffer(const std::vector<T>& values, cl_mem_flags flags = CL_MEM_READ_WRITE) const {
    return cl.clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T),
                             const_cast<T*>(values.data()), nullptr);
  }
  template <class T>
  std::vector<T> read(cl_mem memory, std::size_t count) const {
    std::vector<T> values(count);
    cl.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr);
    return values;
  }
  cl_program program(const char* source) const {
    return cl.clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  }
  // A kernel of a program that builds; null otherwise.
  cl_kernel kernel(const char* source, const char* name, const char* options = "") const {
    const cl_program built = program(source);
    cl.clBuildProgram(built, 0, nullptr, options, nullptr, nullptr);
    const cl_kernel result = cl.clCreateKernel(built, name, nullptr);
    cl.clReleaseProgram(built);  // the kernel keeps it
    return result;
  }
  cl_int status(cl_event event) const {
    cl_int value = 0;
    cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof value, &value, nullptr);
    return value;
  }
};

}  // namespace quern::platform
