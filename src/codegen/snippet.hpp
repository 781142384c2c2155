// SPDX-License-Identifier: MIT
// A user's C snippet as tokens: how it uses its operands, and its text rewritten for a loop.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quern::codegen {

// How a snippet uses one operand's element at the index.
struct ElementUse {
  bool reads = false;
  bool writes = false;
  // Every path writes the whole element before it is read, so its old value need not be loaded.
  bool assigns_first = false;
  // The operand is also used in another way, so the snippet needs the pointer itself.
  bool needs_pointer = false;
};

class Snippet {
 public:
  enum class Form {
    indexed,  // an operand's element is written x[i]
    named,    // it is written x
  };

  // `role` names the text in errors. Throws ArgumentError for unbalanced brackets and for `return`.
  Snippet(const std::string& text, Form form, const std::string& role);

  [[nodiscard]] ElementUse use_of(std::string_view operand) const;
  [[nodiscard]] bool mentions(std::string_view identifier) const;
  // Names that are followed by arguments.
  [[nodiscard]] std::size_t calls() const;
  // A pointer itself is compared or tested, where its element was likely meant: `x > 0` for `x[i] > 0`.
  [[nodiscard]] bool compares(std::string_view operand) const;
  // Every identifier is one of these, or a member's.
  [[nodiscard]] bool names_only(const std::vector<std::string_view>& identifiers) const;
  // Only the language itself determines the meaning and order of its tokens: no directives, no jumps, none of
  // these macros. Only then may elements be kept in registers.
  [[nodiscard]] bool is_plain(const std::vector<std::string>& macros) const;
  // One statement, which reads everything before it writes.
  [[nodiscard]] bool is_single() const;
  // The text, on the same lines, with elements of the operands replaced by `spelling`; if it returns nothing,
  // the access stays unchanged.
  [[nodiscard]] std::string rewritten(
      const std::function<std::string(std::string_view operand)>& spelling) const;
  [[nodiscard]] bool empty() const noexcept { return tokens_.empty(); }

 private:
  struct Piece {
    std::string text;
    int line;
    bool starts_line, after_space, is_name;
  };
  [[nodiscard]] bool is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].text == text;
  }
  // The number of tokens of an access to the operand's element that starts here; 0 if none does.
  [[nodiscard]] std::size_t element_at(std::size_t at, std::string_view operand) const;
  [[nodiscard]] bool is_member_name(std::size_t at) const;
  [[nodiscard]] bool index_is_plain() const;
  [[nodiscard]] bool takes_address(std::size_t at) const;

  std::vector<Piece> tokens_;
  Form form_;
  bool plain_index_ = true;
};

}  // namespace quern::codegen
