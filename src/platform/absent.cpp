// SPDX-License-Identifier: MIT
// Functions of features that the devices report absent. Each returns the code that the specification gives.
#include <cstddef>
#include <tuple>
#include <utility>

#include "platform/errors.hpp"
#include "platform/objects.hpp"
#include "platform/tables.hpp"

namespace quern::platform {
namespace {

// A function that returns the code and does nothing else.
template <cl_int code, class... A>
void absent(cl_int(CL_API_CALL*& slot)(A...)) noexcept {
  slot = [](A...) -> cl_int { return code; };
}

// The same for one that makes an object: its last parameter receives the code.
template <cl_int code, class Object, class... A>
void absent(Object*(CL_API_CALL*& slot)(A...)) noexcept {
  slot = [](A... arguments) -> Object* {
    const std::tuple<A...> all(arguments...);
    cl_int* const errcode = std::get<sizeof...(A) - 1>(all);
    if (errcode != nullptr) *errcode = code;
    return nullptr;
  };
}

cl_int CL_API_CALL no_interface() {
  return CL_INVALID_OPERATION;
}

// The headers declare slots of other systems as plain pointers.
void absent_here(void*& slot) noexcept {
  slot = reinterpret_cast<void*>(&no_interface);
}
template <class Function>
void absent_here(Function*& slot) noexcept {
  absent<CL_INVALID_OPERATION>(slot);
}

cl_int CL_API_CALL image_formats(cl_context context, cl_mem_flags, cl_mem_object_type, cl_uint,
                                 cl_image_format*, cl_uint* count) {
  if (!is_valid(context)) return CL_INVALID_CONTEXT;
  if (count != nullptr) *count = 0;
  return CL_SUCCESS;
}

}  // namespace

void add_absent(cl_icd_dispatch& t) noexcept {
  // CL_DEVICE_IMAGE_SUPPORT is false.
  absent<CL_INVALID_OPERATION>(t.clCreateImage2D);
  absent<CL_INVALID_OPERATION>(t.clCreateImage3D);
  absent<CL_INVALID_OPERATION>(t.clCreateImage);
  absent<CL_INVALID_OPERATION>(t.clCreateImageWithProperties);
  t.clGetSupportedImageFormats = image_formats;
  absent<CL_INVALID_MEM_OBJECT>(t.clGetImageInfo);
  absent<CL_INVALID_OPERATION>(t.clCreateSampler);
  absent<CL_INVALID_OPERATION>(t.clCreateSamplerWithProperties);
  absent<CL_INVALID_SAMPLER>(t.clRetainSampler);
  absent<CL_INVALID_SAMPLER>(t.clReleaseSampler);
  absent<CL_INVALID_SAMPLER>(t.clGetSamplerInfo);
  absent<CL_INVALID_OPERATION>(t.clEnqueueReadImage);
  absent<CL_INVALID_OPERATION>(t.clEnqueueWriteImage);
  absent<CL_INVALID_OPERATION>(t.clEnqueueCopyImage);
  absent<CL_INVALID_OPERATION>(t.clEnqueueCopyImageToBuffer);
  absent<CL_INVALID_OPERATION>(t.clEnqueueCopyBufferToImage);
  absent<CL_INVALID_OPERATION>(t.clEnqueueFillImage);
  t.clEnqueueMapImage = [](cl_command_queue, cl_mem, cl_bool, cl_map_flags, const size_t*, const size_t*,
                           size_t*, size_t*, cl_uint, const cl_event*, cl_event*, cl_int* code) -> void* {
    if (code != nullptr) *code = CL_INVALID_OPERATION;
    return nullptr;
  };
  // CL_DEVICE_PIPE_SUPPORT is false, CL_DEVICE_IL_VERSION is empty, there are no queues on devices, and
  // CL_DEVICE_MAX_NUM_SUB_GROUPS is 0.
  absent<CL_INVALID_OPERATION>(t.clCreatePipe);
  absent<CL_INVALID_MEM_OBJECT>(t.clGetPipeInfo);
  absent<CL_INVALID_OPERATION>(t.clCreateProgramWithIL);
  absent<CL_INVALID_OPERATION>(t.clSetProgramSpecializationConstant);
  absent<CL_INVALID_OPERATION>(t.clSetProgramReleaseCallback);
  absent<CL_INVALID_OPERATION>(t.clSetDefaultDeviceCommandQueue);
  absent<CL_INVALID_OPERATION>(t.clGetKernelSubGroupInfo);
  absent<CL_INVALID_OPERATION>(t.clGetKernelSubGroupInfoKHR);
  absent<CL_INVALID_VALUE>(t.clCreateProgramWithBuiltInKernels);  // there are none
  absent<CL_INVALID_OPERATION>(t.clSetCommandQueueProperty);      // since OpenCL 1.1
  // Extensions that no platform here lists.
  absent_here(t.clCreateFromGLBuffer);
  absent_here(t.clCreateFromGLTexture);
  absent_here(t.clCreateFromGLTexture2D);
  absent_here(t.clCreateFromGLTexture3D);
  absent_here(t.clCreateFromGLRenderbuffer);
  absent_here(t.clGetGLObjectInfo);
  absent_here(t.clGetGLTextureInfo);
  absent_here(t.clEnqueueAcquireGLObjects);
  absent_here(t.clEnqueueReleaseGLObjects);
  absent_here(t.clGetGLContextInfoKHR);
  absent_here(t.clCreateEventFromGLsyncKHR);
  absent_here(t.clCreateFromEGLImageKHR);
  absent_here(t.clEnqueueAcquireEGLObjectsKHR);
  absent_here(t.clEnqueueReleaseEGLObjectsKHR);
  absent_here(t.clCreateEventFromEGLSyncKHR);
  absent_here(t.clGetDeviceIDsFromD3D10KHR);
  absent_here(t.clCreateFromD3D10BufferKHR);
  absent_here(t.clCreateFromD3D10Texture2DKHR);
  absent_here(t.clCreateFromD3D10Texture3DKHR);
  absent_here(t.clEnqueueAcquireD3D10ObjectsKHR);
  absent_here(t.clEnqueueReleaseD3D10ObjectsKHR);
  absent_here(t.clGetDeviceIDsFromD3D11KHR);
  absent_here(t.clCreateFromD3D11BufferKHR);
  absent_here(t.clCreateFromD3D11Texture2DKHR);
  absent_here(t.clCreateFromD3D11Texture3DKHR);
  absent_here(t.clCreateFromDX9MediaSurfaceKHR);
  absent_here(t.clEnqueueAcquireD3D11ObjectsKHR);
  absent_here(t.clEnqueueReleaseD3D11ObjectsKHR);
  absent_here(t.clGetDeviceIDsFromDX9MediaAdapterKHR);
  absent_here(t.clEnqueueAcquireDX9MediaSurfacesKHR);
  absent_here(t.clEnqueueReleaseDX9MediaSurfacesKHR);
}

}  // namespace quern::platform
