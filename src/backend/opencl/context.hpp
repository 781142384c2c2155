// SPDX-License-Identifier: MIT
// A cl_context over devices of one platform: it creates queues, memory and programs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/opencl/api.hpp"
#include "backend/opencl/device.hpp"
#include "backend/shared_memory.hpp"

namespace quern::backend::opencl {

struct QueueState;
enum class QueueOwner : std::uint8_t;

class Context final : public backend::Context,
                      public SharingContext,
                      public std::enable_shared_from_this<Context> {
 public:
  explicit Context(std::vector<std::shared_ptr<const Device>> devices);

  std::unique_ptr<backend::Queue> make_queue(std::size_t device, const QueueOptions& options) override;
  // The queue must be in-order, because nothing else orders its commands.
  std::unique_ptr<backend::Queue> wrap_queue(std::size_t device, std::uintptr_t native) override;
  std::unique_ptr<backend::Memory> allocate(std::size_t device, std::size_t nbytes) override;
  // Retains the cl_mem. nbytes of 0 takes its whole size.
  std::unique_ptr<backend::Memory> wrap_memory(std::uintptr_t native, std::size_t nbytes) override;
  std::unique_ptr<backend::PinnedMemory> allocate_pinned(std::size_t nbytes) override;
  [[nodiscard]] Grain finest_grain(std::size_t device) const override;
  SharedMemory allocate_shared(std::size_t device, std::size_t nbytes, Grain grain) override;
  // OpenCL cannot report what other processes use: `free` is the memory that this process has not allocated
  // through Quern.
  [[nodiscard]] MemoryInfo memory_info(std::size_t device) const override;

  Compiled compile(std::size_t device, const CompileRequest& request) override;
  std::unique_ptr<backend::Module> load(std::size_t device, std::span<const std::byte> binary) override;
  std::string compiler_identity(std::size_t device) override;
  [[nodiscard]] std::uintptr_t native_handle(std::size_t) const noexcept override {
    return reinterpret_cast<std::uintptr_t>(context_.get());
  }

  [[nodiscard]] cl_context id() const noexcept { return context_.get(); }
  [[nodiscard]] const std::vector<std::shared_ptr<const Device>>& devices() const noexcept {
    return devices_;
  }
  [[nodiscard]] const Device& device(std::size_t index) const;
  // Alignment of sub-buffers that every device of the context can use.
  [[nodiscard]] std::size_t sub_buffer_alignment() const noexcept { return sub_buffer_alignment_; }
  // An internal queue for work without a user's queue: committing memory, mapping pinned memory.
  cl_command_queue service_queue(std::size_t device);

  // Memory that is retired outlives the work that is enqueued on this queue.
  void add_queue(std::weak_ptr<const QueueState> queue);

  // Releases memory, the last first, once the work enqueued so far is done: NVIDIA's driver would wait for
  // that in clReleaseMemObject.
  void retire(std::vector<MemHandle> mems) noexcept;
  void retire(MemHandle mem) noexcept;
  // Waits for retired memory and releases it; false if there was none.
  bool reclaim();
  // Waits for all enqueued work.
  void finish();

 private:
  std::vector<std::shared_ptr<const Device>> devices_;
  ContextHandle context_;
  std::size_t sub_buffer_alignment_ = 1;

  struct Retired {
    std::vector<MemHandle> mems;
    std::vector<EventHandle> pending;

    Retired() = default;
    Retired(Retired&&) = default;
    Retired& operator=(Retired&&) = default;
    ~Retired() {
      while (!mems.empty()) mems.pop_back();
    }
  };
  // A marker on each queue that is not known to be idle. The caller holds the lock.
  std::vector<EventHandle> mark_queues() const;
  std::unique_ptr<backend::Queue> adopt_queue(std::size_t index, QueueHandle queue,
                                              const QueueOptions& options, QueueOwner owner);
  // Removes the memory that no work needs any more, for the caller to release without the lock.
  std::vector<Retired> take_finished();

  std::mutex mutex_;  // guards all members below
  std::vector<QueueHandle> service_queues_;
  std::vector<std::weak_ptr<const QueueState>> queues_;
  std::vector<Retired> retired_;
};

// A queue, created by the function of the device's version. Options that the device lacks are ignored.
QueueHandle create_queue(cl_context context, const Device& device, const QueueOptions& options);

}  // namespace quern::backend::opencl
