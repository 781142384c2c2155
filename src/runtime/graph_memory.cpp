// SPDX-License-Identifier: MIT
// Memory of a graph: whose references exist, what uses it, and what can take its place.
#include "quern/graph_memory.hpp"

#include <cstdint>

#include "runtime/allocation.hpp"
#include "runtime/graph_state.hpp"

namespace quern {

Buffer owned_memory(const Buffer& memory) {
  return detail::GraphState::owned(memory);
}

Buffer lent_memory(const Graph& graph, const Buffer& memory) {
  return graph.state()->lent(memory);
}

bool is_lent(const Graph& graph, const Buffer& memory) {
  return graph.state()->is_lent(memory);
}

bool uses_memory(const Graph& graph, const Buffer& memory) {
  return graph.state()->uses(memory);
}

void replace_memory(const Graph& graph, std::span<const Graph::Replacement> replacements) {
  graph.state()->update(replacements, detail::GraphState::Unused::allowed);
}

void replace_arguments(const Graph& graph, const Event& kernel, std::span<const ArgumentUpdate> arguments) {
  graph.state()->update(kernel, arguments);
}

std::size_t misalignment_of(const Buffer& memory) {
  constexpr std::uintptr_t kAlignment = 128;
  // An OpenCL memory object is a handle, not an address.
  const bool is_handle = memory.device().properties().dialect == Dialect::opencl_c;
  return ((is_handle ? 0 : memory.allocation()->memory().native_handle()) + memory.offset()) % kAlignment;
}

}  // namespace quern
