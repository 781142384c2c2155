// SPDX-License-Identifier: MIT
// Finding and loading the CUDA driver library, and the names of its errors.
#include "backend/cuda/api.hpp"

#include <cstdlib>
#include <memory>
#include <mutex>

#include "base/shared_library.hpp"

namespace quern::backend::cuda {
namespace {

// Fills the pointers of a Driver and collects the missing required symbols.
class Loader {
 public:
  explicit Loader(const SharedLibrary& library) : library_(library) {}

  template <class Pointer>
  void require(const char* symbol, Pointer& pointer) {
    optional(symbol, pointer);
    if (pointer == nullptr) missing_ += (missing_.empty() ? "" : ", ") + std::string(symbol);
  }

  template <class Pointer>
  void optional(const char* symbol, Pointer& pointer) {
    pointer = reinterpret_cast<Pointer>(library_.symbol(symbol));
  }

  [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

 private:
  const SharedLibrary& library_;
  std::string missing_;
};

std::string load_symbols(const SharedLibrary& library, Driver& driver) {
  Loader loader(library);
  loader.require("cuInit", driver.cuInit);
  loader.require("cuDriverGetVersion", driver.cuDriverGetVersion);
  loader.require("cuGetErrorName", driver.cuGetErrorName);
  loader.require("cuGetErrorString", driver.cuGetErrorString);

  loader.require("cuDeviceGetCount", driver.cuDeviceGetCount);
  loader.require("cuDeviceGet", driver.cuDeviceGet);
  loader.require("cuDeviceGetName", driver.cuDeviceGetName);
  loader.require("cuDeviceGetAttribute", driver.cuDeviceGetAttribute);
  loader.require("cuDeviceTotalMem_v2", driver.cuDeviceTotalMem);
  loader.optional("cuDeviceGetUuid_v2", driver.cuDeviceGetUuid);
  if (driver.cuDeviceGetUuid == nullptr) loader.optional("cuDeviceGetUuid", driver.cuDeviceGetUuid);
  loader.optional("cuDeviceGetPCIBusId", driver.cuDeviceGetPCIBusId);

  loader.require("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain);
  loader.require("cuCtxGetCurrent", driver.cuCtxGetCurrent);
  loader.require("cuCtxPushCurrent_v2", driver.cuCtxPushCurrent);
  loader.require("cuCtxPopCurrent_v2", driver.cuCtxPopCurrent);

  loader.require("cuStreamCreate", driver.cuStreamCreate);
  loader.require("cuStreamCreateWithPriority", driver.cuStreamCreateWithPriority);
  loader.require("cuCtxGetStreamPriorityRange", driver.cuCtxGetStreamPriorityRange);
  loader.require("cuStreamDestroy_v2", driver.cuStreamDestroy);
  loader.require("cuStreamWaitEvent", driver.cuStreamWaitEvent);
  loader.require("cuEventCreate", driver.cuEventCreate);
  loader.require("cuEventDestroy_v2", driver.cuEventDestroy);
  loader.require("cuEventRecord", driver.cuEventRecord);
  loader.require("cuEventQuery", driver.cuEventQuery);
  loader.require("cuEventSynchronize", driver.cuEventSynchronize);
  // Both versions take the same arguments; the second, since CUDA 12.8, reports more about failed events.
  loader.optional("cuEventElapsedTime_v2", driver.cuEventElapsedTime);
  if (driver.cuEventElapsedTime == nullptr) loader.require("cuEventElapsedTime", driver.cuEventElapsedTime);

  loader.require("cuMemGetInfo_v2", driver.cuMemGetInfo);
  loader.require("cuMemAlloc_v2", driver.cuMemAlloc);
  loader.optional("cuMemAllocManaged", driver.cuMemAllocManaged);
  loader.require("cuMemFree_v2", driver.cuMemFree);
  loader.require("cuMemHostAlloc", driver.cuMemHostAlloc);
  loader.require("cuMemFreeHost", driver.cuMemFreeHost);
  loader.require("cuPointerGetAttributes", driver.cuPointerGetAttributes);

  loader.require("cuMemcpyAsync", driver.cuMemcpyAsync);
  loader.require("cuMemcpyHtoDAsync_v2", driver.cuMemcpyHtoDAsync);
  loader.require("cuMemcpyDtoHAsync_v2", driver.cuMemcpyDtoHAsync);
  loader.require("cuMemcpyDtoDAsync_v2", driver.cuMemcpyDtoDAsync);
  loader.require("cuMemcpyPeerAsync", driver.cuMemcpyPeerAsync);
  loader.require("cuMemcpy3DAsync_v2", driver.cuMemcpy3DAsync);
  loader.require("cuMemsetD8Async", driver.cuMemsetD8Async);
  loader.require("cuMemsetD16Async", driver.cuMemsetD16Async);
  loader.require("cuMemsetD32Async", driver.cuMemsetD32Async);

  loader.require("cuModuleLoadDataEx", driver.cuModuleLoadDataEx);
  loader.require("cuModuleUnload", driver.cuModuleUnload);
  loader.require("cuModuleGetFunction", driver.cuModuleGetFunction);
  loader.require("cuModuleGetGlobal_v2", driver.cuModuleGetGlobal);
  loader.require("cuFuncGetAttribute", driver.cuFuncGetAttribute);
  loader.require("cuFuncSetAttribute", driver.cuFuncSetAttribute);
  loader.require("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                 driver.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  loader.require("cuLaunchKernel", driver.cuLaunchKernel);
  loader.require("cuLaunchHostFunc", driver.cuLaunchHostFunc);

  loader.optional("cuFuncGetParamInfo", driver.cuFuncGetParamInfo);
  loader.optional("cuFuncLoad", driver.cuFuncLoad);
  loader.optional("cuModuleGetFunctionCount", driver.cuModuleGetFunctionCount);
  loader.optional("cuModuleEnumerateFunctions", driver.cuModuleEnumerateFunctions);
  loader.optional("cuFuncGetName", driver.cuFuncGetName);
  loader.optional("cuDeviceGetDevResource", driver.cuDeviceGetDevResource);
  loader.optional("cuGreenCtxGetDevResource", driver.cuGreenCtxGetDevResource);
  loader.optional("cuDevSmResourceSplitByCount", driver.cuDevSmResourceSplitByCount);
  loader.optional("cuDevResourceGenerateDesc", driver.cuDevResourceGenerateDesc);
  loader.optional("cuGreenCtxCreate", driver.cuGreenCtxCreate);
  loader.optional("cuGreenCtxStreamCreate", driver.cuGreenCtxStreamCreate);

  loader.optional("cuStreamBeginCapture_v2", driver.cuStreamBeginCapture);
  loader.optional("cuStreamEndCapture", driver.cuStreamEndCapture);
  loader.optional("cuStreamGetCaptureInfo_v2", driver.cuStreamGetCaptureInfo);
  loader.optional("cuGraphInstantiateWithFlags", driver.cuGraphInstantiate);
  loader.optional("cuGraphLaunch", driver.cuGraphLaunch);
  loader.optional("cuGraphExecKernelNodeSetParams", driver.cuGraphExecKernelNodeSetParams);
  loader.optional("cuGraphDestroy", driver.cuGraphDestroy);
  loader.optional("cuGraphExecDestroy", driver.cuGraphExecDestroy);
  return loader.missing();
}

// Advice for an error of cuInit; empty if the error explains itself.
std::string advice(Result result) {
  switch (result) {
    case Result::stub_library:
      return "; this is the stub that links programs at build time: install NVIDIA's driver, and keep the "
             "toolkit's "
             "stubs folder out of LD_LIBRARY_PATH";
    case Result::no_device:
      return "; the machine has no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it";
    case Result::system_driver_mismatch:
      return "; the kernel module and libcuda are of different versions: restart the machine or reinstall "
             "the driver";
    case Result::system_not_ready:
      return "; the fabric manager may not be running";
    case Result::compat_not_supported_on_device:
      return "; remove CUDA's compatibility libraries from LD_LIBRARY_PATH";
    case Result::unknown:
    case Result::operating_system:
      return "; the nvidia kernel modules may not be loaded: check that nvidia-smi works";
    default:
      return {};
  }
}

// Names for libraries that are too broken to name their own errors, such as the stub.
const char* own_name(Result result) {
  switch (result) {
    case Result::stub_library:
      return "CUDA_ERROR_STUB_LIBRARY";
    case Result::no_device:
      return "CUDA_ERROR_NO_DEVICE";
    case Result::not_initialized:
      return "CUDA_ERROR_NOT_INITIALIZED";
    case Result::system_driver_mismatch:
      return "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    default:
      return "CUDA error";
  }
}

}  // namespace

std::string describe(const Driver& driver, Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(result, &name) != Result::success || name == nullptr) name = own_name(result);
  if (driver.cuGetErrorString(result, &text) != Result::success) text = nullptr;
  std::string out = name + (" (" + std::to_string(static_cast<int>(result)) + ")");
  if (text != nullptr) out += std::string(": ") + text;
  return out;
}

bool is_sticky(Result result) noexcept {
  switch (result) {
    case Result::device_unavailable:
    case Result::ecc_uncorrectable:
    case Result::nvlink_uncorrectable:
    case Result::contained:
    case Result::illegal_address:
    case Result::launch_timeout:
    case Result::context_is_destroyed:
    case Result::assert_failed:
    case Result::hardware_stack_error:
    case Result::illegal_instruction:
    case Result::misaligned_address:
    case Result::invalid_address_space:
    case Result::invalid_pc:
    case Result::launch_failed:
    case Result::tensor_memory_leak:
      return true;
    default:
      return false;
  }
}

const Driver* load_driver(std::vector<Attempt>& attempts) {
  const char* chosen = std::getenv("QUERN_CUDA_LIBRARY");
  const bool overridden = chosen != nullptr && *chosen != '\0';
  const std::vector<std::string> names =
      overridden ? std::vector<std::string>{chosen}
                 : std::vector<std::string>{"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"};
  const SharedLibrary library(names);
  if (!library.loaded()) {
    for (const SharedLibrary::Attempt& attempt : library.attempts()) {
      attempts.push_back({attempt.name, attempt.error, false});
    }
    if (!attempts.empty()) {
      attempts.back().outcome += overridden ? "; QUERN_CUDA_LIBRARY selected this library"
                                            : "; for CUDA devices, install NVIDIA's driver";
    }
    return nullptr;
  }

  auto driver = std::make_unique<Driver>();
  driver->path = library.path();
  const std::string missing = load_symbols(library, *driver);
  if (!missing.empty()) {
    attempts.push_back({driver->path, "is not a CUDA driver that Quern can use: it lacks " + missing, false});
    return nullptr;
  }
  if (const Result result = driver->cuInit(0); result != Result::success) {
    attempts.push_back({driver->path, "cuInit: " + describe(*driver, result) + advice(result), false});
    return nullptr;
  }
  if (const Result result = driver->cuDriverGetVersion(&driver->version); result != Result::success) {
    attempts.push_back({driver->path, "cuDriverGetVersion: " + describe(*driver, result), false});
    return nullptr;
  }
  attempts.push_back({driver->path, "loaded", true});
  // Never destroyed: devices and their memory live until the process ends.
  static auto* const loaded = new std::vector<std::unique_ptr<const Driver>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return loaded->emplace_back(std::move(driver)).get();
}

}  // namespace quern::backend::cuda
