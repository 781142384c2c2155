// SPDX-License-Identifier: MIT
// A text that keeps only its beginning and its end when it grows too long, or only its beginning.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace quern {

class BoundedText {
 public:
  // Keeps this many bytes from the beginning and as many from the end.
  explicit BoundedText(std::size_t each_side) : each_side_(each_side) {}

  void append(std::string_view text) {
    const std::size_t unused = each_side_ - head_.size();
    head_ += text.substr(0, unused);
    if (text.size() <= unused) return;
    tail_ += text.substr(unused);
    // Cut only when there is twice too much, so that each byte is moved at most once on average.
    if (tail_.size() > 2 * each_side_) cut();
  }

  // The whole text, with a note in place of the omitted middle.
  [[nodiscard]] std::string take() {
    if (tail_.size() > each_side_) cut();
    if (left_out_ > 0) head_ += "\n[... " + std::to_string(left_out_) + " bytes left out ...]\n";
    return std::move(head_ += tail_);
  }

 private:
  void cut() {
    const std::size_t excess = tail_.size() - each_side_;
    tail_.erase(0, excess);
    left_out_ += excess;
  }

  std::size_t each_side_;
  std::string head_, tail_;
  std::size_t left_out_ = 0;
};

// The text, without its middle if it is longer than both sides.
inline std::string bounded(std::string_view text, std::size_t each_side) {
  BoundedText kept(each_side);
  kept.append(text);
  return kept.take();
}

// The beginning of a text in UTF-8, of this many bytes at most: no character is cut.
inline std::string_view beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace quern
