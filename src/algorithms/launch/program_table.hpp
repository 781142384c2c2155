// SPDX-License-Identifier: MIT
// Programs by key, so that an expression of known structure uses the same program again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace quern::algorithms {

// Thread-safe. The number of entries is bounded, for processes that keep making new expressions. At the limit
// all entries are dropped. Programs still in use are then made again or found in the cache of compiled
// programs, which costs less than tracking the last use of each entry.
template <class Key, class Value, class Hash = std::hash<Key>>
class ProgramTable {
 public:
  static constexpr std::size_t kMost = 4096;
  explicit ProgramTable(std::size_t most = kMost) : most_(most) {}

  // Calls make() without the lock if the key is new.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = known_.find(key); found != known_.end()) return found->second;
    }
    std::shared_ptr<const Value> made = make();
    Table gone;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_) gone.swap(known_);
    // If another thread was first, its entry is kept.
    return known_.emplace(key, std::move(made)).first->second;
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

}  // namespace quern::algorithms
