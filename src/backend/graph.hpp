// SPDX-License-Identifier: MIT
// What queues can do whose backend enqueues a prepared list of operations by one call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.hpp"

namespace quern::backend {

// One operation of a graph.
struct GraphStep {
  // Calls one enqueuing method of the queue that it is given, or none.
  std::function<void(Queue& queue)> issue;
  std::size_t lane = 0;            // steps of one lane run in order
  std::vector<std::size_t> after;  // earlier steps of other lanes
};

// A prepared graph. It may be destroyed while a launch runs.
class Graph {
 public:
  virtual ~Graph() = default;
  // Enqueues all steps on a queue of the same device; called like the queue's enqueuing methods. An observer
  // receives the failure of a step.
  virtual TimingPtr launch(Queue& queue, ObserverSource& observers) = 0;
  // Prepares one step anew. Launches that are enqueued already are not affected. Returns false if the whole
  // graph must be made again.
  virtual bool update(std::size_t step, const std::function<void(Queue& queue)>& issue) = 0;
  // What must be kept alive until a launch is done, besides the memory that the steps name; null if nothing.
  [[nodiscard]] virtual std::shared_ptr<void> memory() const { return nullptr; }
};

// Implemented by queues of backends that have such graphs. The runtime issues the operations one by one on
// others.
class GraphQueue {
 public:
  virtual ~GraphQueue() = default;
  // May be called while other threads enqueue. Null if the backend has no graphs after all.
  virtual std::unique_ptr<Graph> make_graph(std::span<const GraphStep> steps) = 0;
};

}  // namespace quern::backend
