// SPDX-License-Identifier: MIT
// The kernel that evaluates an expression block by block.
#include <algorithm>

#include "algorithms/host/block_evaluator.hpp"

namespace quern::algorithms {

void run_loops(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  const auto length = static_cast<std::int64_t>(launch->global_size[0]);
  const auto block = static_cast<std::int64_t>(launch->local_size[0]);
  const auto in_row = static_cast<std::int64_t>(launch->group_count[0]);
  BlockEvaluator evaluator(launch, launch->local_size[0]);
  for (auto group = static_cast<std::int64_t>(first_group); group < static_cast<std::int64_t>(last_group);
       ++group) {
    const std::int64_t start = group % in_row * block;
    evaluator.evaluate(group / in_row * length + start,
                       static_cast<std::uint64_t>(std::min(block, length - start)));
    evaluator.store_outputs();
  }
}

}  // namespace quern::algorithms
