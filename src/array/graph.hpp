// SPDX-License-Identifier: MIT
// The list of pending nodes, ordered by age, and the lock that guards all expressions.
#pragma once

#include <mutex>

#include "array/node.hpp"
#include "base/mutex.hpp"

namespace quern::array {

class Graph {
 public:
  static Graph& instance();

  // Adds a node. Returns whether it may stay pending: false if it reads memory that another library shares.
  [[nodiscard]] bool add(Node& node);
  [[nodiscard]] bool reads_shared(const Node& node);

  // Takes an expression out of the graph if only the caller's `handles` hold it, with all parts that only
  // this expression holds. The memory that they read may then be written. Takes nothing if anything else
  // holds the expression.
  using Withdrawn = InlineVector<Node*, 8>;
  Withdrawn withdraw(const ValuePtr& value, long handles);
  void restore(const Withdrawn& nodes);
  // Turns a withdrawn node into a copy of an array in memory that now has its elements, and adds it. Returns
  // the same as add().
  [[nodiscard]] bool replace_by_copy(Node& node, const ValuePtr& source);

  // Calls f(node) for each node, the newest first. The caller holds the mutex.
  template <class F>
  void for_each(F&& f) {
    for (Node* node = newest_; node != nullptr; node = node->older_) f(*node);
  }
  // Does nothing if the node is not in the list. The caller holds the mutex.
  void remove(Node& node) noexcept;

  Mutex mutex;

 private:
  // The caller holds the mutex.
  bool add_locked(Node& node);
  void insert(Node& node) noexcept;
  void withdraw(const ValuePtr& value, long handles, Withdrawn& taken);

  Node* newest_ = nullptr;
};

}  // namespace quern::array
