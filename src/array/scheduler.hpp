// SPDX-License-Identifier: MIT
// When pending nodes are enqueued: where their elements are needed, before memory that they read is written, and
// before their queue is finished.
#pragma once

#include <condition_variable>

#include "array/fusion.hpp"
#include "array/node.hpp"
#include "runtime/pending.hpp"

namespace quern::array {

class Scheduler final : public detail::PendingWork {
 public:
  // The runtime calls it from the first use on.
  static Scheduler& instance();

  // Makes a node that is complete part of the graph. False where it must be evaluated at once: it reads memory that
  // another library shares, or the thread is eager.
  [[nodiscard]] bool add(Node& node);
  // Enqueues these, each group of one shape and queue as one kernel.
  void evaluate(std::span<const std::shared_ptr<Node>> nodes);

  void before_write(detail::UseRecord& memory) override;
  void before_finish(const detail::QueueState& queue) override;
  void after_finish(const detail::QueueState& queue, std::uint64_t ticket) override;

 private:
  void evaluate_kernel(std::span<const std::shared_ptr<Node>> nodes);
  // The calling thread computes the elements itself; see at_once.hpp. False where it cannot.
  static bool evaluate_at_once(Node& node);
  // As several kernels, where one would have more arguments than the device takes. False where the nodes cannot be
  // divided.
  bool evaluate_parts(std::span<const std::shared_ptr<Node>> nodes);
  // Makes a view part of the memory of its base. False where only the part that it shows is computed instead.
  static bool materialise_view(Node& node);

  std::condition_variable changed_;  // a node that was busy no longer is
};

}  // namespace quern::array
