// SPDX-License-Identifier: MIT
// Records which memory of a device holds results that the host computed, for explain().
#include "array/staged.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "array/graph.hpp"
#include "array/node.hpp"
#include "quern/staged.hpp"
#include "runtime/allocation.hpp"

namespace quern {
namespace {

// By allocation. Entries of memory that was released are removed when the table has doubled.
class Staged {
 public:
  static Staged& instance() {
    static auto* const all = new Staged;  // never destroyed: used until the process ends
    return *all;
  }
  void add(const std::shared_ptr<detail::Allocation>& memory, std::string function) {
    const std::lock_guard lock(mutex_);
    if (table_.size() >= limit_) {
      std::erase_if(table_, [](const auto& entry) { return entry.second.memory.expired(); });
      limit_ = std::max(kLeast, 2 * table_.size());
    }
    table_[memory.get()] = {memory, std::move(function)};
  }
  void find(const std::shared_ptr<detail::Allocation>& memory, std::vector<std::string>& functions) {
    const std::lock_guard lock(mutex_);
    const auto found = table_.find(memory.get());
    if (found == table_.end() || found->second.memory.lock() != memory) return;
    if (std::find(functions.begin(), functions.end(), found->second.function) == functions.end())
      functions.push_back(found->second.function);
  }

 private:
  struct Entry {
    std::weak_ptr<detail::Allocation> memory;
    std::string function;
  };
  static constexpr std::size_t kLeast = 64;
  std::mutex mutex_;
  std::unordered_map<const detail::Allocation*, Entry> table_;
  std::size_t limit_ = kLeast;
};

}  // namespace

void array::record_staged(const Array& result, std::string function) {
  Staged::instance().add(result.buffer().allocation(), std::move(function));
}

std::vector<std::string> staged_functions(std::span<const Array> arrays) {
  std::vector<std::shared_ptr<detail::ArrayValue>> open, read;
  std::unordered_set<const detail::ArrayValue*> known;
  for (const Array& one : arrays) open.push_back(one.value());
  {
    const std::lock_guard lock(array::Graph::instance().mutex);
    while (!open.empty()) {
      const std::shared_ptr<detail::ArrayValue> value = std::move(open.back());
      open.pop_back();
      if (!known.insert(value.get()).second) continue;
      const array::Node* const node = array::pending_node(*value);
      if (node == nullptr)
        read.push_back(value);
      else
        for (const auto& input : node->inputs()) open.push_back(input);
    }
  }
  std::vector<std::string> functions;
  for (const auto& value : read) Staged::instance().find(Array(value).buffer().allocation(), functions);
  return functions;
}

}  // namespace quern
