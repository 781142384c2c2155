// SPDX-License-Identifier: MIT
// Device memory as cl_mem, the sub-buffers that stand for views of it, and pinned host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/opencl/api.hpp"

namespace quern::backend::opencl {

class Context;

// A cl_mem as a kernel argument. The id is never used twice, unlike the handle's value.
struct View {
  cl_mem mem = nullptr;
  std::uint64_t id = 0;
};

class Memory final : public backend::Memory {
 public:
  // `charged`: the device whose use of memory this counts to, null for borrowed memory.
  Memory(std::shared_ptr<Context> context, MemHandle mem, std::size_t size, const std::size_t* charged);
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(mem_.get());
  }
  [[nodiscard]] void* host_pointer() const noexcept override { return nullptr; }

  [[nodiscard]] cl_mem mem() const noexcept { return mem_.get(); }
  // The buffer that a wrapped sub-buffer is part of, and where it starts there; itself and 0 otherwise.
  [[nodiscard]] cl_mem root() const noexcept { return root_; }
  [[nodiscard]] std::size_t root_offset() const noexcept { return root_offset_; }

  // The whole memory as an argument, for views that start where it starts. A kernel can tell no difference,
  // and pools hand out memory that is a little larger than asked for.
  [[nodiscard]] View whole() const noexcept { return {mem_.get(), id_}; }
  // The bytes from `offset` (not 0) as an argument: a sub-buffer, which stays until release_view() at least.
  // Throws ArgumentError where the device cannot start one there.
  [[nodiscard]] View acquire_view(std::size_t offset, std::size_t nbytes) const;
  void release_view() const noexcept;

 private:
  struct CachedView {
    std::size_t offset = 0, size = 0;
    std::uint64_t id = 0;
    MemHandle mem;
  };
  // Sub-buffers are dropped all at once, the newest first and when no command uses them: NVIDIA's driver
  // (580.159) crashes in clReleaseMemObject when one goes that a kernel used and that is older than another
  // of the same buffer. So there are many of them before a launch has to wait for that.
  static constexpr std::size_t kCachedViews = 256;

  std::shared_ptr<Context> context_;
  MemHandle mem_;
  std::size_t size_;
  std::uint64_t id_;
  cl_mem root_ = nullptr;
  std::size_t root_offset_ = 0;
  bool is_charged_ = false;
  std::size_t charged_ = 0;
  mutable std::mutex views_mutex_;  // guards both below
  mutable std::vector<CachedView> views_;
  mutable unsigned views_in_use_ = 0;
};

// Stays mapped for its lifetime, which is what makes it a host pointer that the driver knows as pinned.
class PinnedMemory final : public backend::PinnedMemory {
 public:
  PinnedMemory(std::shared_ptr<Context> context, std::size_t nbytes);
  ~PinnedMemory() override;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] void* data() const noexcept override { return data_; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }

 private:
  std::shared_ptr<Context> context_;
  MemHandle mem_;
  void* data_ = nullptr;
  std::size_t size_;
};

std::unique_ptr<Memory> allocate_memory(std::shared_ptr<Context> context, std::size_t device,
                                        std::size_t nbytes);
std::unique_ptr<Memory> wrap_memory(std::shared_ptr<Context> context, cl_mem mem, std::size_t nbytes);
// A buffer for the commands that the caller enqueues, who then retires it.
MemHandle temporary_buffer(const Context& context, std::size_t nbytes, const void* contents = nullptr);

}  // namespace quern::backend::opencl
