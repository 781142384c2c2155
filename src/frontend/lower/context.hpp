// SPDX-License-Identifier: MIT
// What all writers of one program share.
#pragma once

#include "frontend/lower/operator_writer.hpp"
#include "frontend/lower/scope.hpp"

namespace quern::frontend::lower {

struct Context {
  Context(Files& files, Program& program_, const Dialect& dialect_)
      : program(program_),
        dialect(dialect_),
        out(files, dialect),
        types(dialect, out),
        conversions(program, dialect, out, types),
        operators(program, dialect, out, types, conversions) {}

  Program& program;
  const Dialect& dialect;
  Output out;
  Scope scope;
  TypeWriter types;
  ConversionWriter conversions;
  OperatorWriter operators;
};

}  // namespace quern::frontend::lower
