// SPDX-License-Identifier: MIT
// The host CPU as a device, and parts of it.
#pragma once

#include <vector>

#include "backend/backend.hpp"
#include "backend/parts.hpp"
#include "backend/shared_memory.hpp"
#include "base/thread_pool.hpp"

namespace quern::backend::host {

class HostDevice final : public Device, public DividedDevice {
 public:
  HostDevice();
  // A part: a team of threads that run on these processors only.
  HostDevice(const HostDevice& parent, const std::vector<int>& processors);
  [[nodiscard]] const DeviceProperties& properties() const noexcept override { return properties_; }
  [[nodiscard]] Info info() const override;
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override { return 0; }
  std::shared_ptr<Context> make_context(std::span<const std::shared_ptr<Device>> devices) override;
  std::vector<std::shared_ptr<Device>> split(const std::shared_ptr<Device>& self,
                                             const Division& division) override;

  [[nodiscard]] ThreadPool& pool() const noexcept { return pool_; }

 private:
  DeviceProperties properties_;
  ThreadPool& pool_;
};

class HostContext final : public Context, public SharingContext, public CommonMemoryContext {
 public:
  explicit HostContext(std::vector<ThreadPool*> pools) : pools_(std::move(pools)) {}  // one for each device

  std::unique_ptr<Queue> make_queue(std::size_t device, const QueueOptions& options) override;
  std::unique_ptr<Queue> wrap_queue(std::size_t device, std::uintptr_t native) override;
  std::unique_ptr<Memory> allocate(std::size_t device, std::size_t nbytes) override;
  std::unique_ptr<Memory> wrap_memory(std::uintptr_t native, std::size_t nbytes) override;
  std::unique_ptr<PinnedMemory> allocate_pinned(std::size_t nbytes) override;
  [[nodiscard]] Grain finest_grain(std::size_t) const override { return Grain::fine; }
  SharedMemory allocate_shared(std::size_t device, std::size_t nbytes, Grain grain) override;
  [[nodiscard]] MemoryInfo memory_info(std::size_t device) const override;
  Compiled compile(std::size_t device, const CompileRequest& request) override;
  [[nodiscard]] bool can_compile() override;
  std::unique_ptr<Module> load(std::size_t device, std::span<const std::byte> binary) override;
  std::unique_ptr<Module> embed(PrecompiledFunction* function, const Signature& signature,
                                std::shared_ptr<const void> owner) override;
  std::string compiler_identity(std::size_t device) override;
  [[nodiscard]] bool can_use(const Memory& memory) const noexcept override;
  [[nodiscard]] std::uintptr_t native_handle(std::size_t) const noexcept override { return 0; }

 private:
  std::vector<ThreadPool*> pools_;
};

}  // namespace quern::backend::host
