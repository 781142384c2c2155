// SPDX-License-Identifier: MIT
// Inspects laziness: plans of kernels, source lines of operations, eager evaluation.
#include "quern/explain.hpp"

#include <optional>

#include "array/evaluate.hpp"
#include "array/fusion.hpp"
#include "array/graph.hpp"
#include "runtime/eager.hpp"

namespace quern {

Eager::Eager() noexcept {
  ++detail::eager_depth;
}

Eager::~Eager() {
  --detail::eager_depth;
}

void set_origin(Origin origin) noexcept {
  array::current_origin = origin;
}

void set_origin_text(OriginText text) noexcept {
  array::origin_text.store(text);
}

std::vector<KernelPlan> explain(std::span<const Array> arrays) {
  std::vector<std::shared_ptr<array::Node>> nodes;
  for (const Array& one : arrays) {
    if (array::Node* const node = array::pending_node(*one.value()))
      nodes.push_back(node->shared_from_this());
  }
  std::vector<KernelPlan> plans;
  array::for_each_kernel(nodes, [&](std::span<const std::shared_ptr<array::Node>> group) {
    std::optional<array::Evaluation> evaluation;
    for (;;) {
      {
        const std::lock_guard lock(array::Graph::instance().mutex);
        evaluation.emplace(group);
      }
      if (!evaluation->lacks_parts()) break;
      // Their results are operands of the kernel.
      evaluation->store_parts(group);
    }
    plans.push_back(evaluation->plan());
  });
  return plans;
}

}  // namespace quern
