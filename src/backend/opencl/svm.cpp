// SPDX-License-Identifier: MIT
// Allocations of shared virtual memory, and the list of those that are alive.
#include "backend/opencl/svm.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/opencl/context.hpp"
#include "backend/opencl/memory.hpp"
#include "quern/error.hpp"

namespace quern::backend::opencl {
namespace {

struct Live {
  cl_context context;
  void* address;
};

struct LiveList {
  std::mutex mutex;
  std::vector<Live> all;
  std::uint64_t epoch = 1;  // changes with the list
};

LiveList& live_list() {
  static auto* const list = new LiveList;  // never destroyed: memory may be freed at exit
  return *list;
}

void forget(void* address) {
  LiveList& list = live_list();
  const std::lock_guard lock(list.mutex);
  std::erase_if(list.all, [&](const Live& each) { return each.address == address; });
  ++list.epoch;
}

}  // namespace

SharingContext::Grain finest_svm_grain(const Context& context, std::size_t device) {
  using Grain = SharingContext::Grain;
  const Device& chosen = context.device(device);
  const Api& cl = api();
  if (!chosen.speaks(2, 0) || cl.SVMAlloc == nullptr || cl.SVMFree == nullptr ||
      cl.EnqueueSVMMap == nullptr || cl.EnqueueSVMUnmap == nullptr || cl.SetKernelArgSVMPointer == nullptr ||
      cl.SetKernelExecInfo == nullptr)
    return Grain::none;
  cl_device_svm_capabilities has = 0;
  if (cl.GetDeviceInfo(chosen.id(), CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, nullptr) != CL_SUCCESS)
    return Grain::none;
  if ((has & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) return Grain::fine;
  return (has & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0 ? Grain::coarse : Grain::none;
}

SharedMemory allocate_svm(std::shared_ptr<Context> context, std::size_t device, std::size_t nbytes,
                          SharingContext::Grain grain) {
  const std::size_t size = std::max<std::size_t>(nbytes, 1);
  const bool is_fine = grain == SharingContext::Grain::fine;
  const std::string& label = context->device(device).label();
  constexpr cl_uint kAlignment = 128;  // of the largest vectors
  void* const address = api().SVMAlloc(
      context->id(), CL_MEM_READ_WRITE | (is_fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0), size, kAlignment);
  if (address == nullptr) {
    throw OutOfDeviceMemory("clSVMAlloc could not allocate " + std::to_string(size) + " bytes on " + label,
                            size);
  }
  SharedMemory result;
  result.owner = std::shared_ptr<void>(address, [context](void* memory) {
    forget(memory);
    if (!process::must_not_touch_drivers()) api().SVMFree(context->id(), memory);
  });
  // Copies and fills use the memory as a buffer.
  cl_int status = CL_SUCCESS;
  MemHandle mem(
      api().CreateBuffer(context->id(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, address, &status));
  check(status, "clCreateBuffer of shared virtual memory", label, size);
  {
    LiveList& list = live_list();
    const std::lock_guard lock(list.mutex);
    list.all.push_back({context->id(), address});
    ++list.epoch;
  }
  auto memory = std::make_unique<Memory>(std::move(context), std::move(mem), nbytes, nullptr);
  memory->set_svm(address, is_fine);
  result.memory = std::move(memory);
  return result;
}

void allow_svm(cl_kernel kernel, cl_context context, const std::string& device, std::uint64_t& epoch) {
  std::vector<void*> addresses;
  {
    LiveList& list = live_list();
    const std::lock_guard lock(list.mutex);
    if (epoch == list.epoch) return;
    epoch = list.epoch;
    for (const Live& each : list.all)
      if (each.context == context) addresses.push_back(each.address);
  }
  if (addresses.empty()) return;
  check(api().SetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, addresses.size() * sizeof(void*),
                                addresses.data()),
        "clSetKernelExecInfo(CL_KERNEL_EXEC_INFO_SVM_PTRS)", device);
}

}  // namespace quern::backend::opencl
