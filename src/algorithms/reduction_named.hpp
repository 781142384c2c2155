// SPDX-License-Identifier: MIT
// Reductions as CuPy declares them: named inputs and one output, whose types may depend on the call, and an
// operation on the reduced value.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/elementwise_named.hpp"
#include "quern/reduction.hpp"

namespace quern::detail {

class NamedReductionState {
 public:
  NamedReductionState(NamedReduction text, GeneratorOptions options);

  // The kernels for one set of types.
  struct Typed {
    ReductionKernel reduce;
    std::optional<ElementwiseKernel> finish;  // if the output differs from the reduced value
    DType result;
  };
  // Returns the kernels for these arguments. `out` resolves types that the inputs do not; it may be null.
  [[nodiscard]] const Typed& typed(std::span<const KernelArgument> inputs, const Array* out) const;
  // Computes the output from the reduced values.
  static Event finish(const Typed& typed, const Queue& queue, const Array& reduced, const Array& out);

  Signature signature;          // of the inputs
  std::optional<DType> result;  // if the declaration gives it

 private:
  [[nodiscard]] Typed make(const algorithms::NamedTypes& types) const;

  NamedReduction text_;
  GeneratorOptions options_;
  std::vector<algorithms::NamedParameter> parameters_;  // the inputs, then the output
  mutable std::mutex mutex_;
  mutable std::map<std::string, Typed> typed_;
};

}  // namespace quern::detail
