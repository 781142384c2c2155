// SPDX-License-Identifier: MIT
// Device memory, and host memory that copies to it at full speed.
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

enum class Access : std::uint8_t { read_write, read_only, write_only };  // what kernels may do with a buffer

// A range of bytes of an allocation. Copies are the same memory; it goes back to the pool with the last of
// them, and work that was enqueued before that stays safe.
class Buffer {
 public:
  Buffer() = default;  // of nothing
  Buffer(const Device& device, std::size_t nbytes, Access access = Access::read_write);
  // In a context of several devices `device` is the home of the memory.
  Buffer(const Context& context, const Device& device, std::size_t nbytes,
         Access access = Access::read_write);
  // The pool prefers memory that this queue can use at once.
  Buffer(const Queue& queue, std::size_t nbytes, Access access = Access::read_write);

  // Memory that somebody else owns (cl_mem, CUdeviceptr, host pointer); `owner` is kept as long as it is in
  // use.
  static Buffer wrap(const Context& context, const Device& device, std::uintptr_t native, std::size_t nbytes,
                     std::shared_ptr<void> owner = nullptr, Access access = Access::read_write);

  [[nodiscard]] Buffer sub_buffer(std::size_t offset, std::size_t nbytes) const;

  // The same memory by a handle that neither kernels nor copies may write through.
  [[nodiscard]] Buffer read_only() const;

  // This range and so many bytes of the allocation in front of it.
  [[nodiscard]] Buffer extended(std::size_t before) const;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  [[nodiscard]] Access access() const noexcept { return access_; }
  // Whether copies may not write it either, as they may fill a buffer of access read_only.
  [[nodiscard]] bool is_frozen() const noexcept { return is_frozen_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] Device device() const;
  [[nodiscard]] Context context() const;
  // cl_mem (of the whole allocation), CUdeviceptr or host pointer (of this range). From here on others may
  // use the memory in ways the library cannot see: they wait for their own work.
  [[nodiscard]] std::uintptr_t native_handle() const;
  // Where the host may use the memory directly, after waiting for what is enqueued on it; null where it may
  // not.
  [[nodiscard]] void* host_pointer() const noexcept;
  // From here on others may use the memory: lazy arrays that read it are enqueued, now and whenever they are
  // written. Memory that is wrapped is shared from the start.
  void share() const;
  // Waits until nothing that is enqueued uses this range any more; with `for_writing` false, until nothing
  // writes it.
  bool wait_until(Deadline deadline, bool for_writing = true) const;

  // Gives this handle's share up now; using it afterwards is an error.
  void release() noexcept;
  [[nodiscard]] bool released() const noexcept { return allocation_ == nullptr; }

  // For the library itself.
  Buffer(std::shared_ptr<detail::Allocation> allocation, std::size_t size)
      : Buffer(std::move(allocation), 0, size, Access::read_write) {}
  [[nodiscard]] const std::shared_ptr<detail::Allocation>& allocation() const noexcept { return allocation_; }

 private:
  [[nodiscard]] Buffer part(std::size_t offset, std::size_t size) const;  // of the allocation
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

// The pool that a device's buffers come from.
struct PoolStats {
  std::size_t in_use = 0;   // bytes held by live buffers
  std::size_t in_pool = 0;  // bytes kept for reuse
  std::size_t peak = 0;     // the most that was in use
  std::size_t limit = 0;    // 0 for none
};
PoolStats pool_stats(const Device& device);
void trim_pool(const Device& device);  // gives what is not in use back to the driver
void set_pool_limit(const Device& device,
                    std::size_t nbytes);  // 0 for none; QUERN_MEMORY_LIMIT sets it at start
// Called when a device is out of memory, before the last try: a chance to drop garbage.
void set_memory_collector(void (*collector)());

}  // namespace quern
