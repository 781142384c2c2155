// SPDX-License-Identifier: MIT
// Evaluates the integer expressions of #if and #elif.
#include "frontend/preprocess/literal.hpp"
#include "frontend/preprocess/precedence.hpp"
#include "frontend/preprocess/preprocessor.hpp"

namespace quern::frontend {
namespace {

constexpr int kMaxConditionDepth = 256;

struct Value {
  std::uint64_t bits = 0;
  bool is_unsigned = false;
  [[nodiscard]] bool truth() const { return bits != 0; }
  [[nodiscard]] std::int64_t sign() const { return static_cast<std::int64_t>(bits); }
};

Value from(bool truth) {
  return {truth ? 1U : 0U, false};
}

class Evaluator {
 public:
  Evaluator(const Files& files, const std::vector<Token>& tokens, Location at)
      : files_(files), tokens_(tokens), at_(at) {}

  bool run() {
    const Value value = ternary(true);
    if (position_ < tokens_.size())
      files_.fail(tokens_[position_].at, "unexpected '" + std::string(tokens_[position_].text) + "' in #if");
    return value.truth();
  }

 private:
  bool take(std::string_view p) {
    if (position_ >= tokens_.size() || !tokens_[position_].is(punct(p))) return false;
    ++position_;
    return true;
  }

  Value ternary(bool evaluated) {
    if (++depth_ > kMaxConditionDepth) files_.fail(at_, "#if nested too deeply");
    Value condition = binary(0, evaluated);
    if (take("?")) {
      const Value yes = ternary(evaluated && condition.truth());
      if (!take(":")) files_.fail(at_, "expected ':' in #if");
      const Value no = ternary(evaluated && !condition.truth());
      const bool any_unsigned = yes.is_unsigned || no.is_unsigned;
      condition = condition.truth() ? yes : no;
      condition.is_unsigned = any_unsigned;
    }
    --depth_;
    return condition;
  }

  Value binary(int minimum, bool evaluated) {
    Value left = unary(evaluated);
    while (position_ < tokens_.size()) {
      const Token& op = tokens_[position_];
      const int level = precedence(op);
      if (level < 0 || level < minimum) break;
      ++position_;
      const bool needed =
          evaluated && !(op.is(punct("&&")) && !left.truth()) && !(op.is(punct("||")) && left.truth());
      const Value right = binary(level + 1, needed);
      left = apply(op, left, right, needed);
    }
    return left;
  }

  Value apply(const Token& op, Value a, Value b, bool evaluated) {
    const bool u = a.is_unsigned || b.is_unsigned;
    const auto less = [&](const Value& x, const Value& y) {
      return u ? x.bits < y.bits : x.sign() < y.sign();
    };
    switch (op.punctuator) {
      case punct("||"):
        return from(a.truth() || b.truth());
      case punct("&&"):
        return from(a.truth() && b.truth());
      case punct("|"):
        return {a.bits | b.bits, u};
      case punct("^"):
        return {a.bits ^ b.bits, u};
      case punct("&"):
        return {a.bits & b.bits, u};
      case punct("=="):
        return from(a.bits == b.bits);
      case punct("!="):
        return from(a.bits != b.bits);
      case punct("<"):
        return from(less(a, b));
      case punct(">"):
        return from(less(b, a));
      case punct("<="):
        return from(!less(b, a));
      case punct(">="):
        return from(!less(a, b));
      case punct("<<"):
        return {a.bits << (b.bits & 63), a.is_unsigned};
      case punct(">>"):
        return {
            a.is_unsigned ? a.bits >> (b.bits & 63) : static_cast<std::uint64_t>(a.sign() >> (b.bits & 63)),
            a.is_unsigned};
      case punct("+"):
        return {a.bits + b.bits, u};
      case punct("-"):
        return {a.bits - b.bits, u};
      case punct("*"):
        return {a.bits * b.bits, u};
      default:
        break;
    }
    if (b.bits == 0) {
      if (evaluated) files_.fail(op.at, "division by zero in #if");
      return {0, u};
    }
    const bool divides = op.is(punct("/"));
    if (u) return {divides ? a.bits / b.bits : a.bits % b.bits, true};
    // -a instead of a / -1, which could trap.
    if (b.bits == UINT64_MAX) return {divides ? 0 - a.bits : 0, false};
    return {static_cast<std::uint64_t>(divides ? a.sign() / b.sign() : a.sign() % b.sign()), false};
  }

  Value unary(bool evaluated) {
    if (++depth_ > kMaxConditionDepth) files_.fail(at_, "#if nested too deeply");
    Value value;
    if (take("!")) {
      value = from(!unary(evaluated).truth());
    } else if (take("-")) {
      value = unary(evaluated);
      value.bits = 0 - value.bits;
    } else if (take("+")) {
      value = unary(evaluated);
    } else if (take("~")) {
      value = unary(evaluated);
      value.bits = ~value.bits;
    } else if (take("(")) {
      value = ternary(evaluated);
      if (!take(")")) files_.fail(at_, "expected ')' in #if");
    } else {
      value = primary();
    }
    --depth_;
    return value;
  }

  Value primary() {
    if (position_ >= tokens_.size()) files_.fail(at_, "#if needs an expression");
    const Token& token = tokens_[position_++];
    if (token.kind == TokenKind::identifier) return {};  // a name that is not a macro is 0
    if (token.kind == TokenKind::number) {
      const auto number = read_number(token.text);
      if (number && number->kind == Number::Kind::integer)
        return {number->integer, number->is_unsigned || number->integer > INT64_MAX};
    }
    if (token.kind == TokenKind::character)
      if (const auto c = read_character(token.text))
        return {static_cast<std::uint64_t>(std::int64_t{*c}), false};
    files_.fail(token.at, "'" + std::string(token.text) + "' is not an integer, so #if cannot use it");
  }

  const Files& files_;
  const std::vector<Token>& tokens_;
  Location at_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

bool evaluate_condition(const Files& files, const std::vector<Token>& tokens, Location at) {
  return Evaluator(files, tokens, at).run();
}

}  // namespace quern::frontend
