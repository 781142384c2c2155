// SPDX-License-Identifier: MIT
// Device memory as cl_mem, sub-buffers for views of it, and pinned host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/opencl/api.hpp"

namespace quern::backend::opencl {

class Context;

// Unique in a process.
std::uint64_t unique_id();

// A cl_mem as a kernel argument. Unlike the handle's value, the id is never reused.
struct View {
  cl_mem mem = nullptr;
  std::uint64_t id = 0;
};

// Held by launches that use sub-buffers, one at a time in the whole process. For each queue NVIDIA's driver
// (580.159) remembers the order in which the sub-buffers of a buffer were first used, and crashes in
// clReleaseMemObject unless the last is released first. So each queue has its own sub-buffers, they are first
// used in the order of their creation, and they are released all at once, the newest first, when no command
// uses them.
std::mutex& views_mutex();

class Memory final : public backend::Memory {
 public:
  // `charged`: the device whose memory use this counts to, null for borrowed memory.
  Memory(std::shared_ptr<Context> context, MemHandle mem, std::size_t size, const std::size_t* charged);
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(mem_.get());
  }
  // Fine-grained shared virtual memory. The host maps any other memory.
  [[nodiscard]] void* host_pointer() const noexcept override { return is_fine_ ? svm_ : nullptr; }

  // The address of shared virtual memory; null for other memory.
  [[nodiscard]] void* svm() const noexcept { return svm_; }
  [[nodiscard]] bool is_fine() const noexcept { return is_fine_; }
  void set_svm(void* address, bool is_fine) noexcept {
    svm_ = address;
    is_fine_ = is_fine;
  }
  [[nodiscard]] const Context& context() const noexcept { return *context_; }

  [[nodiscard]] cl_mem mem() const noexcept { return mem_.get(); }
  // The buffer that a wrapped sub-buffer is part of, and its offset there; otherwise itself and 0.
  [[nodiscard]] cl_mem root() const noexcept { return root_; }
  [[nodiscard]] std::size_t root_offset() const noexcept { return root_offset_; }

  // The whole memory as an argument, for views that start at its beginning. A kernel cannot tell the
  // difference, and pools return memory that is a little larger than requested.
  [[nodiscard]] View whole() const noexcept { return {mem_.get(), id_}; }
  // The bytes from `offset` (not 0) as an argument on that queue: a sub-buffer, which is kept for later
  // launches. Throws ArgumentError if the device cannot start one there. The caller holds views_mutex() until
  // it has enqueued the command that uses it.
  [[nodiscard]] View view(std::uint64_t queue, std::size_t offset, std::size_t nbytes);
  // Drops all sub-buffers when there are very many, after waiting for the commands that use them.
  void drop_views_if_full();

 private:
  struct CachedView {
    std::uint64_t queue = 0;
    std::size_t offset = 0, size = 0;
    std::uint64_t id = 0;
    MemHandle mem;
  };
  static constexpr std::size_t kMostViews = 256;

  std::shared_ptr<Context> context_;
  MemHandle mem_;
  std::size_t size_;
  std::uint64_t id_;
  cl_mem root_ = nullptr;
  std::size_t root_offset_ = 0;
  bool is_charged_ = false;
  std::size_t home_ = 0;  // the device it was made for
  std::vector<CachedView> views_;
  void* svm_ = nullptr;
  bool is_fine_ = false;
};

// Mapped for its whole lifetime, which makes it a host pointer that the driver knows as pinned.
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
// A buffer for the commands that the caller enqueues, and then retires.
MemHandle temporary_buffer(const Context& context, std::size_t nbytes, const void* contents = nullptr);

}  // namespace quern::backend::opencl
