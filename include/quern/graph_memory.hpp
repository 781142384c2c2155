// SPDX-License-Identifier: MIT
// Which memory a graph uses, and which memory and arguments can take the place of those that it has.
#pragma once

#include <cstddef>
#include <span>

#include "quern/api.hpp"
#include "quern/graph.hpp"

namespace QUERN_API quern {

// A graph owns the memory that was allocated in its capture, and lends it to the program. Of memory of such a
// graph: the same bytes by the graph's own reference, by a reference that is lent, and whether the program
// has one. A result that the program has dropped can be written by the next launch. Other memory is returned
// as it is, and counts as lent.
[[nodiscard]] Buffer owned_memory(const Buffer& memory);
[[nodiscard]] Buffer lent_memory(const Graph& graph, const Buffer& memory);
[[nodiscard]] bool is_lent(const Graph& graph, const Buffer& memory);

// Whether operations of the graph use memory of the buffer's allocation that was not allocated in the
// capture.
[[nodiscard]] bool uses_memory(const Graph& graph, const Buffer& memory);

// The same as Graph::update(), but memory that the graph does not use is allowed in the place of `old`.
void replace_memory(const Graph& graph, std::span<const Graph::Replacement> replacements);

// The same as Graph::update() for several arguments of one kernel, by the numbers of their parameters. If it
// throws, none of them is changed.
struct ArgumentUpdate {
  std::size_t parameter = 0;
  KernelArgument value;
};
void replace_arguments(const Graph& graph, const Event& kernel, std::span<const ArgumentUpdate> arguments);

// The distance of the memory from a multiple of 128 bytes. Graph::update() needs memory with the same.
[[nodiscard]] std::size_t misalignment_of(const Buffer& memory);

}  // namespace quern
