// SPDX-License-Identifier: MIT
// A vector that stores its first elements inline, so that short vectors allocate nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "quern/api.hpp"

namespace QUERN_API quern {

template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  InlineVector() noexcept {
    if constexpr (kCopiesStorage) std::memset(storage_, 0, sizeof storage_);
  }
  explicit InlineVector(std::size_t count) : InlineVector() { resize(count); }
  InlineVector(std::size_t count, const T& value) : InlineVector() { resize(count, value); }
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  InlineVector(const std::vector<T>& values) : InlineVector(values.begin(), values.end()) {}
  explicit InlineVector(std::span<const T> values) : InlineVector(values.begin(), values.end()) {}
  template <std::forward_iterator I>
  InlineVector(I first, I last) : InlineVector() {
    append(first, last);
  }
  InlineVector(const InlineVector& other) {
    if (!copy_storage(other)) append(other.begin(), other.end());
  }
  InlineVector(InlineVector&& other) noexcept { take(std::move(other)); }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other || (is_inline() && copy_storage(other))) return *this;
    assign(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(std::move(other));
    return *this;
  }
  ~InlineVector() { release(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] iterator begin() noexcept { return data_; }
  [[nodiscard]] iterator end() noexcept { return data_ + size_; }
  [[nodiscard]] const_iterator begin() const noexcept { return data_; }
  [[nodiscard]] const_iterator end() const noexcept { return data_ + size_; }
  [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  [[nodiscard]] T& operator[](std::size_t at) noexcept { return data_[at]; }
  [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return data_[at]; }
  [[nodiscard]] T& front() noexcept { return data_[0]; }
  [[nodiscard]] const T& front() const noexcept { return data_[0]; }
  [[nodiscard]] T& back() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return data_[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count > capacity_) move_to(count);
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) {
      T value(std::forward<Arguments>(arguments)...);  // may be made from an element that moves now
      move_to(2 * static_cast<std::size_t>(capacity_));
      return *std::construct_at(data_ + size_++, std::move(value));
    }
    return *std::construct_at(data_ + size_++, std::forward<Arguments>(arguments)...);
  }
  void pop_back() noexcept { std::destroy_at(data_ + --size_); }
  void clear() noexcept {
    std::destroy(begin(), end());
    size_ = 0;
  }
  void resize(std::size_t count) {
    resize_with(count, [] { return T(); });
  }
  void resize(std::size_t count, const T& value) {
    resize_with(count, [copy = value] { return copy; });
  }
  template <std::forward_iterator I>
  void assign(I first, I last) {
    clear();
    append(first, last);
  }
  void assign(std::size_t count, const T& value) {
    T copy = value;
    clear();
    resize(count, copy);
  }
  iterator insert(const_iterator before, T value) {
    const std::ptrdiff_t at = before - data_;
    emplace_back(std::move(value));
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }
  iterator insert(const_iterator before, std::size_t count, const T& value) {
    const std::ptrdiff_t at = before - data_;
    resize(size_ + count, value);
    std::rotate(begin() + at, end() - static_cast<std::ptrdiff_t>(count), end());
    return begin() + at;
  }
  // Appends elements that do not belong to this vector.
  template <std::forward_iterator I>
  iterator insert(const_iterator before, I first, I last) {
    const std::ptrdiff_t at = before - data_;
    const auto count = std::distance(first, last);
    append(first, last);
    std::rotate(begin() + at, end() - count, end());
    return begin() + at;
  }
  iterator erase(const_iterator first, const_iterator last) {
    const iterator from = begin() + (first - data_);
    const iterator rest = std::move(begin() + (last - data_), end(), from);
    std::destroy(rest, end());
    size_ = static_cast<std::uint32_t>(rest - data_);
    return from;
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }

  // A loop: std::equal would call memcmp(), which takes longer for a few elements.
  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::uint32_t i = 0; i < a.size_; ++i)
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }

 private:
  // Whether the elements of a vector without heap memory are copied as one block of constant size, used or
  // not. That takes two or four instructions, a loop over the used ones a call of memcpy().
  static constexpr bool kCopiesStorage = std::is_trivially_copyable_v<T> && N * sizeof(T) <= 64;
  // Does nothing and returns false if the elements cannot be copied so. This vector has no heap memory.
  bool copy_storage(const InlineVector& other) noexcept {
    if constexpr (kCopiesStorage) {
      if (other.is_inline()) {
        std::memcpy(storage_, other.storage_, sizeof storage_);
        size_ = other.size_;
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] T* inline_elements() noexcept { return reinterpret_cast<T*>(storage_); }
  [[nodiscard]] bool is_inline() const noexcept { return data_ == reinterpret_cast<const T*>(storage_); }
  template <class I>
  void append(I first, I last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    reserve(size_ + count);
    std::uninitialized_copy(first, last, data_ + size_);
    size_ += static_cast<std::uint32_t>(count);
  }
  template <class Make>
  void resize_with(std::size_t count, const Make& make) {
    while (size_ > count) pop_back();
    reserve(count);
    while (size_ < count) emplace_back(make());
  }
  [[gnu::noinline]] void move_to(std::size_t capacity) {
    T* const grown = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), grown);
    std::destroy(begin(), end());
    if (!is_inline()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = grown;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void release() noexcept {
    clear();
    if (is_inline()) return;
    std::allocator<T>().deallocate(data_, capacity_);
    data_ = inline_elements();
    capacity_ = N;
  }
  // For an empty vector without heap memory.
  void take(InlineVector&& other) noexcept {
    if (copy_storage(other)) {
      other.size_ = 0;
      return;
    }
    if (other.is_inline()) {
      std::uninitialized_move(other.begin(), other.end(), data_);
      size_ = other.size_;
      other.clear();
      return;
    }
    data_ = std::exchange(other.data_, other.inline_elements());
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(N));
  }

  static_assert(N > 0 && std::is_nothrow_move_constructible_v<T>);
  T* data_ = inline_elements();
  std::uint32_t size_ = 0, capacity_ = N;
  alignas(T) std::byte storage_[N * sizeof(T)];
};

}  // namespace quern
