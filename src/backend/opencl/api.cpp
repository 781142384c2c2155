// SPDX-License-Identifier: MIT
// Loading of OpenCL's functions, and names of its errors.
#include "backend/opencl/api.hpp"

#include <cstdlib>
#include <mutex>

#include "base/text.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

std::vector<std::string> library_names() {
  if (const char* chosen = std::getenv("QUERN_OPENCL_LIBRARY"); chosen != nullptr && *chosen != '\0') {
    return {chosen};
  }
  return {"libOpenCL.so.1", "libOpenCL.so"};
}

struct ErrorName {
  cl_int status;
  const char* name;
};

constexpr ErrorName kErrorNames[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    {CL_IMAGE_FORMAT_MISMATCH, "CL_IMAGE_FORMAT_MISMATCH"},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE"},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
    {CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE"},
    {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
    {CL_DEVICE_PARTITION_FAILED, "CL_DEVICE_PARTITION_FAILED"},
    {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE"},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    {CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    {CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE"},
    {CL_INVALID_SAMPLER, "CL_INVALID_SAMPLER"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET"},
    {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST"},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    {CL_INVALID_GL_OBJECT, "CL_INVALID_GL_OBJECT"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_MIP_LEVEL, "CL_INVALID_MIP_LEVEL"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY"},
    {CL_INVALID_IMAGE_DESCRIPTOR, "CL_INVALID_IMAGE_DESCRIPTOR"},
    {CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS"},
    {CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS"},
    {CL_INVALID_DEVICE_PARTITION_COUNT, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {CL_INVALID_PIPE_SIZE, "CL_INVALID_PIPE_SIZE"},
    {CL_INVALID_DEVICE_QUEUE, "CL_INVALID_DEVICE_QUEUE"},
    {CL_INVALID_SPEC_ID, "CL_INVALID_SPEC_ID"},
    {CL_MAX_SIZE_RESTRICTION_EXCEEDED, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR"},
};

// NVIDIA's own status of a command that made an invalid memory access.
constexpr cl_int kIllegalAccessNvidia = -9999;

}  // namespace

namespace detail {

std::atomic<const Api*> loaded{nullptr};

const Api& load() {
  static const Api* const instance = [] {
    const Api* made = new Api();
    loaded.store(made, std::memory_order_release);
    return made;
  }();
  return *instance;
}

}  // namespace detail

Api::Api() : library(library_names()) {
  if (!library.loaded()) {
    problem = "no OpenCL library could be loaded";
    return;
  }
  const auto optional = [&](auto& slot, const char* name) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(library.symbol(name));
  };
  const auto required = [&](auto& slot, const char* name) {
    optional(slot, name);
    if (slot == nullptr && problem.empty()) {
      problem = library.path() + " has no " + name + ": OpenCL 1.2 is needed";
    }
  };
  required(GetPlatformIDs, "clGetPlatformIDs");
  required(GetPlatformInfo, "clGetPlatformInfo");
  required(GetDeviceIDs, "clGetDeviceIDs");
  required(GetDeviceInfo, "clGetDeviceInfo");
  optional(GetDeviceAndHostTimer, "clGetDeviceAndHostTimer");
  required(CreateSubDevices, "clCreateSubDevices");
  required(ReleaseDevice, "clReleaseDevice");
  required(CreateContext, "clCreateContext");
  required(ReleaseContext, "clReleaseContext");
  required(CreateCommandQueue, "clCreateCommandQueue");
  optional(CreateCommandQueueWithProperties, "clCreateCommandQueueWithProperties");
  required(RetainCommandQueue, "clRetainCommandQueue");
  required(RetainEvent, "clRetainEvent");
  required(ReleaseCommandQueue, "clReleaseCommandQueue");
  required(GetCommandQueueInfo, "clGetCommandQueueInfo");
  required(Finish, "clFinish");
  required(Flush, "clFlush");
  required(CreateBuffer, "clCreateBuffer");
  required(CreateSubBuffer, "clCreateSubBuffer");
  required(RetainMemObject, "clRetainMemObject");
  required(ReleaseMemObject, "clReleaseMemObject");
  required(GetMemObjectInfo, "clGetMemObjectInfo");
  required(CreateProgramWithSource, "clCreateProgramWithSource");
  required(CreateProgramWithBinary, "clCreateProgramWithBinary");
  required(BuildProgram, "clBuildProgram");
  required(ReleaseProgram, "clReleaseProgram");
  required(GetProgramInfo, "clGetProgramInfo");
  required(GetProgramBuildInfo, "clGetProgramBuildInfo");
  required(CreateKernel, "clCreateKernel");
  required(ReleaseKernel, "clReleaseKernel");
  required(SetKernelArg, "clSetKernelArg");
  required(GetKernelInfo, "clGetKernelInfo");
  required(GetKernelArgInfo, "clGetKernelArgInfo");
  required(GetKernelWorkGroupInfo, "clGetKernelWorkGroupInfo");
  required(EnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  required(EnqueueReadBuffer, "clEnqueueReadBuffer");
  required(EnqueueReadBufferRect, "clEnqueueReadBufferRect");
  required(EnqueueWriteBuffer, "clEnqueueWriteBuffer");
  required(EnqueueWriteBufferRect, "clEnqueueWriteBufferRect");
  required(EnqueueCopyBuffer, "clEnqueueCopyBuffer");
  required(EnqueueCopyBufferRect, "clEnqueueCopyBufferRect");
  required(EnqueueFillBuffer, "clEnqueueFillBuffer");
  required(EnqueueMapBuffer, "clEnqueueMapBuffer");
  required(EnqueueUnmapMemObject, "clEnqueueUnmapMemObject");
  required(EnqueueMigrateMemObjects, "clEnqueueMigrateMemObjects");
  optional(SVMAlloc, "clSVMAlloc");
  optional(SVMFree, "clSVMFree");
  optional(EnqueueSVMMap, "clEnqueueSVMMap");
  optional(EnqueueSVMUnmap, "clEnqueueSVMUnmap");
  optional(SetKernelArgSVMPointer, "clSetKernelArgSVMPointer");
  optional(SetKernelExecInfo, "clSetKernelExecInfo");
  required(EnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList");
  required(EnqueueBarrierWithWaitList, "clEnqueueBarrierWithWaitList");
  required(WaitForEvents, "clWaitForEvents");
  required(GetEventInfo, "clGetEventInfo");
  required(SetEventCallback, "clSetEventCallback");
  required(GetEventProfilingInfo, "clGetEventProfilingInfo");
  required(ReleaseEvent, "clReleaseEvent");
}

std::string error_name(cl_int status) {
  for (const ErrorName& known : kErrorNames) {
    if (known.status == status) return known.name;
  }
  if (status == kIllegalAccessNvidia)
    return "error -9999 (a kernel or copy accessed memory that is not its own)";
  return "error " + std::to_string(status);
}

void fail(cl_int status, std::string_view call, std::string_view device, std::size_t requested) {
  std::string text = std::string(call) + " failed with " + error_name(status);
  if (!device.empty()) text += " on " + std::string(device);
  switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      throw OutOfDeviceMemory(text, requested);
    case CL_OUT_OF_RESOURCES:
      // A memory error if memory was requested; otherwise the cause may be registers, or an earlier command.
      if (requested != 0) throw OutOfDeviceMemory(text, requested);
      throw Error(text);
    case CL_DEVICE_NOT_AVAILABLE:
    case kIllegalAccessNvidia:
      throw DeviceLost(text);
    default:
      throw Error(text);
  }
}

std::string driver_text(std::string_view text) {
  return std::string(trimmed(text.substr(0, text.find('\0'))));
}

}  // namespace quern::backend::opencl
