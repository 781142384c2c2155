// SPDX-License-Identifier: MIT
// Decides what is fused and what is stored in memory.
#include "array/fusion.hpp"

#include <algorithm>
#include <mutex>

#include "algorithms/launch/policy.hpp"
#include "array/graph.hpp"
#include "codegen/loop.hpp"
#include "runtime/queue_state.hpp"

namespace quern::array {
namespace {

// Numbers the kernels, for Node::computed_in(). Guarded by Graph::mutex.
std::uint32_t kernels = 0;

bool is_worth_storing(const Node& node) {
  return node.weight() >= Node::kWorthStoring && node.kind() != Node::Kind::view;
}

void add_repeated(const Node& node, Roots& roots) {
  if (node.kind() == Node::Kind::fft) return;  // its input is stored if it is worth it (fft_fusion.cpp)
  for (const ValuePtr& input : node.inputs()) {
    Node* const inner = pending_node(*input);
    if (inner == nullptr || !is_worth_storing(*inner) || inner->kind() == Node::Kind::random) continue;
    const std::uint32_t before = inner->computed_in(kernels);
    if (before == kernels) continue;
    const bool is_alike = inner->shape() == node.shape() && inner->queue() == node.queue();
    if (before != 0 && is_alike && std::ssize(roots) < kMostOutputs) {
      roots.push_back(std::static_pointer_cast<Node>(input));
    } else {
      add_repeated(*inner, roots);
    }
  }
}

// The caller holds Graph::mutex.
void find_randoms(const detail::ArrayValue& value, std::vector<ValuePtr>& found) {
  const Node* const node = pending_node(value);
  if (node == nullptr) return;
  for (const ValuePtr& input : node->inputs()) {
    const Node* const inner = pending_node(*input);
    if (inner == nullptr || !inner->has_index()) continue;
    if (inner->kind() == Node::Kind::random) found.push_back(input);
    find_randoms(*input, found);
  }
}

}  // namespace

void add_repeated(Roots& roots) {
  const auto may_repeat = [](const auto& root) { return root->weight() > Node::kWorthStoring; };
  if (std::none_of(roots.begin(), roots.end(), may_repeat)) return;  // no input is worth storing
  const std::lock_guard lock(Graph::instance().mutex);
  ++kernels;
  for (std::size_t n = roots.size(); n-- > 0;) add_repeated(*roots[n], roots);
}

bool is_repeated(Node& node) {
  const std::lock_guard lock(Graph::instance().mutex);
  return is_worth_storing(node) && node.computed_in(++kernels) != 0;
}

ValuePtr heaviest_input(const Node& node) {
  ValuePtr heaviest;
  std::size_t most = 1;
  for (const ValuePtr& input : node.inputs()) {
    const Node* const inner = pending_node(*input);
    if (inner == nullptr || inner->weight() <= most) continue;
    most = inner->weight();
    heaviest = input;
  }
  return heaviest;
}

bool computes_part_only(const Node& view, const ValuePtr& base) {
  // If a view shows all elements of its base, or some of them several times, computing the whole base is the
  // least work.
  const Node* const node = pending_node(*base);
  return node != nullptr && !node->has_product() && !node->has_fft() && !is_held_elsewhere(base, 2) &&
         view.size() < base->size();
}

void store_randoms(const ValuePtr& value, bool itself) {
  const Node* const node = pending_node(*value);
  if (node == nullptr || !node->has_index()) return;
  const bool in_chunks =
      codegen::loop_style(node->queue().state()->properties()) == codegen::LoopStyle::chunks;
  if (!in_chunks || algorithms::avoids_compiling(node->queue(), value->size())) return;
  std::vector<ValuePtr> found;
  if (itself && node->kind() == Node::Kind::random) found.push_back(value);
  {
    const std::lock_guard lock(Graph::instance().mutex);
    find_randoms(*value, found);
  }
  for (const ValuePtr& random : found) random->evaluate();
}

}  // namespace quern::array
