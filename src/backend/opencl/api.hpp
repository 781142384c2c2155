// SPDX-License-Identifier: MIT
// All OpenCL functions that Quern uses, loaded by name at run time, and the check of their results.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "base/shared_library.hpp"

namespace quern::backend::opencl {

// The members are OpenCL's functions without their "cl". Those newer than 1.2 may be null. The loader also
// exports functions that an older platform lacks, so they are called only on devices of the right version.
struct Api {
  Api();

  SharedLibrary library;
  std::string problem;  // why OpenCL cannot be used; empty if it can

  decltype(&clGetPlatformIDs) GetPlatformIDs = nullptr;
  decltype(&clGetPlatformInfo) GetPlatformInfo = nullptr;
  decltype(&clGetDeviceIDs) GetDeviceIDs = nullptr;
  decltype(&clGetDeviceInfo) GetDeviceInfo = nullptr;
  decltype(&clGetDeviceAndHostTimer) GetDeviceAndHostTimer = nullptr;  // 2.1
  decltype(&clCreateSubDevices) CreateSubDevices = nullptr;
  decltype(&clReleaseDevice) ReleaseDevice = nullptr;

  decltype(&clCreateContext) CreateContext = nullptr;
  decltype(&clReleaseContext) ReleaseContext = nullptr;
  decltype(&clCreateCommandQueue) CreateCommandQueue = nullptr;
  decltype(&clCreateCommandQueueWithProperties) CreateCommandQueueWithProperties = nullptr;  // 2.0
  decltype(&clRetainCommandQueue) RetainCommandQueue = nullptr;
  decltype(&clRetainEvent) RetainEvent = nullptr;
  decltype(&clReleaseCommandQueue) ReleaseCommandQueue = nullptr;
  decltype(&clGetCommandQueueInfo) GetCommandQueueInfo = nullptr;
  decltype(&clFinish) Finish = nullptr;
  decltype(&clFlush) Flush = nullptr;

  decltype(&clCreateBuffer) CreateBuffer = nullptr;
  decltype(&clCreateSubBuffer) CreateSubBuffer = nullptr;
  decltype(&clRetainMemObject) RetainMemObject = nullptr;
  decltype(&clReleaseMemObject) ReleaseMemObject = nullptr;
  decltype(&clGetMemObjectInfo) GetMemObjectInfo = nullptr;

  decltype(&clCreateProgramWithSource) CreateProgramWithSource = nullptr;
  decltype(&clCreateProgramWithBinary) CreateProgramWithBinary = nullptr;
  decltype(&clBuildProgram) BuildProgram = nullptr;
  decltype(&clReleaseProgram) ReleaseProgram = nullptr;
  decltype(&clGetProgramInfo) GetProgramInfo = nullptr;
  decltype(&clGetProgramBuildInfo) GetProgramBuildInfo = nullptr;
  decltype(&clCreateKernel) CreateKernel = nullptr;
  decltype(&clReleaseKernel) ReleaseKernel = nullptr;
  decltype(&clSetKernelArg) SetKernelArg = nullptr;
  decltype(&clGetKernelInfo) GetKernelInfo = nullptr;
  decltype(&clGetKernelArgInfo) GetKernelArgInfo = nullptr;
  decltype(&clGetKernelWorkGroupInfo) GetKernelWorkGroupInfo = nullptr;

  decltype(&clEnqueueNDRangeKernel) EnqueueNDRangeKernel = nullptr;
  decltype(&clEnqueueReadBuffer) EnqueueReadBuffer = nullptr;
  decltype(&clEnqueueReadBufferRect) EnqueueReadBufferRect = nullptr;
  decltype(&clEnqueueWriteBuffer) EnqueueWriteBuffer = nullptr;
  decltype(&clEnqueueWriteBufferRect) EnqueueWriteBufferRect = nullptr;
  decltype(&clEnqueueCopyBuffer) EnqueueCopyBuffer = nullptr;
  decltype(&clEnqueueCopyBufferRect) EnqueueCopyBufferRect = nullptr;
  decltype(&clEnqueueFillBuffer) EnqueueFillBuffer = nullptr;
  decltype(&clEnqueueMapBuffer) EnqueueMapBuffer = nullptr;
  decltype(&clEnqueueUnmapMemObject) EnqueueUnmapMemObject = nullptr;
  decltype(&clEnqueueMigrateMemObjects) EnqueueMigrateMemObjects = nullptr;
  decltype(&clSVMAlloc) SVMAlloc = nullptr;                              // 2.0
  decltype(&clSVMFree) SVMFree = nullptr;                                // 2.0
  decltype(&clEnqueueSVMMap) EnqueueSVMMap = nullptr;                    // 2.0
  decltype(&clEnqueueSVMUnmap) EnqueueSVMUnmap = nullptr;                // 2.0
  decltype(&clSetKernelArgSVMPointer) SetKernelArgSVMPointer = nullptr;  // 2.0
  decltype(&clSetKernelExecInfo) SetKernelExecInfo = nullptr;            // 2.0
  decltype(&clEnqueueMarkerWithWaitList) EnqueueMarkerWithWaitList = nullptr;
  decltype(&clEnqueueBarrierWithWaitList) EnqueueBarrierWithWaitList = nullptr;

  decltype(&clWaitForEvents) WaitForEvents = nullptr;
  decltype(&clGetEventInfo) GetEventInfo = nullptr;
  decltype(&clSetEventCallback) SetEventCallback = nullptr;
  decltype(&clGetEventProfilingInfo) GetEventProfilingInfo = nullptr;
  decltype(&clReleaseEvent) ReleaseEvent = nullptr;
};

namespace detail {
extern std::atomic<const Api*> loaded;
const Api& load();
}  // namespace detail

// Loads the library on first use; it is never unloaded.
inline const Api& api() {
  const Api* ready = detail::loaded.load(std::memory_order_acquire);
  return ready != nullptr ? *ready : detail::load();
}

// "CL_INVALID_VALUE", or "error -9999" if the headers have no name for it.
std::string error_name(cl_int status);

// Throws the exception of a failed call: OutOfDeviceMemory, DeviceLost or Error. `requested` is in bytes, if
// known.
[[noreturn]] void fail(cl_int status, std::string_view call, std::string_view device,
                       std::size_t requested = 0);

inline void check(cl_int status, std::string_view call, std::string_view device, std::size_t requested = 0) {
  if (status != CL_SUCCESS) [[unlikely]]
    fail(status, call, device, requested);
}

// An owned reference to an OpenCL object. Released without waiting; not released if drivers must not be
// touched.
template <class T, auto Release>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) noexcept : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr && !process::must_not_touch_drivers()) (api().*Release)(object_);
  }

  [[nodiscard]] T get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

using ContextHandle = Handle<cl_context, &Api::ReleaseContext>;
using QueueHandle = Handle<cl_command_queue, &Api::ReleaseCommandQueue>;
using MemHandle = Handle<cl_mem, &Api::ReleaseMemObject>;
using ProgramHandle = Handle<cl_program, &Api::ReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &Api::ReleaseKernel>;
using EventHandle = Handle<cl_event, &Api::ReleaseEvent>;

// The value of a clGet...Info query. `get` is called as get(size, pointer, size_of_value_pointer) and returns
// a status.
template <class Get>
cl_int query_bytes(const Get& get, std::string& bytes) {
  std::size_t size = 0;
  cl_int status = get(std::size_t{0}, nullptr, &size);
  if (status != CL_SUCCESS) return status;
  bytes.assign(size, '\0');
  if (size != 0) status = get(size, bytes.data(), nullptr);
  return status;
}

// Text without the terminating NUL and the blanks that some drivers pad with.
std::string driver_text(std::string_view text);

}  // namespace quern::backend::opencl
