// SPDX-License-Identifier: MIT
// The precedence of binary operators, in expressions and in #if.
#pragma once

#include "frontend/preprocess/token.hpp"

namespace quern::frontend {

// 1 for || and more for tighter operators; -1 if the token is not a binary operator.
inline int precedence(const Token& token) {
  if (token.kind != TokenKind::punctuator) return -1;
  switch (token.punctuator) {
    case punct("||"):
      return 1;
    case punct("&&"):
      return 2;
    case punct("|"):
      return 3;
    case punct("^"):
      return 4;
    case punct("&"):
      return 5;
    case punct("=="):
    case punct("!="):
      return 6;
    case punct("<"):
    case punct(">"):
    case punct("<="):
    case punct(">="):
      return 7;
    case punct("<<"):
    case punct(">>"):
      return 8;
    case punct("+"):
    case punct("-"):
      return 9;
    case punct("*"):
    case punct("/"):
    case punct("%"):
      return 10;
    default:
      return -1;
  }
}

}  // namespace quern::frontend
