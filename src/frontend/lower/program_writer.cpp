// SPDX-License-Identifier: MIT
// Writes a whole program.
#include "frontend/lower/program_writer.hpp"

#include "frontend/lower/analysis/function_facts.hpp"

namespace quern::frontend::lower {

std::string write_program(Context& context, ExpressionWriter& expressions, StatementWriter& statements,
                          KernelWriter& kernels) {
  Output& out = context.out;
  expressions.constant_data();
  const std::vector<const Function*> functions = needed_functions(context.program);
  for (const Function* f : functions) out.plain_line(statements.header(f) + ";");
  out.forget_location();
  for (const Function* f : functions) {
    context.scope.function = f;
    context.scope.guards = {};
    if (f->is_kernel)
      kernels.kernel(f);
    else
      statements.function(f);
  }
  context.types.define_rest();
  return out.text(kernels.prologue());
}

}  // namespace quern::frontend::lower
