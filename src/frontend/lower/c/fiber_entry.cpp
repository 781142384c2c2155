// SPDX-License-Identifier: MIT
// The entry of kernels whose work-items run as fibers. Each work-item has its own stack, so any control flow
// around a barrier works. Kernels without barriers whose variables do not fit a thread's stack also run this
// way, one work-item after the other.
#include "frontend/lower/analysis/function_facts.hpp"
#include "frontend/lower/c/kernel_writer.hpp"

namespace quern::frontend::lower {
namespace {

// The position of the group. The kernel's entry writes it, its work-items read it.
constexpr std::string_view kGroup =
    "typedef struct quern_group { const quern_launch *launch; void *local; unsigned long long id[3], "
    "size[3], first; } "
    "quern_group;\n"
    "static inline unsigned long long quern_enter_group(quern_group *group, unsigned long long number) {\n"
    "  const quern_launch *const c = group->launch;\n"
    "  unsigned long long items = 1;\n"
    "  for (int d = 0; d < 3; ++d) {\n"
    "    const unsigned long long id = d < 2 ? number % c->group_count[d] : number;\n"
    "    const unsigned long long left = c->global_size[d] - id * c->local_size[d];\n"
    "    group->id[d] = id;\n"
    "    group->size[d] = left < c->local_size[d] ? left : c->local_size[d];\n"
    "    items *= group->size[d];\n"
    "    number /= c->group_count[d];\n"
    "  }\n"
    "  return items;\n"
    "}";

}  // namespace

void CKernelWriter::fiber_entry(const Function* f) {
  out_.define_text("quern_group", std::string(kGroup));
  const std::string name(f->name);
  out_.plain_line("static void quern_fiber_" + name + "(void *quern_data, unsigned long long quern_item) {");
  out_.indent();
  out_.plain_line("const quern_group *const quern_in = quern_data;");
  out_.plain_line("const quern_launch *const quern_c = quern_in->launch;");
  out_.plain_line("quern_item += quern_in->first;");
  const auto local_id = [](char d) -> std::string {
    return d == '0'   ? "quern_item % quern_in->size[0]"
           : d == '1' ? "quern_item / quern_in->size[0] % quern_in->size[1]"
                      : "quern_item / quern_in->size[0] / quern_in->size[1]";
  };
  const auto global_id = [&](char d) {
    const std::string at = std::string("[") + d + "]";
    return "quern_in->id" + at + " * quern_c->local_size" + at + " + " + local_id(d) +
           " + quern_c->global_offset" + at;
  };
  if (program_.checks_bounds)
    for (const char d : {'0', '1', '2'})
      out_.plain_line(std::string("quern_now->item[") + d + "] = " + global_id(d) + ";");
  std::string arguments;
  const auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const std::string pointer = types_.declare({program_.types.pointer({f->parameters[i]->type.type})}, "");
    add("*(" + pointer + ")quern_c->arguments[" + std::to_string(i) + "]");
  }
  for (const std::string& hidden : device_.hidden_arguments(f->uses)) {
    const char d = hidden.back();
    const std::string at = std::string("[") + d + "]";
    const std::string local = local_id(d), global = global_id(d);
    if (hidden.starts_with("quern_gi"))
      add("(long long)(int)(" + global + ")");
    else if (hidden.starts_with("quern_gu"))
      add("(unsigned long long)(unsigned)(" + global + ")");
    else if (hidden.starts_with("quern_g"))
      add(global);
    else if (hidden.starts_with("quern_l"))
      add(local);
    else if (hidden.starts_with("quern_k"))
      add("quern_in->id" + at);
    else
      add(hidden);
  }
  if (!f->local_variables.empty()) add("quern_in->local");
  out_.plain_line(function_name(f) + "(" + arguments + ");");
  out_.dedent();
  out_.plain_line("}");

  begin_entry(f, "quern_first", "quern_last");
  out_.plain_line("quern_group quern_in = {quern_launched, quern_launched->local_memory, {0}, {0}, 0};");
  out_.plain_line("for (; quern_first < quern_last; ++quern_first) {");
  out_.plain_line("  const unsigned long long quern_items = quern_enter_group(&quern_in, quern_first);");
  const auto run = [&](const std::string& items) {
    return "if (quern_launched->runtime->run_group(quern_launched, quern_first, quern_fiber_" + name +
           ", &quern_in, " + items + ", " + std::to_string(stack_size(f)) + "ull)) return;";
  };
  if (f->has_barrier) {
    out_.plain_line("  " + run("quern_items"));
  } else {
    out_.plain_line("  for (quern_in.first = 0; quern_in.first < quern_items; ++quern_in.first)");
    out_.plain_line("    " + run("1"));
  }
  out_.plain_line("}");
  end_entry(f);
  note_form(KernelForm::fibers);
}

}  // namespace quern::frontend::lower
