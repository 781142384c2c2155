// SPDX-License-Identifier: MIT
// Programs by what they compute, for whoever evaluates the same again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace quern::array {

// Thread-safe. A program that makes new expressions for ever has a bounded number of them here: at the limit
// all go, and those still in use are made again, or found in the cache of compiled programs, which costs less
// than to know at each use which was used last.
template <class Key, class Value, class Hash = std::hash<Key>>
class ProgramTable {
 public:
  static constexpr std::size_t kMost = 4096;
  explicit ProgramTable(std::size_t most = kMost) : most_(most) {}

  // make() where the key is new, without the lock.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(key); found != known_.end()) return found->second;
    }
    std::shared_ptr<const Value> made = make();
    Table gone;  // without the lock, too
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_) gone.swap(known_);
    return known_.emplace(key, std::move(made)).first->second;  // another thread may have been first
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return known_.size();
  }

 private:
  using Table = std::unordered_map<Key, std::shared_ptr<const Value>, Hash>;
  std::size_t most_;
  mutable std::mutex mutex_;
  Table known_;
};

}  // namespace quern::array
