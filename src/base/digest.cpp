// SPDX-License-Identifier: MIT
// SHA-256 as in FIPS 180-4, with the names of that standard.
#include "base/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quern {
namespace {

constexpr std::uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian_word(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         bytes[3];
}

// Section 6.2.2: one block of 64 bytes.
void compress(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) {
  std::uint32_t w[64];
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian_word(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t t1 = h + sum1 + choice + kRoundConstants[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t t2 = sum0 + majority;
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::uint32_t sums[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += sums[i];
}

}  // namespace

Digest& Digest::add(std::span<const std::byte> bytes) {
  std::size_t used = length_ % block_.size();
  length_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t count = std::min(block_.size() - used, bytes.size());
    std::memcpy(block_.data() + used, bytes.data(), count);
    bytes = bytes.subspan(count);
    used += count;
    if (used == block_.size()) {
      compress(state_, block_.data());
      used = 0;
    }
  }
  return *this;
}

Digest& Digest::add_field(std::string_view text) {
  std::array<std::byte, 8> size;
  for (std::size_t i = 0; i < size.size(); ++i)
    size[i] = static_cast<std::byte>(std::uint64_t{text.size()} >> (8 * i));
  add(size);
  return add(std::as_bytes(std::span(text)));
}

Digest::Value Digest::value() const {
  // Section 5.1.1: a one, zeros, and the length in bits at the end of a block.
  Digest padded = *this;
  const std::uint64_t bits = length_ * 8;
  constexpr std::size_t kLengthAt = 56;
  const std::size_t used = length_ % block_.size();
  std::array<std::byte, 72> padding = {std::byte{0x80}};
  const std::size_t zeros_end = (used < kLengthAt ? kLengthAt : kLengthAt + block_.size()) - used;
  for (std::size_t i = 0; i < 8; ++i) padding[zeros_end + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  padded.add(std::span(padding).first(zeros_end + 8));

  Value value = {};
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = static_cast<std::uint8_t>(padded.state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return value;
}

std::string Digest::hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : value()) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace quern
