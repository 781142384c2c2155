// SPDX-License-Identifier: MIT
// Which captured operations depend on each other by the memory that they use.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/queue_state.hpp"

namespace quern::detail {

struct GraphNode;

// The uses of memory by the operations of a graph, in their order.
class NodeDependencies {
 public:
  // Whether an operation with these uses depends on a node.
  [[nodiscard]] bool conflicts(std::span<const Use> uses) const;
  // The nodes that a node depends on: those of other lanes, by memory and by its waits.
  [[nodiscard]] std::vector<std::size_t> of(const GraphNode& node) const;
  void add(const GraphNode& node, std::size_t number);

 private:
  struct Touch {  // a use of memory by a node
    ByteRange range;
    bool writes;
    std::size_t node, lane;
  };
  std::unordered_map<const UseRecord*, std::vector<Touch>> touched_;
};

// A part of some memory.
struct MemoryRange {
  UseRecord* record = nullptr;
  ByteRange range;
};

// In a capture, memory that the program dropped gets a new use: before this node its contents are forgotten.
struct Reuse {
  const UseRecord* record = nullptr;
  std::size_t before = 0;
};

// The memory whose contents, after all nodes, are computed from those that `written` has before node `first`.
std::vector<MemoryRange> computed_from(std::span<const MemoryRange> written, std::size_t first,
                                       std::span<const std::shared_ptr<GraphNode>> nodes,
                                       std::span<const Reuse> reuses);

}  // namespace quern::detail
