// SPDX-License-Identifier: MIT
// Answers to queries: one helper that writes a value, checks the space for it and reports its size.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "platform/errors.hpp"

namespace quern::platform {

// Where the answer to one query goes.
class Answer {
 public:
  Answer(std::size_t space, void* value, std::size_t* size) : space_(space), value_(value), size_(size) {}

  void bytes(const void* from, std::size_t nbytes) const {
    if (value_ != nullptr) {
      require(space_ >= nbytes, CL_INVALID_VALUE);
      if (nbytes != 0) std::memcpy(value_, from, nbytes);
    }
    if (size_ != nullptr) *size_ = nbytes;
  }
  template <class T>
  void value(const T& one) const {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&one, sizeof one);
  }
  void flag(bool one) const { value(static_cast<cl_bool>(one ? CL_TRUE : CL_FALSE)); }
  template <class T>
  void list(std::span<const T> items) const {
    bytes(items.data(), items.size_bytes());
  }
  // With the null character at its end.
  void text(std::string_view one) const {
    const std::size_t nbytes = one.size() + 1;
    if (value_ != nullptr) {
      require(space_ >= nbytes, CL_INVALID_VALUE);
      if (!one.empty()) std::memcpy(value_, one.data(), one.size());
      static_cast<char*>(value_)[one.size()] = '\0';
    }
    if (size_ != nullptr) *size_ = nbytes;
  }
  [[nodiscard]] void* target() const noexcept { return value_; }
  [[nodiscard]] std::size_t space() const noexcept { return space_; }
  void report_size(std::size_t nbytes) const noexcept {
    if (size_ != nullptr) *size_ = nbytes;
  }

 private:
  std::size_t space_;
  void* value_;
  std::size_t* size_;
};

}  // namespace quern::platform
