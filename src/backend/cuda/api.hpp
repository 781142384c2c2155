// SPDX-License-Identifier: MIT
// The CUDA driver's entry points that Quern uses, declared here and loaded at run time: the one place that
// knows them.
//
// Names, values and layouts are those of the driver's ABI, so that each can be looked up in NVIDIA's manual.
// The variants with per-thread default streams are not used: a default stream is never used either.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "backend/registry.hpp"

namespace quern::backend::cuda {

enum class Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  stub_library = 34,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  contained = 226,
  operating_system = 304,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  context_is_destroyed = 709,
  assert_failed = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  tensor_memory_leak = 721,
  not_permitted = 800,
  not_supported = 801,
  system_not_ready = 802,
  system_driver_mismatch = 803,
  compat_not_supported_on_device = 804,
  unknown = 999,
};

using DeviceHandle = int;
using DevicePointer = unsigned long long;
using ContextHandle = struct OpaqueContext*;
using StreamHandle = struct OpaqueStream*;
using EventHandle = struct OpaqueEvent*;
using ModuleHandle = struct OpaqueModule*;
using FunctionHandle = struct OpaqueFunction*;
using ArrayHandle = struct OpaqueArray*;
using GreenContextHandle = struct OpaqueGreenContext*;
using ResourceDescriptor = struct OpaqueResourceDescriptor*;
using GraphHandle = struct OpaqueGraph*;
using GraphExecHandle = struct OpaqueGraphExec*;
using GraphNodeHandle = struct OpaqueGraphNode*;

struct Uuid {
  unsigned char bytes[16];
};

// CUdevice_attribute: those that Quern uses; device_info.cpp names all.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_dim_x = 2,
  max_block_dim_y = 3,
  max_block_dim_z = 4,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  warp_size = 10,
  max_pitch = 11,
  multiprocessor_count = 16,
  integrated = 18,
  unified_addressing = 41,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  pageable_memory_access = 88,
  concurrent_managed_access = 89,
  max_shared_memory_per_block_optin = 97,
};

enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  local_size_bytes = 3,
  num_regs = 4,
  max_dynamic_shared_size_bytes = 8,
};

enum class PointerAttribute : int { memory_type = 2, is_managed = 8, device_ordinal = 9 };

enum class MemoryType : unsigned { host = 1, device = 2, array = 3, unified = 4 };

enum class JitOption : int {
  error_log_buffer = 5,
  error_log_buffer_size_bytes = 6,
};

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr unsigned kMemAttachGlobal = 1;

// CUstreamCaptureMode: a thread that captures in this mode may call functions such as cuMemAlloc meanwhile.
inline constexpr int kStreamCaptureModeRelaxed = 2;

// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNodeParameters {
  FunctionHandle function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
};

// One side of CUDA_MEMCPY3D_v2; the structure holds the source, then the target, then the extent.
template <class HostPointer>
struct CopySide {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  MemoryType type = MemoryType::device;
  HostPointer host = nullptr;
  DevicePointer device = 0;
  ArrayHandle array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};

struct Copy3D {
  CopySide<const void*> from;
  CopySide<void*> to;
  std::size_t width_bytes = 0, height = 0, depth = 0;
};

// CUdevResource: the multiprocessors of a device or of a part of it.
struct Resource {
  int type = 0;
  unsigned char internal[92] = {};
  unsigned multiprocessors = 0;  // smCount
  // Since CUDA 13.0; 0 with older drivers.
  unsigned smallest_part = 0;  // minSmPartitionSize
  unsigned granularity = 0;    // smCoscheduledAlignment
  unsigned char others[36] = {};
};
static_assert(sizeof(Resource) == 144);
inline constexpr int kResourceMultiprocessors = 1;
inline constexpr unsigned kGreenContextDefaultStream = 1;

// A member has the name of the driver's function; if the symbol is a later version, it is in api.cpp.
struct Driver {
  Result (*cuInit)(unsigned flags) = nullptr;
  Result (*cuDriverGetVersion)(int* version) = nullptr;
  Result (*cuGetErrorName)(Result error, const char** name) = nullptr;
  Result (*cuGetErrorString)(Result error, const char** text) = nullptr;

  Result (*cuDeviceGetCount)(int* count) = nullptr;
  Result (*cuDeviceGet)(DeviceHandle* device, int ordinal) = nullptr;
  Result (*cuDeviceGetName)(char* name, int length, DeviceHandle device) = nullptr;
  Result (*cuDeviceGetAttribute)(int* value, DeviceAttribute attribute, DeviceHandle device) = nullptr;
  Result (*cuDeviceTotalMem)(std::size_t* bytes, DeviceHandle device) = nullptr;
  Result (*cuDeviceGetUuid)(Uuid* uuid, DeviceHandle device) = nullptr;
  Result (*cuDeviceGetPCIBusId)(char* id, int length, DeviceHandle device) = nullptr;

  Result (*cuDevicePrimaryCtxRetain)(ContextHandle* context, DeviceHandle device) = nullptr;
  Result (*cuCtxGetCurrent)(ContextHandle* context) = nullptr;
  Result (*cuCtxPushCurrent)(ContextHandle context) = nullptr;
  Result (*cuCtxPopCurrent)(ContextHandle* context) = nullptr;

  Result (*cuStreamCreate)(StreamHandle* stream, unsigned flags) = nullptr;
  Result (*cuStreamCreateWithPriority)(StreamHandle* stream, unsigned flags, int priority) = nullptr;
  Result (*cuCtxGetStreamPriorityRange)(int* least, int* greatest) = nullptr;
  Result (*cuStreamDestroy)(StreamHandle stream) = nullptr;
  Result (*cuStreamWaitEvent)(StreamHandle stream, EventHandle event, unsigned flags) = nullptr;
  Result (*cuEventCreate)(EventHandle* event, unsigned flags) = nullptr;
  Result (*cuEventDestroy)(EventHandle event) = nullptr;
  Result (*cuEventRecord)(EventHandle event, StreamHandle stream) = nullptr;
  Result (*cuEventQuery)(EventHandle event) = nullptr;
  Result (*cuEventSynchronize)(EventHandle event) = nullptr;
  Result (*cuEventElapsedTime)(float* milliseconds, EventHandle start, EventHandle end) = nullptr;

  Result (*cuMemGetInfo)(std::size_t* free, std::size_t* total) = nullptr;
  Result (*cuMemAlloc)(DevicePointer* pointer, std::size_t bytes) = nullptr;
  Result (*cuMemAllocManaged)(DevicePointer* pointer, std::size_t bytes, unsigned flags) = nullptr;
  Result (*cuMemFree)(DevicePointer pointer) = nullptr;
  Result (*cuMemHostAlloc)(void** pointer, std::size_t bytes, unsigned flags) = nullptr;
  Result (*cuMemFreeHost)(void* pointer) = nullptr;
  // Unlike its singular form it does not fail for memory unknown to the driver, and returns zeros.
  Result (*cuPointerGetAttributes)(unsigned count, PointerAttribute* attributes, void** values,
                                   DevicePointer pointer) = nullptr;

  Result (*cuMemcpyAsync)(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle) = nullptr;
  Result (*cuMemcpyHtoDAsync)(DevicePointer to, const void* from, std::size_t bytes, StreamHandle) = nullptr;
  Result (*cuMemcpyDtoHAsync)(void* to, DevicePointer from, std::size_t bytes, StreamHandle) = nullptr;
  Result (*cuMemcpyDtoDAsync)(DevicePointer to, DevicePointer from, std::size_t bytes,
                              StreamHandle) = nullptr;
  Result (*cuMemcpyPeerAsync)(DevicePointer to, ContextHandle to_context, DevicePointer from,
                              ContextHandle from_context, std::size_t bytes, StreamHandle) = nullptr;
  Result (*cuMemcpy3DAsync)(const Copy3D* copy, StreamHandle) = nullptr;
  Result (*cuMemsetD8Async)(DevicePointer to, unsigned char value, std::size_t count, StreamHandle) = nullptr;
  Result (*cuMemsetD16Async)(DevicePointer to, unsigned short value, std::size_t count,
                             StreamHandle) = nullptr;
  Result (*cuMemsetD32Async)(DevicePointer to, unsigned value, std::size_t count, StreamHandle) = nullptr;

  Result (*cuModuleLoadDataEx)(ModuleHandle* module, const void* image, unsigned count, JitOption* options,
                               void** values) = nullptr;
  Result (*cuModuleUnload)(ModuleHandle module) = nullptr;
  Result (*cuModuleGetFunction)(FunctionHandle* function, ModuleHandle module, const char* name) = nullptr;
  Result (*cuModuleGetGlobal)(DevicePointer* pointer, std::size_t* bytes, ModuleHandle module,
                              const char* name) = nullptr;
  Result (*cuFuncGetAttribute)(int* value, FunctionAttribute attribute, FunctionHandle function) = nullptr;
  Result (*cuFuncSetAttribute)(FunctionHandle function, FunctionAttribute attribute, int value) = nullptr;
  Result (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, FunctionHandle function, int block_size,
                                                        std::size_t dynamic_shared_bytes) = nullptr;
  Result (*cuLaunchKernel)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                           StreamHandle stream, void** parameters, void** extra) = nullptr;
  Result (*cuLaunchHostFunc)(StreamHandle stream, void (*function)(void*), void* data) = nullptr;

  // Since CUDA 12.4; null with older drivers.
  Result (*cuFuncGetParamInfo)(FunctionHandle function, std::size_t index, std::size_t* offset,
                               std::size_t* size) = nullptr;
  Result (*cuFuncLoad)(FunctionHandle function) = nullptr;
  Result (*cuModuleGetFunctionCount)(unsigned* count, ModuleHandle module) = nullptr;
  Result (*cuModuleEnumerateFunctions)(FunctionHandle* functions, unsigned count,
                                       ModuleHandle module) = nullptr;
  Result (*cuFuncGetName)(const char** name, FunctionHandle function) = nullptr;
  Result (*cuDeviceGetDevResource)(DeviceHandle device, Resource* resource, int type) = nullptr;
  Result (*cuGreenCtxGetDevResource)(GreenContextHandle context, Resource* resource, int type) = nullptr;
  Result (*cuDevSmResourceSplitByCount)(Resource* result, unsigned* groups, const Resource* input,
                                        Resource* remaining, unsigned flags, unsigned least) = nullptr;
  Result (*cuDevResourceGenerateDesc)(ResourceDescriptor* descriptor, Resource* resources,
                                      unsigned count) = nullptr;
  Result (*cuGreenCtxCreate)(GreenContextHandle* context, ResourceDescriptor descriptor, DeviceHandle device,
                             unsigned flags) = nullptr;
  Result (*cuGreenCtxStreamCreate)(StreamHandle* stream, GreenContextHandle context, unsigned flags,
                                   int priority) = nullptr;  // since CUDA 12.5

  // Graphs, since CUDA 11.4; null with older drivers.
  Result (*cuStreamBeginCapture)(StreamHandle stream, int mode) = nullptr;
  Result (*cuStreamEndCapture)(StreamHandle stream, GraphHandle* graph) = nullptr;
  Result (*cuStreamGetCaptureInfo)(StreamHandle stream, int* status, unsigned long long* id,
                                   GraphHandle* graph, const GraphNodeHandle** last,
                                   std::size_t* count) = nullptr;
  Result (*cuGraphInstantiate)(GraphExecHandle* exec, GraphHandle graph, unsigned long long flags) = nullptr;
  Result (*cuGraphLaunch)(GraphExecHandle exec, StreamHandle stream) = nullptr;
  Result (*cuGraphExecKernelNodeSetParams)(GraphExecHandle exec, GraphNodeHandle node,
                                           const KernelNodeParameters* parameters) = nullptr;
  Result (*cuGraphDestroy)(GraphHandle graph) = nullptr;
  Result (*cuGraphExecDestroy)(GraphExecHandle exec) = nullptr;
  [[nodiscard]] bool has_graphs() const noexcept {
    return cuStreamBeginCapture != nullptr && cuStreamEndCapture != nullptr &&
           cuGraphInstantiate != nullptr && cuGraphLaunch != nullptr && cuGraphDestroy != nullptr &&
           cuGraphExecDestroy != nullptr;
  }

  int version = 0;   // of CUDA, 13000 for 13.0
  std::string path;  // of the library
};

// Loads and initialises the driver library and records what happened in the attempts. Null if there is no
// usable driver. The result is never destroyed.
const Driver* load_driver(std::vector<Attempt>& attempts);

// "CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected". Works for libraries that cannot name
// errors.
std::string describe(const Driver& driver, Result result);

// True for errors after which the process can no longer use the device.
bool is_sticky(Result result) noexcept;

}  // namespace quern::backend::cuda
