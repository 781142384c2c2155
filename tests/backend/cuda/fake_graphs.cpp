// SPDX-License-Identifier: MIT
// Captures and graphs of the fake driver.
#include "backend/cuda/fake_graphs.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cuda/fake_kernels.hpp"

namespace fake {
namespace {

using namespace quern::backend::cuda;

struct Node {
  Task task;
  int priority;  // of the stream in which it was captured
};
using Tasks = std::vector<Node>;

constexpr unsigned long long kUseNodePriority = 8;  // CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY

struct Executable {
  Tasks tasks;
  bool uses_node_priority;
};

struct Captures {
  std::mutex mutex;
  std::map<StreamHandle, std::shared_ptr<Tasks>> streams;
  std::map<EventHandle, std::weak_ptr<Tasks>> events;
};

Captures& captures() {
  static auto* const all = new Captures;
  return *all;
}

std::shared_ptr<Tasks> capture_of(StreamHandle stream) {
  const std::lock_guard lock(captures().mutex);
  const auto found = captures().streams.find(stream);
  return found != captures().streams.end() ? found->second : nullptr;
}

}  // namespace

bool is_captured(StreamHandle stream) {
  return capture_of(stream) != nullptr;
}

bool record(StreamHandle stream, int priority, Task& task) {
  const std::shared_ptr<Tasks> tasks = capture_of(stream);
  if (tasks) tasks->push_back({std::move(task), priority});
  return tasks != nullptr;
}

bool mark(EventHandle event, StreamHandle stream) {
  const std::shared_ptr<Tasks> tasks = capture_of(stream);
  const std::lock_guard lock(captures().mutex);
  if (tasks) {
    captures().events[event] = tasks;
  } else {
    captures().events.erase(event);
  }
  return tasks != nullptr;
}

bool join(StreamHandle stream, EventHandle event) {
  const std::lock_guard lock(captures().mutex);
  const auto found = captures().events.find(event);
  const std::shared_ptr<Tasks> tasks = found != captures().events.end() ? found->second.lock() : nullptr;
  if (tasks) captures().streams[stream] = tasks;
  return tasks != nullptr;
}

}  // namespace fake

using namespace fake;

extern "C" {

Result cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  if (mode != kStreamCaptureModeRelaxed || is_captured(stream)) return Result::invalid_value;
  const std::lock_guard lock(captures().mutex);
  captures().streams[stream] = std::make_shared<Tasks>();
  return Result::success;
}
Result cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  const std::shared_ptr<Tasks> tasks = capture_of(stream);
  if (!tasks) return Result::invalid_value;
  const std::lock_guard lock(captures().mutex);
  std::erase_if(captures().streams, [&](const auto& entry) { return entry.second == tasks; });
  *graph = reinterpret_cast<GraphHandle>(new Tasks(*tasks));
  return Result::success;
}
// The handle of a node is its number, from 1.
Result cuStreamGetCaptureInfo_v2(StreamHandle stream, int* status, unsigned long long*, GraphHandle*,
                                 const GraphNodeHandle** last, std::size_t* count) {
  const std::shared_ptr<Tasks> tasks = capture_of(stream);
  *status = tasks ? 1 : 0;
  if (!tasks) return Result::success;
  thread_local GraphNodeHandle node;
  node = reinterpret_cast<GraphNodeHandle>(tasks->size());
  *last = &node;
  *count = 1;
  return Result::success;
}
Result cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long flags) {
  *exec = reinterpret_cast<GraphExecHandle>(
      new Executable{*reinterpret_cast<Tasks*>(graph), (flags & kUseNodePriority) != 0});
  return Result::success;
}
Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  return push(stream, [graph = *reinterpret_cast<Executable*>(exec)] {
    const int of_stream = running_priority();
    for (const auto& [task, priority] : graph.tasks) {
      running_priority() = graph.uses_node_priority ? priority : of_stream;
      task();
    }
    running_priority() = of_stream;
  });
}
Result cuGraphExecKernelNodeSetParams(GraphExecHandle exec, GraphNodeHandle node,
                                      const KernelNodeParameters* parameters) {
  reinterpret_cast<Executable*>(exec)->tasks[reinterpret_cast<std::uintptr_t>(node) - 1].task =
      kernel_task(*parameters);
  return Result::success;
}
Result cuGraphDestroy(GraphHandle graph) {
  delete reinterpret_cast<Tasks*>(graph);
  return Result::success;
}
Result cuGraphExecDestroy(GraphExecHandle exec) {
  delete reinterpret_cast<Executable*>(exec);
  return Result::success;
}

}  // extern "C"
