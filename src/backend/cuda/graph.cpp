// SPDX-License-Identifier: MIT
// Capturing the steps of a graph, and changing its kernels.
#include "backend/cuda/graph.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/parallel_copy.hpp"
#include "base/pattern.hpp"
#include "base/warning.hpp"
#include "quern/error.hpp"

namespace quern::backend::cuda {
namespace {

// A queue for the steps of a graph. Operations that would read host memory or use the memory of another
// operation use device memory that the graph keeps. Copies to pageable memory go through pinned memory of the
// graph: streams that are captured refuse pageable memory on some drivers.
class StepQueue final : public Queue {
 public:
  StepQueue(StatePtr state, CudaQueue& lane, GraphMemory& memory)
      : state_(std::move(state)), lane_(lane), memory_(memory) {}

  [[nodiscard]] bool is_kernel() const noexcept { return is_kernel_; }

  TimingPtr launch(Function& function, const LaunchShape& shape,
                   std::span<const Argument> arguments) override {
    is_kernel_ = true;
    return lane_.launch(function, shape, arguments);
  }
  TimingPtr fill(Memory& memory, std::size_t offset, std::size_t nbytes,
                 std::span<const std::byte> pattern) override {
    const auto unit = shortest_period(pattern);
    const std::size_t period = unit.size();
    const bool is_native =
        period == 1 || ((period == 2 || period == 4) && (memory.native_handle() + offset) % period == 0);
    if (is_native || nbytes == 0) return lane_.fill(memory, offset, nbytes, unit);
    // A first block, then copies of it with doubling length.
    const std::size_t first = std::min(nbytes, std::max(period, kBlock / period * period));
    std::vector<std::byte> block(first);
    for (std::size_t i = 0; i < first; ++i) block[i] = unit[i % period];
    lane_.copy(constant(block.data(), first), 0, memory, offset, first);
    for (std::size_t done = first; done < nbytes;) {
      const std::size_t piece = std::min(done, nbytes - done);
      lane_.copy(memory, offset, memory, offset + done, piece);
      done += piece;
    }
    return nullptr;
  }
  TimingPtr copy(Memory& from, std::size_t from_offset, Memory& to, std::size_t to_offset,
                 std::size_t nbytes) override {
    return lane_.copy(from, from_offset, to, to_offset, nbytes);
  }
  TimingPtr write(Memory& to, std::size_t offset, const void* from, std::size_t nbytes) override {
    if (nbytes != 0) lane_.copy(constant(from, nbytes), 0, to, offset, nbytes);
    return nullptr;
  }
  TimingPtr read(const Memory& from, std::size_t offset, void* to, std::size_t nbytes) override {
    if (is_pinned(*state_, to, nbytes)) return lane_.read(from, offset, to, nbytes);
    const auto pinned = landing_memory(std::min(nbytes, kLanding));
    for (std::size_t done = 0; done < nbytes; done += pinned->size()) {
      const std::size_t piece = std::min(nbytes - done, pinned->size());
      lane_.read(from, offset + done, pinned->data(), piece);
      land({pinned, static_cast<std::byte*>(to) + done, piece, 1, 0});
    }
    return nullptr;
  }
  TimingPtr copy_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) override {
    if (to.memory == nullptr) return read_rect(from, to, region);
    if (from.memory != nullptr) return lane_.copy_rect(from, to, region);
    const std::size_t row = from.row_pitch != 0 ? from.row_pitch : region[0];
    const std::size_t slice = from.slice_pitch != 0 ? from.slice_pitch : row * region[1];
    const std::size_t nbytes = (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
    RectSide source = from;
    source.memory = &constant(static_cast<const std::byte*>(from.host) + from.offset, nbytes);
    source.offset = 0;
    return lane_.copy_rect(source, to, region);
  }
  TimingPtr call(const std::function<void(std::uintptr_t native)>& function) override {
    return lane_.call(function);
  }
  std::shared_ptr<Marker> record() override { throw Error("a graph has no markers"); }
  bool wait(const std::shared_ptr<Marker>&) override { return false; }
  void flush() override {}
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override { return lane_.native_handle(); }

 private:
  static constexpr std::size_t kBlock = std::size_t{64} << 10;
  static constexpr std::size_t kLanding = std::size_t{16} << 20;

  std::shared_ptr<CudaPinnedMemory> landing_memory(std::size_t nbytes) {
    const Current current(*state_);
    return allocate_pinned_memory(state_, nbytes);
  }

  void land(Landing landing) {
    const Current current(*state_);
    memory_.landings.push_back(std::make_unique<Landing>(std::move(landing)));
    state_->check(state_->api.cuLaunchHostFunc(lane_.stream(), Landing::land, memory_.landings.back().get()),
                  "cuLaunchHostFunc");
  }

  // Rows go to pinned memory without gaps, as many at a time as fit.
  TimingPtr read_rect(const RectSide& from, const RectSide& to, std::array<std::size_t, 3> region) {
    const auto [width, rows, slices] = region;
    if (width == 0 || rows == 0 || slices == 0) return nullptr;
    const std::size_t row = to.row_pitch != 0 ? to.row_pitch : width;
    const std::size_t slice = to.slice_pitch != 0 ? to.slice_pitch : row * rows;
    const std::size_t from_row = from.row_pitch != 0 ? from.row_pitch : width;
    const std::size_t from_slice = from.slice_pitch != 0 ? from.slice_pitch : from_row * rows;
    auto* const target = static_cast<std::byte*>(to.host) + to.offset;
    if (is_pinned(*state_, target, (slices - 1) * slice + (rows - 1) * row + width))
      return lane_.copy_rect(from, to, region);
    const std::size_t most = std::clamp<std::size_t>(kLanding / width, 1, rows);
    const auto pinned = landing_memory(most * width);
    for (std::size_t z = 0; z < slices; ++z) {
      for (std::size_t y = 0; y < rows; y += most) {
        const std::size_t count = std::min(most, rows - y);
        RectSide source = from;
        source.offset += z * from_slice + y * from_row;
        const RectSide packed{nullptr, pinned->data(), 0, width, width * count};
        lane_.copy_rect(source, packed, {width, count, 1});
        land({pinned, target + z * slice + y * row, width, count, row});
      }
    }
    return nullptr;
  }

  // Device memory with these bytes. They are copied at once, in a stream that is not captured.
  CudaMemory& constant(const void* from, std::size_t nbytes) {
    state_->drain();
    const Current current(*state_);
    DevicePointer pointer = 0;
    state_->check(state_->api.cuMemAlloc(&pointer, nbytes), "cuMemAlloc", nbytes);
    memory_.device.push_back(std::make_unique<CudaMemory>(state_, pointer, nbytes, true));
    CudaQueue uploads(state_, QueueOptions{});
    uploads.write(*memory_.device.back(), 0, from, nbytes);
    uploads.record()->wait(Deadline::max());
    return *memory_.device.back();
  }

  StatePtr state_;
  CudaQueue& lane_;
  GraphMemory& memory_;
  bool is_kernel_ = false;
};

// Changes a kernel of a graph to that of a step.
class NodeQueue final : public Queue {
 public:
  NodeQueue(const CudaQueue& updater, GraphExecHandle exec, GraphNodeHandle node)
      : updater_(updater), exec_(exec), node_(node) {}

  TimingPtr launch(Function& function, const LaunchShape& shape,
                   std::span<const Argument> arguments) override {
    updater_.set_node(exec_, node_, function, shape, arguments);
    return nullptr;
  }
  TimingPtr fill(Memory&, std::size_t, std::size_t, std::span<const std::byte>) override { refuse(); }
  TimingPtr copy(Memory&, std::size_t, Memory&, std::size_t, std::size_t) override { refuse(); }
  TimingPtr write(Memory&, std::size_t, const void*, std::size_t) override { refuse(); }
  TimingPtr read(const Memory&, std::size_t, void*, std::size_t) override { refuse(); }
  TimingPtr copy_rect(const RectSide&, const RectSide&, std::array<std::size_t, 3>) override { refuse(); }
  std::shared_ptr<Marker> record() override { refuse(); }
  bool wait(const std::shared_ptr<Marker>&) override { refuse(); }
  void flush() override {}
  [[nodiscard]] std::uintptr_t native_handle() const noexcept override { return 0; }

 private:
  [[noreturn]] static void refuse() { throw Error("the step of a graph was a kernel before"); }
  const CudaQueue& updater_;
  GraphExecHandle exec_;
  GraphNodeHandle node_;
};

}  // namespace

void Landing::land(void* landing) {
  const auto& rows = *static_cast<const Landing*>(landing);
  const auto* const from = static_cast<const std::byte*>(rows.from->data());
  if (rows.rows == 1) return parallel_copy(rows.to, from, rows.width);
  for (std::size_t i = 0; i < rows.rows; ++i)
    std::memcpy(rows.to + i * rows.row_pitch, from + i * rows.width, rows.width);
}

CudaGraph::CudaGraph(StatePtr state, std::span<const GraphStep> steps, GreenContextHandle green)
    : state_(std::move(state)), green_(green), kernels_(steps.size()) {
  updater_ = std::make_unique<CudaQueue>(state_, QueueOptions{});
  try {
    capture(steps);
    const Current current(*state_);
    // Without CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, a launch has the priority of its stream.
    state_->check(state_->api.cuGraphInstantiate(&exec_, graph_, 0), "cuGraphInstantiateWithFlags");
  } catch (...) {
    destroy();
    throw;
  }
}

CudaGraph::~CudaGraph() {
  destroy();
}

void CudaGraph::destroy() noexcept {
  const CurrentNoThrow current(*state_);
  if (!current) return;
  // The driver frees a graph that runs when it has ended.
  if (exec_ != nullptr) state_->api.cuGraphExecDestroy(exec_);
  if (graph_ != nullptr) state_->api.cuGraphDestroy(graph_);
}

void CudaGraph::capture(std::span<const GraphStep> steps) {
  std::size_t count = 1;
  for (const GraphStep& step : steps) count = std::max(count, step.lane + 1);
  std::vector<std::unique_ptr<CudaQueue>> lanes;
  for (std::size_t k = 0; k < count; ++k) {
    // A kernel runs on the multiprocessors of the stream in which it was captured.
    lanes.push_back(std::make_unique<CudaQueue>(state_, QueueOptions{}, green_));
    lanes.back()->set_captured(memory_.get());
  }
  const Current current(*state_);
  const StreamHandle first = lanes[0]->stream();
  state_->check(state_->api.cuStreamBeginCapture(first, kStreamCaptureModeRelaxed), "cuStreamBeginCapture");
  std::vector<EventHandle> events;
  try {
    record(steps, lanes, events);
  } catch (...) {
    GraphHandle incomplete = nullptr;
    state_->api.cuStreamEndCapture(first, &incomplete);
    if (incomplete != nullptr) state_->api.cuGraphDestroy(incomplete);
    for (const EventHandle event : events) state_->recycle_event(event, false);
    throw;
  }
  const Result result = state_->api.cuStreamEndCapture(first, &graph_);
  for (const EventHandle event : events) state_->recycle_event(event, false);
  state_->check(result, "cuStreamEndCapture");
}

void CudaGraph::record(std::span<const GraphStep> steps, std::span<const std::unique_ptr<CudaQueue>> lanes,
                       std::vector<EventHandle>& events) {
  const Driver& api = state_->api;
  const auto mark = [&](std::size_t lane) {
    events.push_back(state_->acquire_event(false));
    state_->check(api.cuEventRecord(events.back(), lanes[lane]->stream()), "cuEventRecord");
    return events.back();
  };
  const auto wait = [&](std::size_t lane, EventHandle event) {
    state_->check(api.cuStreamWaitEvent(lanes[lane]->stream(), event, 0), "cuStreamWaitEvent");
  };
  std::vector<bool> is_awaited(steps.size());
  for (const GraphStep& step : steps)
    for (const std::size_t other : step.after) is_awaited[other] = true;
  // The other streams become part of the capture, and the first one waits for them in the end.
  if (lanes.size() > 1) {
    const EventHandle begin = mark(0);
    for (std::size_t lane = 1; lane < lanes.size(); ++lane) wait(lane, begin);
  }
  std::vector<EventHandle> ends(steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const GraphStep& step = steps[k];
    for (const std::size_t other : step.after) wait(step.lane, ends[other]);
    StepQueue queue(state_, *lanes[step.lane], *memory_);
    step.issue(queue);
    // The parameters of a node do not name a green context, so such a kernel is captured again.
    if (queue.is_kernel() && green_ == nullptr && api.cuStreamGetCaptureInfo != nullptr) {
      int status = 0;
      unsigned long long id = 0;
      GraphHandle graph = nullptr;
      const GraphNodeHandle* last = nullptr;
      std::size_t count = 0;
      const Result result =
          api.cuStreamGetCaptureInfo(lanes[step.lane]->stream(), &status, &id, &graph, &last, &count);
      if (result == Result::success && count == 1) kernels_[k] = last[0];
    }
    if (is_awaited[k]) ends[k] = mark(step.lane);
  }
  for (std::size_t lane = 1; lane < lanes.size(); ++lane) wait(0, mark(lane));
}

TimingPtr CudaGraph::launch(Queue& queue, ObserverSource& /*observers*/) {
  const std::lock_guard lock(mutex_);
  return static_cast<CudaQueue&>(queue).launch_graph(exec_);
}

bool CudaGraph::update(std::size_t step, const std::function<void(Queue& queue)>& issue) {
  if (kernels_[step] == nullptr || state_->api.cuGraphExecKernelNodeSetParams == nullptr) return false;
  NodeQueue queue(*updater_, exec_, kernels_[step]);
  const std::lock_guard lock(mutex_);
  try {
    issue(queue);
  } catch (const DeviceLost&) {
    throw;
  } catch (const ArgumentError&) {
    throw;
  } catch (const Error&) {
    return false;  // the driver allows only some changes
  }
  return true;
}

TimingPtr CudaQueue::launch_graph(GraphExecHandle graph) {
  return enqueue([&] {
    state_->note_launch("graph");
    state_->check(state_->api.cuGraphLaunch(graph, stream_), "cuGraphLaunch");
  });
}

std::unique_ptr<Graph> CudaQueue::make_graph(std::span<const GraphStep> steps) {
  if (!state_->api.has_graphs()) return nullptr;
  try {
    return std::make_unique<CudaGraph>(state_, steps, green_);
  } catch (const DeviceLost&) {
    throw;
  } catch (const OutOfDeviceMemory&) {
    throw;
  } catch (const ArgumentError&) {
    throw;
  } catch (const Error& error) {
    warn_once("a captured graph is not a CUDA graph, and each launch enqueues its operations one by one: " +
              std::string(error.what()));
    return nullptr;
  }
}

}  // namespace quern::backend::cuda
