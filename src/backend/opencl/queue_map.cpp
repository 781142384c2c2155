// SPDX-License-Identifier: MIT
// Maps of buffers into the host's memory, and migrations.
#include <span>
#include <utility>
#include <vector>

#include "backend/opencl/context.hpp"
#include "backend/opencl/exit.hpp"
#include "backend/opencl/memory.hpp"
#include "backend/opencl/queue.hpp"

namespace quern::backend::opencl {
namespace {

class MappedBuffer final : public MappedRange {
 public:
  // `mem` is null for shared virtual memory.
  MappedBuffer(std::shared_ptr<QueueState> state, cl_mem mem, void* data)
      : state_(std::move(state)), mem_(mem), data_(data) {}
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  ~MappedBuffer() override {
    if (!is_mapped_ || process::must_not_touch_drivers()) return;
    // The queue may have been destroyed, but its handle is alive. The caller kept the memory alive.
    const DriverCall driver(*state_->device);
    (void)enqueue_unmap(state_->queue.get(), 0, nullptr, nullptr);
    api().Flush(state_->queue.get());
  }

  [[nodiscard]] void* data() const noexcept override { return data_; }
  cl_int enqueue_unmap(cl_command_queue queue, cl_uint wait_count, const cl_event* wait_list,
                       cl_event* event) noexcept {
    is_mapped_ = false;
    return mem_ != nullptr ? api().EnqueueUnmapMemObject(queue, mem_, data_, wait_count, wait_list, event)
                           : api().EnqueueSVMUnmap(queue, data_, wait_count, wait_list, event);
  }

 private:
  std::shared_ptr<QueueState> state_;
  cl_mem mem_;
  void* data_;
  bool is_mapped_ = true;
};

cl_map_flags flags_of(HostAccess access) {
  if (!access.reads) return CL_MAP_WRITE_INVALIDATE_REGION;
  return access.writes ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
}

}  // namespace

bool Queue::maps_in_place(const backend::Memory& memory) const noexcept {
  const auto& ours = static_cast<const Memory&>(memory);
  return !ours.is_fine() && (ours.svm() != nullptr || plain_->device->properties().kind == DeviceKind::cpu);
}

TimingPtr Queue::map(backend::Memory& memory, std::size_t offset, std::size_t nbytes, HostAccess access,
                     std::unique_ptr<MappedRange>& range) {
  choose_queue();
  const auto& ours = static_cast<Memory&>(memory);
  const cl_mem mem = ours.svm() == nullptr ? ours.mem() : nullptr;
  void* data = nullptr;
  Operation operation;
  if (mem == nullptr) {
    data = static_cast<std::byte*>(ours.svm()) + offset;
    enqueue(operation, "clEnqueueSVMMap", nbytes, [&](cl_event* event) {
      return api().EnqueueSVMMap(id(), CL_FALSE, flags_of(access), data, nbytes, wait_count(), wait_list(),
                                 event);
    });
    range = std::make_unique<MappedBuffer>(active().shared_from_this(), mem, data);
    return operation;
  }
  enqueue(operation, "clEnqueueMapBuffer", nbytes, [&](cl_event* event) {
    cl_int status = CL_SUCCESS;
    data = api().EnqueueMapBuffer(id(), mem, CL_FALSE, flags_of(access), offset, nbytes, wait_count(),
                                  wait_list(), event, &status);
    return status;
  });
  range = std::make_unique<MappedBuffer>(active().shared_from_this(), mem, data);
  return operation;
}

TimingPtr Queue::unmap(MappedRange& range) {
  choose_queue();
  auto& mapped = static_cast<MappedBuffer&>(range);
  Operation operation;
  enqueue(operation, "clEnqueueUnmapMemObject", 0,
          [&](cl_event* event) { return mapped.enqueue_unmap(id(), wait_count(), wait_list(), event); });
  return operation;
}

TimingPtr Queue::migrate(std::span<backend::Memory* const> memory, bool to_host) {
  choose_queue();
  std::vector<cl_mem> mems;
  for (backend::Memory* const each : memory) mems.push_back(static_cast<Memory*>(each)->mem());
  if (mems.empty()) return nothing();
  const cl_mem_migration_flags flags = to_host ? CL_MIGRATE_MEM_OBJECT_HOST : 0U;
  Operation operation;
  enqueue(operation, "clEnqueueMigrateMemObjects", 0, [&](cl_event* event) {
    return api().EnqueueMigrateMemObjects(id(), static_cast<cl_uint>(mems.size()), mems.data(), flags,
                                          wait_count(), wait_list(), event);
  });
  return operation;
}

}  // namespace quern::backend::opencl
