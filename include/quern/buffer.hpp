// SPDX-License-Identifier: MIT
// Device memory, and page-locked host memory for fast copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "quern/api.hpp"
#include "quern/context.hpp"

namespace QUERN_API quern {

namespace backend {
class PinnedMemory;
}
namespace detail {
class Allocation;
}
class Queue;

enum class Access : std::uint8_t { read_write, read_only, write_only };  // access of kernels to a buffer

// A range of bytes of an allocation. Copies refer to the same memory. It returns to the pool when the last
// copy is destroyed; work that was enqueued before stays valid.
class Buffer {
 public:
  Buffer() = default;  // without memory
  Buffer(const Device& device, std::size_t nbytes, Access access = Access::read_write);
  // In a context of several devices, `device` is the home of the memory.
  Buffer(const Context& context, const Device& device, std::size_t nbytes,
         Access access = Access::read_write);
  // The pool prefers memory that this queue can use without waiting.
  Buffer(const Queue& queue, std::size_t nbytes, Access access = Access::read_write);

  // Wraps memory of another owner (cl_mem, CUdeviceptr, host pointer). `owner` is kept alive while the memory
  // is in use.
  static Buffer wrap(const Context& context, const Device& device, std::uintptr_t native, std::size_t nbytes,
                     std::shared_ptr<void> owner = nullptr, Access access = Access::read_write);

  [[nodiscard]] Buffer sub_buffer(std::size_t offset, std::size_t nbytes) const;

  // The same memory through a handle that neither kernels nor copies may write.
  [[nodiscard]] Buffer read_only() const;

  // This range extended by that many bytes of the allocation in front of it.
  [[nodiscard]] Buffer extended(std::size_t before) const;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  [[nodiscard]] Access access() const noexcept { return access_; }
  // Whether copies may not write it either; copies may fill a buffer of access read_only.
  [[nodiscard]] bool is_frozen() const noexcept { return is_frozen_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  // Native handle: cl_mem (of the whole allocation), CUdeviceptr or host pointer (of this range). From now on
  // code outside the library may use the memory; it must wait for its own work.
  [[nodiscard]] std::uintptr_t native_handle() const;
  // Host pointer to the memory if the host can access it, otherwise null. Wait for enqueued work before using
  // it.
  [[nodiscard]] void* host_pointer() const noexcept;
  // Marks the memory as used by code outside the library: lazy arrays that read it are enqueued, now and
  // whenever they are created. Wrapped memory is shared from the start.
  void share() const;
  // Waits until no enqueued work uses this range; with `for_writing` false, until no enqueued work writes it.
  bool wait_until(Deadline deadline, bool for_writing = true) const;

  // Releases this handle's reference now; using the handle afterwards is an error.
  void release() noexcept;
  [[nodiscard]] bool released() const noexcept { return allocation_ == nullptr; }

  // Internal.
  Buffer(std::shared_ptr<detail::Allocation> allocation, std::size_t size)
      : Buffer(std::move(allocation), 0, size, Access::read_write) {}
  [[nodiscard]] const std::shared_ptr<detail::Allocation>& allocation() const noexcept { return allocation_; }

 private:
  [[nodiscard]] Buffer part(std::size_t offset, std::size_t size) const;  // offset in the allocation
  Buffer(std::shared_ptr<detail::Allocation> allocation, std::size_t offset, std::size_t size, Access access);
  std::shared_ptr<detail::Allocation> allocation_;
  std::size_t offset_ = 0, size_ = 0;
  Access access_ = Access::read_write;
  bool is_frozen_ = false;
};

// Page-locked host memory: copies between it and its device are asynchronous and run at the speed of the bus.
class PinnedBuffer {
 public:
  PinnedBuffer(const Device& device, std::size_t nbytes);
  [[nodiscard]] void* data() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] const std::shared_ptr<backend::PinnedMemory>& memory() const noexcept { return memory_; }

 private:
  std::shared_ptr<backend::PinnedMemory> memory_;
};

// Statistics of the pool that allocates a device's buffers.
struct PoolStats {
  std::size_t in_use = 0;   // bytes in live buffers
  std::size_t in_pool = 0;  // bytes kept for reuse
  std::size_t peak = 0;     // maximum of in_use so far
  std::size_t limit = 0;    // 0: no limit
};
PoolStats pool_stats(const Device& device);
void trim_pool(const Device& device);  // returns unused memory to the driver
void set_pool_limit(const Device& device,
                    std::size_t nbytes);  // 0: no limit; QUERN_MEMORY_LIMIT sets the initial value
// Called when a device is out of memory, before the last attempt, to free garbage.
void set_memory_collector(void (*collector)());

}  // namespace quern
