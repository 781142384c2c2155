// SPDX-License-Identifier: MIT
// Pending Fourier transforms. A transform is computed together with the expression that it reads, in the
// loads of its first pass, and with the elementwise operations on its result, in the stores of its last pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/fft_lines.hpp"
#include "array/node.hpp"
#include "quern/explain.hpp"

namespace quern::array {

// A transform with the expressions around it. It keeps the memory that they read alive.
class FusedFft {
 public:
  // Allocates the result and computes it.
  [[nodiscard]] ArrayMemory run() const;
  // Writes the result to `out`, which has the shape and the dtype of the node. Returns false, and does
  // nothing, if it reads memory of the target, or if passes cannot write it.
  [[nodiscard]] bool run_into(const Array& out) const;
  // The operations before the transform, the transform, and those after it, each with its source line.
  [[nodiscard]] std::vector<std::string> operations() const;
  // What run() would launch.
  [[nodiscard]] KernelPlan plan() const;
  // Whether it reads memory of the buffer's allocation.
  [[nodiscard]] bool reads(const Buffer& buffer) const;

 private:
  friend class FftMatch;
  explicit FusedFft(const Node& root, const Node& transform);
  [[nodiscard]] FftInput input() const;
  [[nodiscard]] FftOutput output(const Array* out) const;
  void enqueue(const Array& out) const;

  Queue queue_;
  Shape shape_, input_shape_;  // of the result, and of what the transform reads
  DType dtype_, input_dtype_, transformed_;
  FftWork work_;
  Origin origin_;
  std::optional<Array> array_;             // what it reads, if that is in memory
  std::optional<FusedExpression> before_;  // otherwise
  std::optional<FusedExpression> after_;   // if the node is not the transform itself
};

// How a node that has_fft() is computed. The caller of fft_plan() holds Graph::mutex.
struct FftPlan {
  std::optional<FusedFft> fused;  // set if the node is a transform, with the expressions around it
  std::vector<ValuePtr> first;    // parts that must be in memory first; the caller then makes another plan
};
[[nodiscard]] FftPlan fft_plan(const Node& node);

// Stores the transforms of an expression in memory; if `itself`, the whole expression if it has any.
void place_transforms(const ValuePtr& value, bool itself);

// Computes a transform, with the expressions around it, into the memory of the target. Returns false if the
// value is something else, reads memory of the target, or does not fit the target.
bool evaluate_fft_into(const Array& target, const ValuePtr& value);

// Makes a pending transform.
Array lazy_fft(const Queue& queue, const Array& x, const FftWork& work);

}  // namespace quern::array
