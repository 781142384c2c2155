// SPDX-License-Identifier: MIT
// Allocation of device and pinned memory.
#include "backend/cuda/memory.hpp"

#include <string>

#include "quern/error.hpp"

namespace quern::backend::cuda {

std::unique_ptr<CudaMemory> allocate_memory(const StatePtr& state, std::size_t nbytes) {
  DevicePointer pointer = 0;
  if (nbytes != 0) {  // the driver refuses allocations of 0 bytes
    state->drain();
    const Current current(*state);
    state->check(state->api.cuMemAlloc(&pointer, nbytes), "cuMemAlloc", nbytes);
  }
  try {
    return std::make_unique<CudaMemory>(state, pointer, nbytes, true);
  } catch (...) {
    if (pointer != 0) state->discard_memory(pointer);
    throw;
  }
}

std::unique_ptr<CudaMemory> allocate_managed_memory(const StatePtr& state, std::size_t nbytes) {
  DevicePointer pointer = 0;
  if (nbytes != 0) {
    state->drain();
    const Current current(*state);
    std::size_t free = 0, total = 0;
    state->check(state->api.cuMemGetInfo(&free, &total), "cuMemGetInfo");
    if (nbytes > free) {
      throw OutOfDeviceMemory("managed memory of " + std::to_string(nbytes) + " bytes is more than the " +
                                  std::to_string(free) + " bytes that are free on " + state->name,
                              {nbytes, total - free, 0, total});
    }
    state->check(state->api.cuMemAllocManaged(&pointer, nbytes, kMemAttachGlobal), "cuMemAllocManaged",
                 nbytes);
  }
  try {
    auto memory = std::make_unique<CudaMemory>(state, pointer, nbytes, true);
    memory->set_managed();
    return memory;
  } catch (...) {
    if (pointer != 0) state->discard_memory(pointer);
    throw;
  }
}

std::unique_ptr<CudaPinnedMemory> allocate_pinned_memory(const StatePtr& state, std::size_t nbytes) {
  void* data = nullptr;
  if (nbytes != 0) {
    state->drain();
    const Current current(*state);
    state->check(state->api.cuMemHostAlloc(&data, nbytes, kHostAllocPortable), "cuMemHostAlloc", nbytes);
  }
  try {
    return std::make_unique<CudaPinnedMemory>(state, data, nbytes);
  } catch (...) {
    if (data != nullptr) state->discard_pinned(data);
    throw;
  }
}

bool is_pinned(const DeviceState& state, const void* host, std::size_t nbytes) {
  if (nbytes == 0) return true;
  // Memory may be registered piecewise; a range whose two ends are pinned counts as pinned. The driver is
  // correct either way, only slower.
  const auto known = [&](std::size_t offset) {
    MemoryType type{};
    PointerAttribute attribute = PointerAttribute::memory_type;
    void* value = &type;
    const auto address = reinterpret_cast<std::uintptr_t>(host) + offset;
    return state.api.cuPointerGetAttributes(1, &attribute, &value, address) == Result::success &&
           type == MemoryType::host;
  };
  return known(0) && known(nbytes - 1);
}

}  // namespace quern::backend::cuda
