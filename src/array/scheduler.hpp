// SPDX-License-Identifier: MIT
// Decides when pending nodes are enqueued: when their elements are needed, before memory that they read is
// written, and before their queue is finished.
#pragma once

#include <condition_variable>
#include <cstddef>

#include "array/fusion.hpp"
#include "array/node.hpp"
#include "runtime/pending.hpp"

namespace quern::array {

class Scheduler final : public detail::PendingWork {
 public:
  // The first call registers the scheduler with the runtime.
  static Scheduler& instance();

  // Adds a complete node to the graph. Returns whether it may stay pending: false if it reads memory that
  // another library shares, or if the thread is eager. The caller then evaluates it.
  [[nodiscard]] bool add(Node& node);
  // Enqueues these nodes: each group of one shape and queue as one kernel.
  void evaluate(std::span<const std::shared_ptr<Node>> nodes);
  // Enqueues a single operation; see single_operation.hpp. Returns false if it cannot. The caller keeps the
  // node alive.
  bool evaluate_operation(Node& node);

  void before_write(detail::UseRecord& memory) override;
  void before_finish(const detail::QueueState& queue) override;
  void before_capture(const detail::ContextState& context, std::size_t device) override;
  void evaluate_noted(const std::shared_ptr<void>& expression) override;
  void after_finish(const detail::QueueState& queue, std::uint64_t ticket) override;

 private:
  // Evaluates pending nodes that satisfy the condition, each by itself.
  template <class Condition>
  void evaluate_pending(const Condition& condition);
  // In a capture, nodes that were made outside of it are evaluated as if there were none. Returns false if
  // all belong to the capture, and evaluates nothing.
  bool evaluate_outside_capture(std::span<const std::shared_ptr<Node>> nodes);
  void evaluate_kernel(std::span<const std::shared_ptr<Node>> nodes);
  // Lets the calling thread compute the elements itself; see at_once.hpp. Returns false if it cannot.
  static bool evaluate_at_once(Node& node);
  // Enqueues nodes as several kernels that one kernel cannot compute: each half of several nodes, or a single
  // node after its heaviest input.
  void evaluate_parts(std::span<const std::shared_ptr<Node>> nodes, const ValuePtr& heaviest);
  // Turns a view into a part of its base's memory. Returns false if only the part that the view shows is
  // computed.
  static bool materialise_view(Node& node);

  std::condition_variable_any changed_;  // notified when a busy node is no longer busy
  std::size_t waiting_ = 0;              // threads that wait for it, guarded by Graph::mutex
};

}  // namespace quern::array
