// SPDX-License-Identifier: MIT
// A message: a header that says which operation of the program it belongs to, and the bytes that it carries.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "distributed/message_memory.hpp"

namespace quern::distributed {

// An operation of the program that communicates. All ranks call the same ones in the same order.
struct Call {
  std::string name;          // as the program calls it: "sum"
  std::string line;          // "prog.py:12"; empty if unknown
  std::uint64_t digest = 0;  // of all that must agree between ranks: shapes, dtypes, layouts, options

  [[nodiscard]] std::string text() const { return line.empty() ? name : name + " (" + line + ")"; }
};

// The first bytes of every message. They let the receiver find ranks that disagree, and name both lines.
struct Header {
  std::uint64_t sequence = 0;  // of the operation, from 1
  std::uint64_t digest = 0;
  std::uint64_t length = 0;  // of the payload, bytes
  std::array<char, 104> call = {};

  Header() = default;
  Header(std::uint64_t number, const Call& of, std::size_t nbytes)
      : sequence(number), digest(of.digest), length(nbytes) {
    // Of a long text the end is kept, which has the file's name and the line.
    const std::string text = of.text();
    const std::size_t kept = std::min(text.size(), call.size() - 1);
    text.copy(call.data(), kept, text.size() - kept);
  }
  [[nodiscard]] std::string_view text() const noexcept { return call.data(); }
};
static_assert(sizeof(Header) == 128);

// Memory for a header and a payload, which is aligned to 64 bytes. The payload is not initialised.
class Message {
 public:
  explicit Message(std::size_t payload)
      : payload_(payload), memory_(message_memory(sizeof(Header) + payload)) {
    set_header({});
  }

  void set_header(const Header& header) noexcept { std::memcpy(memory_.get(), &header, sizeof header); }
  [[nodiscard]] Header header() const noexcept {
    Header header;
    std::memcpy(&header, memory_.get(), sizeof header);
    return header;
  }
  [[nodiscard]] std::span<std::byte> payload() noexcept { return {memory_.get() + sizeof(Header), payload_}; }
  [[nodiscard]] std::span<const std::byte> payload() const noexcept {
    return {memory_.get() + sizeof(Header), payload_};
  }
  // Keeps the memory, which outlives the message.
  [[nodiscard]] std::shared_ptr<void> memory() const noexcept { return memory_; }
  [[nodiscard]] std::span<std::byte> whole() noexcept { return {memory_.get(), sizeof(Header) + payload_}; }

 private:
  std::size_t payload_;
  std::shared_ptr<std::byte[]> memory_;
};

}  // namespace quern::distributed
