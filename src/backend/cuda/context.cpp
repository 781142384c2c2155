// SPDX-License-Identifier: MIT
// Factory functions of a CUDA context: queues, memory, programs.
#include "backend/cuda/context.hpp"

#include "backend/cuda/memory.hpp"
#include "backend/cuda/nvrtc.hpp"
#include "backend/cuda/program.hpp"
#include "backend/cuda/queue.hpp"
#include "base/shared_library.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {

CudaContext::CudaContext(std::vector<std::shared_ptr<CudaDevice>> devices) : devices_(std::move(devices)) {
  for (const auto& device : devices_) states_.push_back(device->state());
}

std::unique_ptr<Queue> CudaContext::make_queue(std::size_t device, const QueueOptions& options) {
  return std::make_unique<CudaQueue>(states_.at(device), options, devices_[device]->green());
}

std::unique_ptr<Queue> CudaContext::wrap_queue(std::size_t device, std::uintptr_t native) {
  return std::make_unique<CudaQueue>(states_.at(device), reinterpret_cast<StreamHandle>(native));
}

std::unique_ptr<Memory> CudaContext::allocate(std::size_t device, std::size_t nbytes) {
  return allocate_memory(states_.at(device), nbytes);
}

std::unique_ptr<Memory> CudaContext::wrap_memory(std::uintptr_t native, std::size_t nbytes) {
  const StatePtr* home = &states_.front();
  if (states_.size() > 1) {  // the driver knows which device a pointer belongs to
    const Current current(**home);
    int ordinal = -1;
    PointerAttribute attribute = PointerAttribute::device_ordinal;
    void* value = &ordinal;
    if ((*home)->api.cuPointerGetAttributes(1, &attribute, &value, native) == Result::success) {
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (devices_[i]->ordinal() == ordinal) home = &states_[i];
      }
    }
  }
  return std::make_unique<CudaMemory>(*home, native, nbytes, false);
}

std::unique_ptr<PinnedMemory> CudaContext::allocate_pinned(std::size_t nbytes) {
  return allocate_pinned_memory(states_.front(), nbytes);
}

SharingContext::Grain CudaContext::finest_grain(std::size_t device) const {
  const bool has_it = states_.at(device)->api.cuMemAllocManaged != nullptr &&
                      devices_[device]->attribute(DeviceAttribute::concurrent_managed_access) != 0;
  return has_it ? Grain::fine : Grain::none;
}

SharedMemory CudaContext::allocate_shared(std::size_t device, std::size_t nbytes, Grain /*grain*/) {
  return {nullptr, allocate_managed_memory(states_.at(device), nbytes)};
}

MemoryInfo CudaContext::memory_info(std::size_t device) const {
  DeviceState& state = *states_.at(device);
  state.drain();
  const Current current(state);
  MemoryInfo info;
  state.check(state.api.cuMemGetInfo(&info.free, &info.total), "cuMemGetInfo");
  return info;
}

Compiled CudaContext::compile(std::size_t device, const CompileRequest& request) {
  const CudaDevice& target = *devices_.at(device);
  if (request.dialect != Dialect::cuda_cpp) {
    throw ArgumentError(ArgumentError::Kind::value,
                        "CUDA devices compile CUDA C++, and '" + request.name + "' is in another language");
  }
  const DeviceState& state = *states_[device];
  return compile_with_nvrtc(load_nvrtc(state.api.version / 1000), target.capability(), request, state.name);
}

std::unique_ptr<Module> CudaContext::load(std::size_t device, std::span<const std::byte> binary) {
  return load_module(states_.at(device), binary);
}

std::string CudaContext::compiler_identity(std::size_t device) {
  const CudaDevice& target = *devices_.at(device);
  const int version = states_[device]->api.version;
  std::string compiler = "none";
  for (const std::string& file : nvrtc_files(version / 1000)) {
    if (std::string identity = file_identity(file); !identity.empty()) {
      compiler = std::move(identity);
      break;
    }
  }
  return "nvrtc " + compiler + "; driver " + std::to_string(version) + " " +
         target.properties().driver_version + "; " + target.properties().architecture;
}

bool CudaContext::can_use(const Memory& memory) const noexcept {
  const auto* const other = dynamic_cast<const CudaMemory*>(&memory);
  return other != nullptr && other->state().context == states_.front()->context;
}

std::uintptr_t CudaContext::native_handle(std::size_t device) const noexcept {
  return reinterpret_cast<std::uintptr_t>(states_[device]->context);
}

}  // namespace quern::backend::cuda
