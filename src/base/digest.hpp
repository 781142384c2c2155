// SPDX-License-Identifier: MIT
// SHA-256, which names cache entries and guards their payloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quern {

class Digest {
 public:
  using Value = std::array<std::uint8_t, 32>;

  Digest& add(std::span<const std::byte> bytes);
  // Adds the length too, so that ("ab", "c") and ("a", "bc") differ.
  Digest& add_field(std::string_view text);
  [[nodiscard]] Value value() const;      // of everything added so far
  [[nodiscard]] std::string hex() const;  // 64 digits

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_ = {};
  std::uint64_t length_ = 0;
};

}  // namespace quern
