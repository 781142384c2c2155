// SPDX-License-Identifier: MIT
// An in-order CUDA stream. Launches and ordering are in queue.cpp, memory operations in transfer.cpp.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/graph_memory.hpp"
#include "backend/cuda/marker.hpp"
#include "backend/cuda/memory.hpp"
#include "backend/cuda/state.hpp"
#include "backend/cuda/timing.hpp"
#include "backend/graph.hpp"
#include "backend/late_notification.hpp"
#include "backend/parts.hpp"
#include "backend/time_recording.hpp"

namespace quern::backend::cuda {

class CudaFunction;

// Device memory for one operation, freed once the stream has passed the end of the scope. In a stream that is
// captured, `kept` takes it instead.
class Temporary {
 public:
  Temporary(const StatePtr& state, StreamHandle stream, std::size_t nbytes, GraphMemory* kept);
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

class CudaQueue final : public Queue, public LateNotification, public PeerQueue, public GraphQueue {
 public:
  // An owned stream, which does not synchronise with the default stream. It is one of the green context,
  // unless that is null.
  CudaQueue(StatePtr state, const QueueOptions& options, GreenContextHandle green = nullptr);
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
  [[nodiscard]] bool can_copy(const Memory& memory) const noexcept override;

  TimingPtr call(const std::function<void(std::uintptr_t native)>& function) override;

  std::unique_ptr<Graph> make_graph(std::span<const GraphStep> steps) override;
  TimingPtr launch_graph(GraphExecHandle graph);
  // Changes a kernel node of a graph to this launch.
  void set_node(GraphExecHandle graph, GraphNodeHandle node, Function& function, const LaunchShape& shape,
                std::span<const Argument> arguments) const;
  // From now on the stream is captured: operations have no times, and leave memory for replays in `kept`.
  void set_captured(GraphMemory* kept) noexcept { kept_ = kept; }
  [[nodiscard]] StreamHandle stream() const noexcept { return stream_; }

  [[nodiscard]] int priority() const noexcept override { return priority_; }
  std::shared_ptr<Marker> record() override;
  bool wait(const std::shared_ptr<Marker>& marker) override;
  void flush() override {}  // streams need no flush
  // The driver's own copy to pageable memory is much faster than one through a host function.
  [[nodiscard]] bool reads_best_when_idle() const noexcept override { return true; }
  [[nodiscard]] bool idle() const noexcept override;
  // The driver calls a host function some 40 us after the work has ended.
  [[nodiscard]] bool notifies_late() const noexcept override { return true; }
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(stream_);
  }

 private:
  // Checks a launch and calls use(KernelNodeParameters), which are valid during the call only.
  template <class Use>
  void with_parameters(CudaFunction& function, const LaunchShape& shape, std::span<const Argument> arguments,
                       Use&& use) const;
  // Runs `operation` with the context current, between two events on a profiling queue or while a profile is
  // open. An operation that is enqueued while the one before runs shares an event with it.
  template <class Operation>
  TimingPtr enqueue(Operation&& operation);

  void fill_bytes(DevicePointer to, std::size_t nbytes, std::span<const std::byte> pattern);
  void move_bytes(const CudaMemory& from, std::size_t from_offset, const CudaMemory& to,
                  std::size_t to_offset, std::size_t nbytes);

  StatePtr state_;
  StreamHandle stream_ = nullptr;
  bool owned_;
  bool profiling_;
  GreenContextHandle green_ = nullptr;  // of the stream, null: the primary context
  GraphMemory* kept_ = nullptr;         // set while the stream is captured
  int priority_ = 0;
  std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  TimedEventPtr last_end_;  // end of the last command in the stream, if its time is taken
};

template <class Operation>
TimingPtr CudaQueue::enqueue(Operation&& operation) {
  const Current current(*state_);
  TimedEventPtr before;
  if (last_end_) [[unlikely]]
    before.swap(last_end_);
  std::shared_ptr<CudaTiming> timing;
  if ((profiling_ || records_times()) && kept_ == nullptr) [[unlikely]] {
    const std::int64_t now = nanoseconds(Clock::now());
    if (!before || !before->is_ahead()) before = std::make_shared<TimedEvent>(state_, stream_);
    timing = std::make_shared<CudaTiming>(state_, now, std::move(before));
  }
  const Counted counted(*progress_);
  operation();
  if (timing) [[unlikely]] {
    auto end = std::make_shared<TimedEvent>(state_, stream_);
    timing->set_end(end);
    if (owned_) last_end_ = std::move(end);
  }
  return timing;
}

}  // namespace quern::backend::cuda
