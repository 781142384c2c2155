// SPDX-License-Identifier: MIT
// CuPy's way to declare a reduction: named inputs and one output, whose types a call may decide, and an
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

  // What a call with these types runs.
  struct Typed {
    ReductionKernel reduce;
    std::optional<ElementwiseKernel> finish;  // where the output is not the reduced value itself
    DType result;
  };
  // The output decides where the inputs do not; null where there is none yet.
  [[nodiscard]] const Typed& typed(std::span<const KernelArgument> inputs, const Array* out) const;
  // Makes the output of the reduced values.
  static Event finish(const Typed& typed, const Queue& queue, const Array& reduced, const Array& out);

  Signature signature;          // of the inputs
  std::optional<DType> result;  // where the declaration says it

 private:
  [[nodiscard]] Typed make(const algorithms::NamedTypes& types) const;

  NamedReduction text_;
  GeneratorOptions options_;
  std::vector<algorithms::NamedParameter> parameters_;  // the inputs, then the output
  mutable std::mutex mutex_;
  mutable std::map<std::string, Typed> typed_;
};

}  // namespace quern::detail
