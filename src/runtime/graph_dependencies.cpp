// SPDX-License-Identifier: MIT
// Dependencies of captured operations, and what is computed from what.
#include "runtime/graph_dependencies.hpp"

#include <algorithm>

#include "runtime/graph_state.hpp"

namespace quern::detail {

bool NodeDependencies::conflicts(std::span<const Use> uses) const {
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    const auto found = touched_.find(use.record);
    return found != touched_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const Touch& touch) {
             return (use.writes() || touch.writes) && use.range.overlaps(touch.range);
           });
  });
}

std::vector<std::size_t> NodeDependencies::of(const GraphNode& node) const {
  std::vector<std::size_t> after = node.waits;
  for (const Use& use : node.uses) {
    const auto found = touched_.find(use.record);
    if (found == touched_.end()) continue;
    for (const Touch& touch : found->second)
      if (touch.lane != node.lane && (use.writes() || touch.writes) && use.range.overlaps(touch.range))
        after.push_back(touch.node);
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  return after;
}

void NodeDependencies::add(const GraphNode& node, std::size_t number) {
  for (const Use& use : node.uses) {
    std::vector<Touch>& touches = touched_[use.record];
    std::erase_if(touches, [&](const Touch& touch) {
      return (use.writes() || (!touch.writes && touch.lane == node.lane)) && use.range.contains(touch.range);
    });
    touches.push_back({use.range, use.writes(), number, node.lane});
  }
}

std::vector<MemoryRange> computed_from(std::span<const MemoryRange> written, std::size_t first,
                                       std::span<const std::shared_ptr<GraphNode>> nodes,
                                       std::span<const Reuse> reuses) {
  std::vector<MemoryRange> all(written.begin(), written.end());
  const auto add = [&](const Use& use) {
    if (use.record->deferred_errors().is_exempt()) return;
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const MemoryRange& each) {
      return each.record == use.record && each.range.contains(use.range);
    });
    if (!is_known) all.push_back({use.record, use.range});
  };
  for (std::size_t k = first; k < nodes.size(); ++k) {
    for (const Reuse& reuse : reuses)
      if (reuse.before == k)
        std::erase_if(all, [&](const MemoryRange& each) { return each.record == reuse.record; });
    const std::vector<Use>& uses = nodes[k]->uses;
    const bool reads = std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.usage != Usage::overwrites &&
             std::any_of(all.begin(), all.end(), [&](const MemoryRange& each) {
               return each.record == use.record && each.range.overlaps(use.range);
             });
    });
    for (const Use& use : uses) {
      if (reads && use.writes()) add(use);
      if (reads || use.usage != Usage::overwrites) continue;
      std::erase_if(all, [&](const MemoryRange& each) {
        return each.record == use.record && use.range.contains(each.range);
      });
    }
  }
  return all;
}

}  // namespace quern::detail
