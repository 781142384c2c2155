// SPDX-License-Identifier: MIT
// CUDA graphs: the steps are captured once in streams of their own, then launched by one call.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/cuda/queue.hpp"
#include "backend/graph.hpp"

namespace quern::backend::cuda {

class CudaGraph final : public Graph {
 public:
  // Throws if a step cannot be captured, such as a call of a library that waits. The kernels run on the
  // multiprocessors of the green context, unless that is null.
  CudaGraph(StatePtr state, std::span<const GraphStep> steps, GreenContextHandle green);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  TimingPtr launch(Queue& queue, ObserverSource& observers) override;
  bool update(std::size_t step, const std::function<void(Queue& queue)>& issue) override;
  [[nodiscard]] std::shared_ptr<void> memory() const override { return memory_->empty() ? nullptr : memory_; }

 private:
  void capture(std::span<const GraphStep> steps);
  void record(std::span<const GraphStep> steps, std::span<const std::unique_ptr<CudaQueue>> lanes,
              std::vector<EventHandle>& events);
  void destroy() noexcept;

  StatePtr state_;
  GreenContextHandle green_;
  std::shared_ptr<GraphMemory> memory_ = std::make_shared<GraphMemory>();
  GraphHandle graph_ = nullptr;  // owns the handles of the nodes
  GraphExecHandle exec_ = nullptr;
  std::vector<GraphNodeHandle> kernels_;  // by step; null for steps that update() cannot change
  std::unique_ptr<CudaQueue> updater_;    // for its checks of launches
  std::mutex mutex_;  // the driver's functions for one graph must not run at the same time
};

}  // namespace quern::backend::cuda
