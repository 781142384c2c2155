// SPDX-License-Identifier: MIT
// Objects that are changed only while no thread uses them. Uses are counted, so that the end of the last one
// is ordered before the change.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace quern {

class Usable {
 public:
  Usable() = default;
  Usable(const Usable&) noexcept {}  // a copy has no users
  Usable& operator=(const Usable&) = delete;
  // Whether a use exists. If not, and no other thread can begin one, the object may be changed.
  [[nodiscard]] bool is_in_use() const noexcept { return users_.load(std::memory_order_acquire) != 0; }

 private:
  template <class T>
  friend class InUse;
  mutable std::atomic<int> users_{0};
};

// A use of a T, which is Usable. It owns the object, too.
template <class T>
class InUse {
 public:
  explicit InUse(std::shared_ptr<T> object) : object_(std::move(object)) {
    object_->users_.fetch_add(1, std::memory_order_relaxed);
  }
  InUse(const InUse& other) : InUse(other.object_) {}
  InUse& operator=(const InUse&) = delete;
  ~InUse() { object_->users_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] T* operator->() const noexcept { return object_.get(); }
  [[nodiscard]] T& operator*() const noexcept { return *object_; }

 private:
  std::shared_ptr<T> object_;
};

}  // namespace quern
