// SPDX-License-Identifier: MIT
// A whole program of the lowered text.
#pragma once

#include <string>

#include "frontend/lower/statement_writer.hpp"

namespace quern::frontend::lower {

// How a target enters a kernel.
class KernelWriter {
 public:
  virtual ~KernelWriter() = default;
  // Writes the kernel's body and its entry.
  virtual void kernel(Function* f) = 0;
  // What comes before everything else. The writers are done when this is asked.
  [[nodiscard]] virtual std::string prologue() const = 0;
};

std::string write_program(Context& context, ExpressionWriter& expressions, StatementWriter& statements,
                          KernelWriter& kernels);

}  // namespace quern::frontend::lower
