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
  MappedBuffer(std::shared_ptr<QueueState> state, cl_mem mem, void* data)
      : state_(std::move(state)), mem_(mem), data_(data) {}
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  ~MappedBuffer() override {
    if (!is_mapped_ || process::must_not_touch_drivers()) return;
    // The queue may have been destroyed, but its handle is alive. The caller kept the memory alive.
    const DriverCall driver(*state_->device);
    api().EnqueueUnmapMemObject(state_->queue.get(), mem_, data_, 0, nullptr, nullptr);
    api().Flush(state_->queue.get());
  }

  [[nodiscard]] void* data() const noexcept override { return data_; }
  [[nodiscard]] cl_mem mem() const noexcept { return mem_; }
  void unmapped() noexcept { is_mapped_ = false; }

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

bool Queue::maps_in_place() const noexcept {
  return state_->device->properties().kind == DeviceKind::cpu;
}

TimingPtr Queue::map(backend::Memory& memory, std::size_t offset, std::size_t nbytes, HostAccess access,
                     std::unique_ptr<MappedRange>& range) {
  const cl_mem mem = static_cast<Memory&>(memory).mem();
  void* data = nullptr;
  Operation operation;
  enqueue(operation, "clEnqueueMapBuffer", nbytes, [&](cl_event* event) {
    cl_int status = CL_SUCCESS;
    data = api().EnqueueMapBuffer(id(), mem, CL_FALSE, flags_of(access), offset, nbytes, 0, nullptr, event,
                                  &status);
    return status;
  });
  range = std::make_unique<MappedBuffer>(state_, mem, data);
  return operation;
}

TimingPtr Queue::unmap(MappedRange& range) {
  auto& mapped = static_cast<MappedBuffer&>(range);
  Operation operation;
  enqueue(operation, "clEnqueueUnmapMemObject", 0, [&](cl_event* event) {
    return api().EnqueueUnmapMemObject(id(), mapped.mem(), mapped.data(), 0, nullptr, event);
  });
  mapped.unmapped();
  return operation;
}

TimingPtr Queue::migrate(std::span<backend::Memory* const> memory, bool to_host) {
  std::vector<cl_mem> mems;
  for (backend::Memory* const each : memory) mems.push_back(static_cast<Memory*>(each)->mem());
  if (mems.empty()) return nothing();
  const cl_mem_migration_flags flags = to_host ? CL_MIGRATE_MEM_OBJECT_HOST : 0U;
  Operation operation;
  enqueue(operation, "clEnqueueMigrateMemObjects", 0, [&](cl_event* event) {
    return api().EnqueueMigrateMemObjects(id(), static_cast<cl_uint>(mems.size()), mems.data(), flags, 0,
                                          nullptr, event);
  });
  return operation;
}

}  // namespace quern::backend::opencl
