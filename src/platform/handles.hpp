// SPDX-License-Identifier: MIT
// Handles of the C interface: their storage, the check that a pointer is one, and their reference counts.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "platform/opencl.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace quern::platform {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSearchesLeaks = true;  // in all of the range
#else
inline constexpr bool kSearchesLeaks = false;
#endif

// The first word of each handle, which the loader reads.
const cl_icd_dispatch& dispatch_table() noexcept;

// Storage for the handles of one type. It reserves a range of addresses and never returns it, so that any
// pointer at all, a destroyed handle included, can be tested without being followed.
template <class T>
class Arena {
 public:
  static Arena& instance() {
    static auto* const arena = new Arena;  // never destroyed: clients release handles in static destructors
    return *arena;
  }

  template <class... Arguments>
  T* make(Arguments&&... arguments) {
    Slot* const slot = take();
    try {
      T* const object = new (slot->storage) T(std::forward<Arguments>(arguments)...);
      slot->is_alive.store(true, std::memory_order_release);
      return object;
    } catch (...) {
      give_back(slot);
      throw;
    }
  }

  [[nodiscard]] bool holds(const T* handle) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(handle),
               begin = reinterpret_cast<std::uintptr_t>(slots_);
    if (at < begin) return false;
    const std::uintptr_t offset = at - begin;
    if (offset % sizeof(Slot) != 0 || offset / sizeof(Slot) >= used_.load(std::memory_order_acquire))
      return false;
    return slots_[offset / sizeof(Slot)].is_alive.load(std::memory_order_acquire);
  }

  void destroy(T* object) noexcept {
    auto* const slot = reinterpret_cast<Slot*>(object);
    slot->is_alive.store(false, std::memory_order_release);
    object->~T();
    give_back(slot);
  }

 private:
  struct Slot {
    alignas(T) std::byte storage[sizeof(T)];
    std::atomic<bool> is_alive;
  };

  Arena() {
    constexpr std::size_t kMost = std::size_t{1} << (kSearchesLeaks ? 22 : 30), kLeast = std::size_t{1} << 20;
    for (std::size_t nbytes = kMost; nbytes >= kLeast; nbytes /= 2) {
      void* const at =
          mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at == MAP_FAILED) continue;
      slots_ = static_cast<Slot*>(at);
      capacity_ = nbytes / sizeof(Slot);
#ifdef __SANITIZE_ADDRESS__
      __lsan_register_root_region(at, nbytes);  // objects are reached from here
#endif
      return;
    }
    throw std::bad_alloc();
  }

  Slot* take() {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Slot* const slot = free_.back();
      free_.pop_back();
      return slot;
    }
    const std::size_t next = used_.load(std::memory_order_relaxed);
    if (next == capacity_) throw std::bad_alloc();
    if (free_.capacity() <= next) free_.reserve(2 * next + 64);  // give_back() cannot fail
    used_.store(next + 1, std::memory_order_release);
    return &slots_[next];
  }
  void give_back(Slot* slot) noexcept {
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;
  std::atomic<std::size_t> used_{0};
  std::mutex mutex_;
  std::vector<Slot*> free_;
};

// What all handles begin with. There are no virtual functions: the loader expects the table first.
template <class T>
class Handle {
 public:
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // The count that the program sees, and changes. At 0 the object lives on while others refer to it, and the
  // program may retain it again: it finds the program of a kernel that it kept, for example.
  [[nodiscard]] cl_uint retained() const noexcept { return retained_.load(std::memory_order_relaxed); }
  void retain() noexcept {
    if (retained_.fetch_add(1, std::memory_order_relaxed) == 0) refer();
  }
  // False if the program has no reference to give up.
  [[nodiscard]] bool release() noexcept {
    cl_uint count = retained_.load(std::memory_order_relaxed);
    do {
      if (count == 0) return false;
    } while (!retained_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
    if (count == 1) drop();
    return true;
  }

  void refer() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Arena<T>::instance().destroy(static_cast<T*>(this));
  }

 protected:
  Handle() noexcept : dispatch_(&dispatch_table()) {}
  ~Handle() = default;

 private:
  const cl_icd_dispatch* dispatch_;
  std::atomic<cl_uint> retained_{1};
  std::atomic<std::uint32_t> references_{1};  // the program's together count as one
};

// A reference of one object to another.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->refer();
  }
  Ref(const Ref& other) noexcept : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->drop();
  }
  [[nodiscard]] T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

// Whether there is such an object.
template <class T>
[[nodiscard]] bool is_valid(const T* handle) noexcept {
  return handle != nullptr && Arena<T>::instance().holds(handle);
}

template <class T, class... Arguments>
[[nodiscard]] T* make_handle(Arguments&&... arguments) {
  return Arena<T>::instance().make(std::forward<Arguments>(arguments)...);
}

template <class T>
cl_int retain_handle(T* handle, cl_int invalid) noexcept {
  if (!is_valid(handle)) return invalid;
  handle->retain();
  return CL_SUCCESS;
}

template <class T>
cl_int release_handle(T* handle, cl_int invalid) noexcept {
  return is_valid(handle) && handle->release() ? CL_SUCCESS : invalid;
}

}  // namespace quern::platform
