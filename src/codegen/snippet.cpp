// SPDX-License-Identifier: MIT
// A user's C snippet as tokens: how it uses its operands, and its text rewritten for a loop.
#include "codegen/snippet.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "frontend/preprocess/lexer.hpp"
#include "quern/error.hpp"

namespace quern::codegen {
namespace {

constexpr std::string_view kIndex = "i";

constexpr std::array<std::string_view, 10> kCompound = {
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

bool is_compound(std::string_view text) {
  return std::find(kCompound.begin(), kCompound.end(), text) != kCompound.end();
}

bool leaves_early(std::string_view text) {
  return text == "continue" || text == "break" || text == "goto";
}

}  // namespace

Snippet::Snippet(const std::string& text, Form form, const std::string& role) : form_(form) {
  frontend::Files files;
  frontend::Lexer lexer(files, files.add(role, text));
  std::string open;
  for (frontend::Token token = lexer.next(); token.kind != frontend::TokenKind::end; token = lexer.next()) {
    const bool is_name = token.kind == frontend::TokenKind::identifier;
    const auto refuse = [&](const std::string& why) {
      throw ArgumentError(ArgumentError::Kind::value,
                          role + ", line " + std::to_string(token.at.line) + ": " + why);
    };
    if (token.text == "(" || token.text == "[" || token.text == "{") open += token.text;
    if (token.text == ")" || token.text == "]" || token.text == "}") {
      const char opening = token.text == ")" ? '(' : token.text == "]" ? '[' : '{';
      if (open.empty() || open.back() != opening)
        refuse("'" + std::string(token.text) + "' has no opening bracket");
      open.pop_back();
    }
    if (is_name && token.text == "return")
      refuse("return would end the whole loop; use continue to go on with the next element");
    tokens_.push_back(
        {std::string(token.text), token.at.line, token.starts_line, token.after_space, is_name});
  }
  if (!open.empty())
    throw ArgumentError(ArgumentError::Kind::value, role + ": '" + open.back() + "' is not closed");
  const bool has_loop = mentions("for") || mentions("while") || mentions("do") || mentions("switch");
  if (mentions("break") && !has_loop) {
    throw ArgumentError(ArgumentError::Kind::value,
                        role + ": break is outside of a loop; use continue to go on with the next element");
  }
  plain_index_ = index_is_plain();
}

bool Snippet::is_member_name(std::size_t at) const {
  return at > 0 && (tokens_[at - 1].text == "." || tokens_[at - 1].text == "->");
}

// The snippet neither declares another i nor changes it, so x[i] is this element everywhere.
bool Snippet::index_is_plain() const {
  if (form_ == Form::named) return true;
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    if (tokens_[t].text != kIndex || is_member_name(t)) continue;
    if (t > 0 && (tokens_[t - 1].is_name || tokens_[t - 1].text == "++" || tokens_[t - 1].text == "--" ||
                  takes_address(t - 1)))
      return false;
    if (is(t + 1, "=") || is(t + 1, "++") || is(t + 1, "--")) return false;
    if (t + 1 < tokens_.size() && is_compound(tokens_[t + 1].text)) return false;
    // A declaration's second name, as in `int k = 0, i;`
    if (t > 0 && tokens_[t - 1].text == "," && (is(t + 1, ";") || is(t + 1, "["))) return false;
  }
  return true;
}

// The & here has no left operand.
bool Snippet::takes_address(std::size_t at) const {
  if (!is(at, "&")) return false;
  if (at == 0) return true;
  const Piece& before = tokens_[at - 1];
  // A closing bracket ends a value, unless it ends a cast to a pointer.
  if (before.text == ")") return at >= 2 && tokens_[at - 2].text == "*";
  const bool ends_value =
      before.text == "]" ||
      (!before.text.empty() &&
       (std::isalnum(static_cast<unsigned char>(before.text.back())) != 0 || before.text.back() == '_'));
  return !ends_value || before.text == "return";
}

bool Snippet::is_plain(const std::vector<std::string>& macros) const {
  for (const Piece& token : tokens_) {
    if (token.text == "#" || token.text == "goto") return false;
    if (token.is_name && std::find(macros.begin(), macros.end(), token.text) != macros.end()) return false;
  }
  return true;
}

bool Snippet::is_single() const {
  const auto count =
      std::count_if(tokens_.begin(), tokens_.end(), [](const Piece& token) { return token.text == ";"; });
  return count == 0 || (count == 1 && tokens_.back().text == ";");
}

std::size_t Snippet::element_at(std::size_t at, std::string_view operand) const {
  if (tokens_[at].text != operand || is_member_name(at)) return 0;
  if (form_ == Form::named) return 1;
  return plain_index_ && is(at + 1, "[") && is(at + 2, kIndex) && is(at + 3, "]") ? 4 : 0;
}

std::size_t Snippet::calls() const {
  std::size_t count = 0;
  for (std::size_t k = 0; k + 1 < tokens_.size(); ++k) count += tokens_[k].is_name && is(k + 1, "(") ? 1 : 0;
  return count;
}

bool Snippet::mentions(std::string_view identifier) const {
  for (std::size_t t = 0; t < tokens_.size(); ++t)
    if (tokens_[t].is_name && tokens_[t].text == identifier && !is_member_name(t)) return true;
  return false;
}

bool Snippet::compares(std::string_view operand) const {
  constexpr std::string_view kTests[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||", "!", "?", ":"};
  const auto tests = [&](std::size_t at) {
    return at < tokens_.size() &&
           std::find(std::begin(kTests), std::end(kTests), tokens_[at].text) != std::end(kTests);
  };
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    if (!tokens_[t].is_name || tokens_[t].text != operand || is_member_name(t)) continue;
    std::size_t first = t, last = t;
    while (first > 0 && is(first - 1, "(") && is(last + 1, ")") && (first < 2 || !tokens_[first - 2].is_name))
      --first, ++last;
    const bool is_all = first == 0 && last + 1 == tokens_.size();
    const bool is_used = is(last + 1, "[") || is(last + 1, "->") || (first > 0 && is(first - 1, "*"));
    if (!is_used && (is_all || tests(last + 1) || (first > 0 && tests(first - 1)))) return true;
  }
  return false;
}

bool Snippet::names_only(const std::vector<std::string_view>& identifiers) const {
  for (std::size_t t = 0; t < tokens_.size(); ++t)
    if (tokens_[t].is_name && !is_member_name(t) &&
        std::find(identifiers.begin(), identifiers.end(), tokens_[t].text) == identifiers.end())
      return false;
  return true;
}

ElementUse Snippet::use_of(std::string_view operand) const {
  ElementUse use;
  int depth = 0;
  bool conditional = false;  // an earlier statement may have left
  bool seen = false;
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    const std::string& text = tokens_[t].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    conditional |= leaves_early(text);
    if (!tokens_[t].is_name || text != operand || is_member_name(t)) continue;
    const std::size_t length = element_at(t, operand);
    if (length == 0) {
      use.needs_pointer = true;
      continue;
    }
    const bool first = !std::exchange(seen, true);
    // Brackets around the element alone have no effect.
    std::size_t next = t + length, start = t;
    while (is(next, ")") && start > 0 && tokens_[start - 1].text == "(" &&
           (start < 2 || !tokens_[start - 2].is_name))
      ++next, --start;
    const std::string_view before =
        start > 0 ? std::string_view(tokens_[start - 1].text) : std::string_view(";");
    if (start > 0 && takes_address(start - 1)) {
      use.needs_pointer = true;  // its address is taken
    } else if (is(next, "=")) {
      use.writes = true;
      // Only a separate statement outside all braces certainly runs; and it must not read the element itself.
      bool certain = first && start == t && depth == 0 && !conditional && (before == ";" || before == "}");
      for (std::size_t k = next; certain && k < tokens_.size() && tokens_[k].text != ";"; ++k)
        certain = element_at(k, operand) == 0;
      use.assigns_first |= certain;
    } else if (before == "++" || before == "--" || is(next, "++") || is(next, "--") ||
               (next < tokens_.size() && is_compound(tokens_[next].text))) {
      use.reads = use.writes = true;
    } else if (is(next, ".") || is(next, "[")) {
      // A component: the following tokens may write it.
      std::size_t end = next;
      while (is(end, ".") || is(end, "[")) {
        if (is(end, ".")) {
          end += 2;
        } else {
          int brackets = 0;
          do {
            if (is(end, "[")) ++brackets;
            if (is(end, "]")) --brackets;
            ++end;
          } while (brackets > 0 && end < tokens_.size());
        }
      }
      const bool changes = is(end, "=") || is(end, "++") || is(end, "--") ||
                           (end < tokens_.size() && is_compound(tokens_[end].text)) || before == "++" ||
                           before == "--";
      use.reads = true;
      use.writes |= changes;
    } else {
      use.reads = true;
    }
  }
  return use;
}

std::string Snippet::rewritten(const std::function<std::string(std::string_view operand)>& spelling) const {
  std::string text;
  int line = 1;
  for (std::size_t t = 0; t < tokens_.size();) {
    const Piece& token = tokens_[t];
    if (token.line > line) {
      // A directive continues over lines that a backslash joins.
      for (; line < token.line; ++line) text += token.starts_line ? "\n" : "\\\n";
    } else if (token.after_space && !text.empty()) {
      text += ' ';
    }
    const std::size_t length = token.is_name ? element_at(t, token.text) : 0;
    std::string spelled = length != 0 ? spelling(token.text) : std::string();
    if (spelled.empty()) {
      text += token.text;
      ++t;
    } else {
      text += spelled;
      t += length;
    }
  }
  return text;
}

}  // namespace quern::codegen
