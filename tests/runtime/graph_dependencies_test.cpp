// SPDX-License-Identifier: MIT
// Dependencies of captured operations by memory, and what is computed from what.
#include "runtime/graph_dependencies.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "runtime/graph_state.hpp"

namespace quern::detail {
namespace {

using Numbers = std::vector<std::size_t>;

std::shared_ptr<GraphNode> node(std::vector<Use> uses, std::size_t lane = 0, Numbers waits = {}) {
  auto made = std::make_shared<GraphNode>();
  made->uses = std::move(uses);
  made->lane = lane;
  made->waits = std::move(waits);
  return made;
}

std::vector<Numbers> dependencies_of(const std::vector<std::shared_ptr<GraphNode>>& nodes) {
  NodeDependencies known;
  std::vector<Numbers> all;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    all.push_back(known.of(*nodes[k]));
    known.add(*nodes[k], k);
  }
  return all;
}

TEST(graph_dependencies, operations_of_other_queues_on_the_same_bytes_are_waited_for) {
  UseRecord x, y;
  const Use writes_x{&x, {0, 64}, Usage::writes}, reads_x{&x, {0, 64}, Usage::reads};
  const Use writes_y{&y, {0, 64}, Usage::writes}, reads_end{&x, {64, 128}, Usage::reads};
  EXPECT_EQ(dependencies_of({node({writes_x}), node({reads_x}), node({reads_x}, 1), node({writes_y}, 2, {1}),
                             node({reads_end}, 1)}),
            (std::vector<Numbers>{{}, {}, {0}, {1}, {}}));
}

TEST(graph_dependencies, memory_that_becomes_shared_is_waited_for) {
  UseRecord x, y;
  const auto first = node({{&x, {0, 64}, Usage::writes}}), second = node({{&y, {0, 64}, Usage::writes}}, 1);
  EXPECT_EQ(dependencies_of({first, second}), (std::vector<Numbers>{{}, {}}));
  second->uses[0].record = &x;  // as an update does
  EXPECT_EQ(dependencies_of({first, second}), (std::vector<Numbers>{{}, {0}}));
}

TEST(graph_dependencies, what_is_computed_from_written_memory_is_found) {
  UseRecord gathered, result, other, reused;
  const ByteRange all{0, 64};
  const std::vector<std::shared_ptr<GraphNode>> nodes = {
      node({{&gathered, all, Usage::writes}}),
      node({{&gathered, all, Usage::reads}, {&result, all, Usage::writes}}),
      node({{&result, all, Usage::reads}, {&reused, all, Usage::writes}}),
      node({{&other, all, Usage::writes}}),
      node({{&gathered, all, Usage::overwrites}, {&other, all, Usage::reads}}),
      node({{&other, all, Usage::reads}, {&reused, all, Usage::writes}}),
  };
  const std::vector<MemoryRange> written = {{&gathered, all}};
  const std::vector<Reuse> reuses = {{&reused, 5}};
  const auto records = [&](const std::vector<Reuse>& known) {
    std::vector<const UseRecord*> found;
    for (const MemoryRange& each : computed_from(written, 1, nodes, known)) found.push_back(each.record);
    return found;
  };
  EXPECT_EQ(records(reuses), (std::vector<const UseRecord*>{&result}));
  EXPECT_EQ(records({}), (std::vector<const UseRecord*>{&result, &reused}));
}

}  // namespace
}  // namespace quern::detail
