// SPDX-License-Identifier: MIT
// Launches expressions: nodes of one shape and queue are computed by one kernel.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array/fft_fusion.hpp"
#include "array/fused_expression.hpp"
#include "array/product.hpp"
#include "quern/explain.hpp"
#include "quern/kernel.hpp"

namespace quern::algorithms {
class ElementwiseProgram;
}

namespace quern::array {

// Returns the program of an expression; expressions of the same structure share it.
std::shared_ptr<const algorithms::ElementwiseProgram> program_of(const FusedExpression& fused);

// Computes nodes of one shape and queue into memory.
class Evaluation {
 public:
  explicit Evaluation(std::span<const std::shared_ptr<Node>> nodes);  // the caller holds Graph::mutex
  // Returns whether products or transforms must be stored in memory before the kernel can be launched. The
  // caller then calls store_parts() without the lock and makes another evaluation.
  [[nodiscard]] bool lacks_parts() const noexcept { return lacks_products_ || !first_.empty(); }
  void store_parts(std::span<const std::shared_ptr<Node>> nodes) const;
  // Returns whether the kernel's arguments fit into the device's limit of bytes.
  [[nodiscard]] bool fits() const;
  // Returns whether some results depend on deferred errors that other results do not depend on.
  [[nodiscard]] bool mixes_deferred_errors() const;
  // Allocates the results and launches the kernel. Returns the results in the order of the nodes.
  using Results = InlineVector<ArrayMemory, 2>;
  Results run();  // errors describe the computation
  // Returns what run() would launch.
  [[nodiscard]] KernelPlan plan() const;

 private:
  FusedExpression fused_;
  Queue queue_;
  Shape shape_;
  InlineVector<DType, 2> dtypes_;
  std::shared_ptr<const RandomSource> random_;  // set if the only node is a random one
  std::optional<Product> product_;              // set if the only node is a product, with its epilogue
  std::optional<FusedFft> fft_;                 // set if the only node is a transform, with what is around it
  bool lacks_products_ = false;
  std::vector<ValuePtr> first_;  // parts with transforms that must be stored
};

// Returns the bytes of an array in memory. An element that is broadcast counts once.
[[nodiscard]] std::size_t bytes_in_memory(const Array& array);

// Drops the deferred errors of the target's old contents, which are overwritten by elements that do not
// depend on them.
void forget_errors(const Array& target);

// Computes a value into an array. The value may read the target's memory only at the elements that it writes.
void evaluate_into(const Array& target, const ValuePtr& value, const Queue& queue);

}  // namespace quern::array
