// SPDX-License-Identifier: MIT
// An in-order CUDA stream. Launches and ordering are in queue.cpp, memory operations in transfer.cpp.
#pragma once

#include "backend/backend.hpp"
#include "backend/cuda/marker.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/state.hpp"
#include "backend/cuda/timing.hpp"
#include "backend/time_recording.hpp"

namespace quern::backend::cuda {

// Device memory for one operation, freed once the stream has passed the end of the scope.
class Temporary {
 public:
  Temporary(DeviceState& state, StreamHandle stream, std::size_t nbytes);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  [[nodiscard]] DevicePointer pointer() const noexcept { return pointer_; }

 private:
  DeviceState& state_;
  StreamHandle stream_;
  EventHandle event_;
  DevicePointer pointer_ = 0;
};

// Counts the operations that its scope enqueues, also on failure: some of them may have been enqueued.
class Counted {
 public:
  explicit Counted(Progress& progress) : progress_(progress) {}
  ~Counted() {  // one thread at a time enqueues, so a plain addition suffices
    progress_.enqueued.store(progress_.enqueued.load(std::memory_order_relaxed) + 1,
                             std::memory_order_release);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  Progress& progress_;
};

class CudaQueue final : public Queue {
 public:
  // An owned stream, which does not synchronise with the default stream.
  CudaQueue(StatePtr state, const QueueOptions& options);
  // A stream of another owner.
  CudaQueue(StatePtr state, StreamHandle borrowed);
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  TimingPtr launch(Function& function, const LaunchShape& shape,
                   std::span<const Argument> arguments) override;
  TimingPtr fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                 std::span<const std::byte> pattern) override;
  TimingPtr copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                 std::size_t nbytes) override;
  TimingPtr write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) override;
  TimingPtr read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) override;
  TimingPtr copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) override;

  TimingPtr call(const std::function<void(std::uintptr_t native)>& function) override;

  std::shared_ptr<Marker> record() override;
  bool wait(const std::shared_ptr<Marker>& marker) override;
  void flush() override {}  // streams need no flush
  // The driver's own copy to pageable memory is much faster than one through a host function.
  [[nodiscard]] bool reads_best_when_idle() const noexcept override { return true; }
  [[nodiscard]] bool idle() const noexcept override;
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(stream_);
  }

 private:
  // Runs `operation` with the context current, between two events on a profiling queue or while a profile is
  // open.
  template <class Operation>
  TimingPtr enqueue(Operation&& operation);

  void fill_bytes(DevicePointer to, std::size_t nbytes, std::span<const std::byte> pattern);
  void move_bytes(const CudaMemory& from, std::size_t from_offset, const CudaMemory& to,
                  std::size_t to_offset, std::size_t nbytes);

  StatePtr state_;
  StreamHandle stream_ = nullptr;
  bool owned_;
  bool profiling_;
  std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
};

template <class Operation>
TimingPtr CudaQueue::enqueue(Operation&& operation) {
  const Current current(*state_);
  std::shared_ptr<CudaTiming> timing;
  if (profiling_ || records_times()) {
    timing = std::make_shared<CudaTiming>(state_, state_->clock().base(), nanoseconds(Clock::now()));
    timing->record_start(stream_);
  }
  const Counted counted(*progress_);
  operation();
  if (timing) timing->record_end(stream_);
  return timing;
}

}  // namespace quern::backend::cuda
