// SPDX-License-Identifier: MIT
// Kernels in CUDA: one thread is one work-item. Threads past the global size return at once, and a barrier
// waits for the others. Local memory is shared memory; the caller passes a local parameter as its offset in
// the dynamic part.
#include "frontend/lower/cuda/device_functions.hpp"
#include "frontend/lower/cuda/dialect.hpp"
#include "frontend/lower/lower.hpp"
#include "frontend/lower/program_writer.hpp"

namespace quern::frontend::lower {
namespace {

class CudaKernelWriter final : public KernelWriter {
 public:
  CudaKernelWriter(Context& context, CudaDeviceFunctions& device, StatementWriter& statements)
      : out_(context.out), types_(context.types), device_(device), statements_(statements) {}

  void kernel(const Function* f) override {
    statements_.function(f);
    entry(f);
  }
  [[nodiscard]] std::string prologue() const override {
    return std::string(out_.requirements.designated_initialisers ? "/* quern-std: c++20 */\n" : "") +
           "struct quern_ndrange { unsigned long long global_size[3], global_offset[3]; unsigned work_dim, "
           "partial; };\n";
  }

 private:
  void entry(const Function* f);

  Output& out_;
  TypeWriter& types_;
  CudaDeviceFunctions& device_;
  StatementWriter& statements_;
};

void CudaKernelWriter::entry(const Function* f) {
  std::string bounds;
  if (f->required_local[0] > 0)
    bounds = "__launch_bounds__(" +
             std::to_string(f->required_local[0] * f->required_local[1] * f->required_local[2]) + ") ";
  std::string parameters, arguments;
  bool has_dynamic = false;
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const Variable* p = f->parameters[i];
    const std::string name = parameter_name(p, "quern_argument", i);
    const bool is_local = p->type->is_pointer() && p->type->element.space == Space::local;
    const std::string pointer = types_.declare({p->type.type}, "");
    parameters += (is_local ? "const unsigned long long " + name : types_.declare(p->type, name)) + ", ";
    arguments += (i > 0 ? ", " : "") + (is_local ? "(" + pointer + ")(quern_dynamic + " + name + ")" : name);
    has_dynamic |= is_local;
  }
  out_.plain_line("extern \"C\" __global__ void " + bounds + "quern_kernel_" + std::string(f->name) + "(" +
                  parameters + "const quern_ndrange quern_c) {");
  out_.indent();
  if (has_dynamic) out_.plain_line("extern __shared__ __align__(128) unsigned char quern_dynamic[];");
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d), axis(1, "xyz"[d]);
    out_.plain_line("const unsigned long long quern_t" + n + " = (unsigned long long)blockIdx." + axis +
                    " * blockDim." + axis + " + threadIdx." + axis + ";");
  }
  // Testing one launch parameter costs nothing compared with testing three ids of each work-item.
  out_.plain_line(
      "if (quern_c.partial && (quern_t0 >= quern_c.global_size[0] || quern_t1 >= quern_c.global_size[1] || "
      "quern_t2 >= "
      "quern_c.global_size[2])) return;");
  for (const std::string& name : device_.hidden_arguments(f->uses)) {
    std::string value = name;
    if (name.starts_with("quern_g"))
      value = "quern_t" + name.substr(7) + " + quern_c.global_offset[" + name.substr(7) + "]";
    arguments += (arguments.empty() ? "" : ", ") + value;
  }
  out_.plain_line(function_name(f) + "(" + arguments + ");");
  out_.dedent();
  out_.plain_line("}");
}

}  // namespace

std::string to_cuda(Files& files, Program& program) {
  const CudaDialect dialect;
  Context context(files, program, dialect);
  CudaDeviceFunctions device(context);
  ExpressionWriter expressions(context, device);
  StatementWriter statements(context, device, expressions);
  CudaKernelWriter kernels(context, device, statements);
  return write_program(context, expressions, statements, kernels);
}

}  // namespace quern::frontend::lower
