// SPDX-License-Identifier: MIT
// Launches a node that is one operation on contiguous arrays in memory, the most frequent work of small
// programs on a GPU, without building its expression: that would take longer than the driver's launch.
#pragma once

#include <optional>

#include "array/node.hpp"

namespace quern::algorithms {
class ElementwiseProgram;
}

namespace quern::array {

class SingleOperation {
 public:
  // Returns false if of() would return nothing. Needs no lock.
  [[nodiscard]] static bool may_be(const Node& node);
  // Returns nothing if the node is anything else, for a node of which may_be() is true. The caller holds
  // Graph::mutex, and keeps the node busy until run() is done.
  static std::optional<SingleOperation> of(const Node& node);
  // Allocates the result and launches the kernel. Returns false, and launches nothing, if the memory needs
  // another kernel. Errors name the operation and its line.
  [[nodiscard]] bool run(ArrayMemory& result) const;

 private:
  bool launch(ArrayMemory& result) const;
  SingleOperation(const Node& node, const algorithms::ElementwiseProgram& program, std::size_t form)
      : node_(&node), program_(&program), form_(form) {}
  const Node* node_;
  const algorithms::ElementwiseProgram* program_;
  std::size_t form_;  // a bit for each input that is a number; another thread may store it meanwhile
};

}  // namespace quern::array
