// SPDX-License-Identifier: MIT
// The nodes that are not in memory, by age, and the lock of all expressions.
#pragma once

#include <mutex>

#include "array/node.hpp"

namespace quern::array {

class Graph {
 public:
  static Graph& instance();

  // Returns whether it reads memory that another library shares.
  bool add(Node& node);
  [[nodiscard]] bool reads_shared(const Node& node);

  // Takes an expression that only the caller holds, by so many handles, out of the graph, with all parts that
  // only the expression holds: what they read may be written then. Takes nothing where others hold it.
  using Withdrawn = InlineVector<Node*, 8>;
  Withdrawn withdraw(const ValuePtr& value, long handles);
  void restore(const Withdrawn& nodes);
  // Makes a node that was withdrawn a copy of an array in memory which has its elements now. Returns whether
  // that is memory which another library shares.
  [[nodiscard]] bool replace_by_copy(Node& node, const ValuePtr& source);

  // f(node), the newest first. With the mutex held.
  template <class F>
  void for_each(F&& f) {
    for (Node* node = newest_; node != nullptr; node = node->older_) f(*node);
  }
  void remove(Node& node) noexcept;  // with the mutex held; nothing where it is not there

  std::mutex mutex;

 private:
  void insert(Node& node) noexcept;  // with the mutex held
  void withdraw(const ValuePtr& value, long handles, Withdrawn& taken);

  Node* newest_ = nullptr;
};

}  // namespace quern::array
