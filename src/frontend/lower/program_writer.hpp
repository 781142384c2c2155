// SPDX-License-Identifier: MIT
// Writes a whole program.
#pragma once

#include <string>

#include "frontend/lower/statement_writer.hpp"

namespace quern::frontend::lower {

// Writes kernels in the way of one target.
class KernelWriter {
 public:
  virtual ~KernelWriter() = default;
  // Writes the kernel's body and its entry.
  virtual void kernel(const Function* f) = 0;
  // Returns the text before everything else. It is called after all writers are done.
  [[nodiscard]] virtual std::string prologue() const = 0;
};

std::string write_program(Context& context, ExpressionWriter& expressions, StatementWriter& statements,
                          KernelWriter& kernels);

}  // namespace quern::frontend::lower
