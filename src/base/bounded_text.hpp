// SPDX-License-Identifier: MIT
// A text that keeps only its beginning and its end when it grows too long.
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
    const std::size_t room = each_side_ - head_.size();
    head_ += text.substr(0, room);
    if (text.size() <= room) return;
    tail_ += text.substr(room);
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

}  // namespace quern
