// SPDX-License-Identifier: MIT
// The primary contexts of one or more CUDA devices.
#pragma once

#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/device.hpp"
#include "backend/parts.hpp"
#include "backend/shared_memory.hpp"

namespace quern::backend::cuda {

class CudaContext final : public Context, public SharingContext, public CommonMemoryContext {
 public:
  explicit CudaContext(std::vector<std::shared_ptr<CudaDevice>> devices);

  std::unique_ptr<Queue> make_queue(std::size_t device, const QueueOptions& options) override;
  std::unique_ptr<Queue> wrap_queue(std::size_t device, std::uintptr_t native) override;
  std::unique_ptr<Memory> allocate(std::size_t device, std::size_t nbytes) override;
  std::unique_ptr<Memory> wrap_memory(std::uintptr_t native, std::size_t nbytes) override;
  std::unique_ptr<PinnedMemory> allocate_pinned(std::size_t nbytes) override;
  // Only devices that let the host access managed memory while kernels run on other memory.
  [[nodiscard]] Grain finest_grain(std::size_t device) const override;
  SharedMemory allocate_shared(std::size_t device, std::size_t nbytes, Grain grain) override;
  [[nodiscard]] MemoryInfo memory_info(std::size_t device) const override;

  Compiled compile(std::size_t device, const CompileRequest& request) override;
  std::unique_ptr<Module> load(std::size_t device, std::span<const std::byte> binary) override;
  std::string compiler_identity(std::size_t device) override;
  // Parts share the primary context of their device, and its memory.
  [[nodiscard]] bool can_use(const Memory& memory) const noexcept override;
  [[nodiscard]] std::uintptr_t native_handle(std::size_t device) const noexcept override;

 private:
  std::vector<std::shared_ptr<CudaDevice>> devices_;
  std::vector<StatePtr> states_;
};

}  // namespace quern::backend::cuda
