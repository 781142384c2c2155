// SPDX-License-Identifier: MIT
// Access to elements at any address: wrapped memory need not be aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quern::algorithms {

template <class T>
[[nodiscard]] inline T load(const std::byte* from, std::size_t index = 0) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
inline void store(std::byte* to, std::size_t index, const T& value) {
  std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

// Copies an element of any size. Sizes of numbers are copied without a function call.
inline void copy_element(std::size_t size, std::byte* to, std::size_t to_index, const std::byte* from,
                         std::size_t from_index) {
  switch (size) {
    case 1:
      return store(to, to_index, load<std::uint8_t>(from, from_index));
    case 2:
      return store(to, to_index, load<std::uint16_t>(from, from_index));
    case 4:
      return store(to, to_index, load<std::uint32_t>(from, from_index));
    case 8:
      return store(to, to_index, load<std::uint64_t>(from, from_index));
    default:
      std::memcpy(to + to_index * size, from + from_index * size, size);
  }
}

}  // namespace quern::algorithms
