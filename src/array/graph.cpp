// SPDX-License-Identifier: MIT
// The list of pending nodes and its lock.
#include "array/graph.hpp"

#include "array/lazy_reads.hpp"

namespace quern::array {

Graph& Graph::instance() {
  static auto* const graph = new Graph;  // never destroyed: arrays may outlive static objects
  return *graph;
}

bool Graph::add(Node& node) {
  const std::lock_guard lock(mutex);
  return add_locked(node);
}

bool Graph::add_locked(Node& node) {
  const bool reads_shared = note_lazy_reads(node);
  insert(node);
  return !reads_shared;
}

bool Graph::reads_shared(const Node& node) {
  const std::lock_guard lock(mutex);
  return note_lazy_reads(node);
}

void Graph::insert(Node& node) noexcept {
  node.older_ = newest_;
  if (newest_ != nullptr) newest_->newer_ = &node;
  newest_ = &node;
  node.is_in_graph_ = true;
}

void Graph::remove(Node& node) noexcept {
  if (!node.is_in_graph_) return;
  (node.newer_ != nullptr ? node.newer_->older_ : newest_) = node.older_;
  if (node.older_ != nullptr) node.older_->newer_ = node.newer_;
  node.older_ = node.newer_ = nullptr;
  node.is_in_graph_ = false;
}

Graph::Withdrawn Graph::withdraw(const ValuePtr& value, long handles) {
  Withdrawn taken;
  const std::lock_guard lock(mutex);
  withdraw(value, handles, taken);
  return taken;
}

void Graph::withdraw(const ValuePtr& value, long handles, Withdrawn& taken) {
  Node* const node = pending_node(*value);
  if (node == nullptr || node->is_busy() || is_held_elsewhere(value, handles)) return;
  if (node->is_in_graph_) {
    remove(*node);
    taken.push_back(node);
  }
  for (const ValuePtr& input : node->inputs()) withdraw(input, 1, taken);
}

void Graph::restore(const Withdrawn& nodes) {
  const std::lock_guard lock(mutex);
  for (Node* const node : nodes) add_locked(*node);  // each was pending before
}

bool Graph::replace_by_copy(Node& node, const ValuePtr& source) {
  Inputs former;  // destroyed after the lock is released
  const std::lock_guard lock(mutex);
  former = node.become_copy(source);
  return add_locked(node);
}

}  // namespace quern::array
