// SPDX-License-Identifier: MIT
// What is fused: which nodes become one kernel, and which parts of an expression are put into memory instead of
// being computed where they are needed.
#pragma once

#include <algorithm>
#include <vector>

#include "array/node.hpp"

namespace quern::array {

// Results of one kernel: more would not gain, and might be more arguments than a device takes.
inline constexpr std::ptrdiff_t kMostOutputs = 16;

using Roots = InlineVector<std::shared_ptr<Node>, 2>;

// f(nodes) for those that become one kernel: of one shape and queue.
template <class F>
void for_each_kernel(std::span<const std::shared_ptr<Node>> nodes, F&& f) {
  std::vector<std::shared_ptr<Node>> rest(nodes.begin(), nodes.end());
  while (!rest.empty()) {
    const auto first = rest.front();
    const auto next = std::stable_partition(rest.begin(), rest.end(), [&](const std::shared_ptr<Node>& node) {
      // The kernel that fills memory with random numbers computes nothing else.
      if (first->kind() == Node::Kind::random || node->kind() == Node::Kind::random) return node == first;
      return node->shape() == first->shape() && node->queue() == first->queue();
    });
    for (auto from = rest.begin(); from != next;) {
      const auto to = from + std::min<std::ptrdiff_t>(kMostOutputs, next - from);
      f(std::span<const std::shared_ptr<Node>>(from, to));
      from = to;
    }
    rest.erase(rest.begin(), next);
  }
}

// Adds the parts of these nodes that an earlier kernel has computed, too, as parts of something else: an array
// still holds them, so this time their elements are stored.
void add_repeated(Roots& roots);
// Whether an earlier kernel has computed a node as a part of something else, so that it is worth storing now.
[[nodiscard]] bool is_repeated(Node& node);

// The input whose expression has the most nodes; null where all inputs are in memory. Graph::mutex is held.
[[nodiscard]] ValuePtr heaviest_input(const Node& node);

// Whether only the part of an expression that a view shows is computed, instead of the whole expression. The
// caller holds one handle of the base besides the view's own.
[[nodiscard]] bool computes_part_only(const Node& view, const ValuePtr& base);

// Puts random numbers of an expression into memory that are cheaper to read from there than to compute where they
// are needed. A compiled kernel for a CPU uses one number of each block that the generator makes, and is several
// times slower than the kernel that fills memory. The host's loops, which run little work, use whole blocks.
void place_randoms(const ValuePtr& value, bool itself);

}  // namespace quern::array
