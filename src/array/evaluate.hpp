// SPDX-License-Identifier: MIT
// Expressions become kernels: nodes of one shape are computed by one launch.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/fused_expression.hpp"
#include "quern/explain.hpp"
#include "quern/kernel.hpp"

namespace quern::array {

// Nodes of one shape and queue on their way into memory.
class Evaluation {
 public:
  explicit Evaluation(std::span<const std::shared_ptr<Node>> nodes);  // with the graph's lock held
  // Whether the device takes as many bytes of arguments.
  [[nodiscard]] bool fits() const;
  // Whether results hang on deferred_errors that others of them do not.
  [[nodiscard]] bool mixes_deferred_errors() const;
  // Allocates and launches; in the order of the nodes.
  using Results = InlineVector<detail::ArrayValue::Memory, 2>;
  Results run();  // whose errors say what was to be computed
  // What run() would launch.
  [[nodiscard]] KernelPlan plan() const;

 private:
  FusedExpression fused_;
  Queue queue_;
  Shape shape_;
  InlineVector<DType, 2> dtypes_;
  std::shared_ptr<const RandomSource> random_;  // where that is all there is
};

// Computes a value into an array, whose memory it must not read at other places than it writes.
Event evaluate_into(const Array& target, const ValuePtr& value, const Queue& queue);

}  // namespace quern::array
