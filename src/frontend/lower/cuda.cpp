// SPDX-License-Identifier: MIT
// What is particular to CUDA: one thread is one work-item, and threads past the global size return at once
// (a barrier waits for those that are left). Local memory is shared memory; a local parameter comes as its
// offset in the dynamic part.
#include "frontend/lower/emitter.hpp"
#include "frontend/lower/lower.hpp"

namespace quern::frontend::lower {

std::string to_cuda(Files& files, Program& program) {
  return Emitter(files, program, Language::cuda).run();
}

void Emitter::entry_cuda(const Function* f) {
  std::string bounds;
  if (f->required_local[0] > 0)
    bounds = "__launch_bounds__(" +
             std::to_string(f->required_local[0] * f->required_local[1] * f->required_local[2]) + ") ";
  std::string parameters, arguments;
  bool has_dynamic = false;
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const Variable* p = f->parameters[i];
    const std::string name = p->name.empty() ? "quern_argument" + std::to_string(i) : mangled(p->name);
    const bool is_local = p->type->is_pointer() && p->type->element.space == Space::local;
    const std::string pointer = declare({p->type.type}, "");
    parameters += (is_local ? "const unsigned long long " + name : declare(p->type, name)) + ", ";
    arguments += (i > 0 ? ", " : "") + (is_local ? "(" + pointer + ")(quern_dynamic + " + name + ")" : name);
    has_dynamic |= is_local;
  }
  plain_line("extern \"C\" __global__ void " + bounds + "quern_kernel_" + std::string(f->name) + "(" +
             parameters + "const quern_ndrange quern_c) {");
  ++indent_;
  if (has_dynamic) plain_line("extern __shared__ __align__(128) unsigned char quern_dynamic[];");
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d), axis(1, "xyz"[d]);
    plain_line("const unsigned long long quern_t" + n + " = (unsigned long long)blockIdx." + axis +
               " * blockDim." + axis + " + threadIdx." + axis + ";");
  }
  // One test of a launch parameter costs nothing beside three of each work-item's place.
  plain_line(
      "if (quern_c.partial && (quern_t0 >= quern_c.global_size[0] || quern_t1 >= quern_c.global_size[1] || "
      "quern_t2 >= "
      "quern_c.global_size[2])) return;");
  for (const std::string& name : item_arguments(f->uses)) {
    std::string value = name;
    if (name.starts_with("quern_g"))
      value = "quern_t" + name.substr(7) + " + quern_c.global_offset[" + name.substr(7) + "]";
    arguments += (arguments.empty() ? "" : ", ") + value;
  }
  plain_line(function_name(f) + "(" + arguments + ");");
  --indent_;
  plain_line("}");
}

}  // namespace quern::frontend::lower
