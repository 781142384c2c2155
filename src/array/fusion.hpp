// SPDX-License-Identifier: MIT
// Decides what is fused: which nodes become one kernel, and which parts of an expression are stored in memory
// instead of being computed where they are used.
#pragma once

#include <algorithm>
#include <vector>

#include "array/node.hpp"

namespace quern::array {

// The most results of one kernel. More gain nothing and may exceed the device's limit of argument bytes.
inline constexpr std::ptrdiff_t kMostOutputs = 16;

using Roots = InlineVector<std::shared_ptr<Node>, 2>;

// Calls f(nodes) for each group of nodes that become one kernel. The nodes of a group have the same shape and
// queue.
template <class F>
void for_each_kernel(std::span<const std::shared_ptr<Node>> nodes, F&& f) {
  std::vector<std::shared_ptr<Node>> rest(nodes.begin(), nodes.end());
  while (!rest.empty()) {
    const auto first = rest.front();
    const auto next = std::stable_partition(rest.begin(), rest.end(), [&](const std::shared_ptr<Node>& node) {
      // The kernel that fills memory with random numbers computes nothing else.
      if (first->kind() == Node::Kind::random || node->kind() == Node::Kind::random) return node == first;
      // Each product has an epilogue of its own.
      if (first->has_product() || node->has_product()) return node == first;
      // The passes of a transform compute one expression.
      if (first->has_fft() || node->has_fft()) return node == first;
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

// Adds parts of these nodes that an earlier kernel has already computed within another expression. An array
// still holds such a part, so this time the kernel stores its elements.
void add_repeated(Roots& roots);
// Returns whether an earlier kernel has computed the node within another expression, so that it is worth
// storing now.
[[nodiscard]] bool is_repeated(Node& node);

// Returns the input whose expression has the most nodes, or null if all inputs are in memory. The caller
// holds Graph::mutex.
[[nodiscard]] ValuePtr heaviest_input(const Node& node);

// Returns whether only the part of an expression that a view shows is computed, instead of the whole
// expression. The caller holds one handle of the base besides the view's own.
[[nodiscard]] bool computes_part_only(const Node& view, const ValuePtr& base);

// Stores the random numbers of an expression in memory if reading them is cheaper than computing them where
// they are used. On a CPU a compiled kernel uses one number of each block that the generator makes, which is
// several times slower than the kernel that fills memory. The host's precompiled loops, which run small work,
// use whole blocks.
void store_randoms(const ValuePtr& value, bool itself);

}  // namespace quern::array
