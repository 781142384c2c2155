// SPDX-License-Identifier: MIT
// The entry of a kernel is a loop over work-items, written so that gcc and clang vectorise it.
#include "frontend/lower/c/kernel_writer.hpp"

#include "frontend/lower/analysis/aliasing.hpp"
#include "frontend/lower/analysis/function_facts.hpp"
#include "frontend/lower/c/dialect.hpp"
#include "frontend/lower/lower.hpp"

namespace quern::frontend::lower {
namespace {

// host_abi.h, in one line: the lowered text includes nothing.
constexpr std::string_view kAbi =
    "struct quern_launch;\n"
    "typedef struct quern_runtime { int (*run_group)(const struct quern_launch *, unsigned long long, void "
    "(*)(void *, unsigned long long), void *, unsigned long long, unsigned long long); void (*barrier)(const "
    "struct quern_launch *, const char *); void (*disagree)(const struct quern_launch *, unsigned long long, "
    "const char *); int (*space)(const struct quern_launch *, const void *); } quern_runtime;\n"
    "typedef struct quern_launch { unsigned long long global_size[3], local_size[3], global_offset[3], "
    "group_count[3]; "
    "unsigned work_dim; const void *const *arguments; const quern_runtime *runtime; void *local_memory, "
    "*exchange; } "
    "quern_launch;\n"
    "#ifdef __clang__\n"
    "#define QUERN_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n"
    "#define QUERN_LANES _Pragma(\"clang loop vectorize(assume_safety)\")\n"
    "#else\n"
    "#define QUERN_INDEPENDENT _Pragma(\"GCC ivdep\")\n"
    "#define QUERN_LANES _Pragma(\"GCC ivdep\") _Pragma(\"GCC unroll 1\")\n"
    "#endif\n";

}  // namespace

std::string to_c(Files& files, Program& program, std::vector<KernelForm>& forms) {
  const CDialect dialect(program);
  Context context(files, program, dialect);
  CDeviceFunctions device(context);
  ExpressionWriter expressions(context, device);
  StatementWriter statements(context, device, expressions);
  CKernelWriter kernels(context, device, expressions, statements);
  std::string text = write_program(context, expressions, statements, kernels);
  forms = kernels.forms();
  return text;
}

std::string CKernelWriter::prologue() const {
  std::string text;
  if (out_.requires_.libm || out_.requires_.libmvec)
    text = std::string("/* quern-link: m") + (out_.requires_.libmvec ? " mvec" : "") + " */\n";
  return text + std::string(kAbi);
}

void CKernelWriter::kernel(Function* f) {
  f->wants_fixed_local = f->has_barrier && !f->is_called && split_entry(f);
  if (f->wants_fixed_local) return;
  const bool has_own_stack = needs_own_stack(f);
  if (!has_own_stack) scope_.guards = find_guards(program_, f);
  statements_.function(f);
  if (f->has_barrier || has_own_stack)
    fiber_entry(f);
  else
    plain_entry(f);
}

// Tells the caller, and a reader of the text.
void CKernelWriter::note_form(KernelForm form) {
  constexpr std::string_view kNames[] = {"plain", "lanes", "split", "fibers"};
  out_.plain_line("/* quern-form: " + std::string(kNames[static_cast<std::size_t>(form)]) + " */");
  forms_.push_back(form);
}

// A kernel in which denormal numbers are zero is called by its entry (end_entry), which sets the processor's
// mode and puts it back: no compiler moves a computation out of a function that it may not inline.
void CKernelWriter::begin_entry(const Function* f, std::string_view first, std::string_view last) {
  const std::string_view name = program_.flushes_denormals
                                    ? "static __attribute__((noinline)) void quern_flushed_"
                                    : "void quern_kernel_";
  out_.plain_line(std::string(name) + std::string(f->name) +
                  "(const quern_launch *quern_launched, unsigned long long " + std::string(first) +
                  ", unsigned long long " + std::string(last) + ") {");
  out_.indent();
}

void CKernelWriter::end_entry(const Function* f) {
  out_.dedent();
  out_.plain_line("}");
  if (!program_.flushes_denormals) return;
  const std::string name(f->name),
      call = "quern_flushed_" + name + "(quern_launched, quern_first, quern_last);";
  for (const std::string& text : {
           "void quern_kernel_" + name +
               "(const quern_launch *quern_launched, unsigned long long quern_first, unsigned long long "
               "quern_last) {",
           std::string("#if defined(__x86_64__)"),
           std::string("const unsigned quern_mode = __builtin_ia32_stmxcsr();"),
           std::string("__builtin_ia32_ldmxcsr(quern_mode | 0x8040);"),
           call,
           std::string("__builtin_ia32_ldmxcsr(quern_mode);"),
           std::string("#elif defined(__aarch64__)"),
           std::string("unsigned long long quern_mode;"),
           std::string("__asm__ volatile(\"mrs %0, fpcr\" : \"=r\"(quern_mode));"),
           std::string("__asm__ volatile(\"msr fpcr, %0\" : : \"r\"(quern_mode | 1ull << 24));"),
           call,
           std::string("__asm__ volatile(\"msr fpcr, %0\" : : \"r\"(quern_mode));"),
           std::string("#else"),
           call,
           std::string("#endif"),
           std::string("}"),
       })
    out_.plain_line(text);
}

// Declares the kernel's parameters and returns their names, joined by commas.
std::string CKernelWriter::load_arguments(const Function* f) {
  std::string arguments;
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const QualType plain{f->parameters[i]->type.type};
    const std::string name = parameter_name(f->parameters[i], "quern_argument", i);
    const std::string pointer = types_.declare({program_.types.pointer(plain)}, "");
    out_.plain_line(types_.declare(plain, name) + " = *(" + pointer + ")quern_launched->arguments[" +
                    std::to_string(i) + "];");
    arguments += (i > 0 ? ", " : "") + name;
  }
  return arguments;
}

// Compares the ids of a window with the bounds that the kernel's guards have.
void CKernelWriter::limit_by_guards() {
  const std::vector<Guard>& bounds = scope_.guards.bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Guard& guard = bounds[i];
    const bool is_signed = guard.bound->type->is_signed();
    const TypeKind kind = guard.id_type->kind;
    const std::string t = is_signed ? "(long long)" : "(unsigned long long)";
    const std::string id = t + (kind == TypeKind::int_   ? "quern_signed"
                                : kind == TypeKind::uint ? "quern_unsigned"
                                                         : "quern_id");
    const std::string bound = t + "quern_bound" + std::to_string(i);
    const std::string distance =
        "(unsigned long long)quern_bound" + std::to_string(i) + " - (unsigned long long)" + id;
    out_.plain_line("if (" + bound + (guard.inclusive ? " < " : " <= ") + id + ") quern_limit = 0;");
    out_.plain_line("else if (" + distance + " < quern_limit) quern_limit = " + distance +
                    (guard.inclusive ? " + 1" : "") + ";");
  }
}

// Groups are taken a row at a time, or one by one when the kernel uses its local or group id. The ids of a
// row are split into windows within which the low 32 bits neither wrap nor change sign, so that 32-bit ids
// can be followed in 64 bits.
void CKernelWriter::plain_entry(const Function* f) {
  const WorkItemUse& uses = f->uses;
  // Groups that run in one loop would share their local memory.
  const bool by_group = uses.local_id[0] || uses.group_id[0] || has_local_memory(f);
  const auto lanes = has_local_memory(f) || program_.for_debugging ? std::optional<int>() : lane_function(f);
  if (lanes) single_item(f);
  note_form(lanes ? KernelForm::lanes : KernelForm::plain);
  begin_entry(f, "quern_first", "quern_last");
  out_.plain_line("const quern_launch quern_copy = *quern_launched, *const quern_c = &quern_copy;");
  std::string arguments = load_arguments(f);
  const std::vector<Guard>& bounds = scope_.guards.bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    out_.plain_line("const " + types_.text(bounds[i].bound->type.type) + " quern_bound" + std::to_string(i) +
                    " = " + expressions_.expr(bounds[i].bound) + ";");
  out_.plain_line("for (unsigned long long quern_g = quern_first; quern_g < quern_last;) {");
  out_.indent();
  out_.plain_line(
      "const unsigned long long quern_k0 = quern_g % quern_c->group_count[0], quern_rest = quern_g / "
      "quern_c->group_count[0];");
  out_.plain_line(
      "const unsigned long long quern_k1 = quern_rest % quern_c->group_count[1], quern_k2 = quern_rest / "
      "quern_c->group_count[1];");
  if (by_group)
    out_.plain_line("const unsigned long long quern_groups = 1;");
  else
    out_.plain_line(
        "const unsigned long long quern_left = quern_c->group_count[0] - quern_k0, quern_groups = quern_last "
        "- quern_g < "
        "quern_left ? quern_last - quern_g : quern_left;");
  for (int d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    out_.plain_line("const unsigned long long quern_begin" + n + " = quern_k" + n +
                    " * quern_c->local_size[" + n + "];");
    out_.plain_line("unsigned long long quern_end" + n + " = quern_begin" + n + " + " +
                    (d == 0 ? "quern_groups * " : "") + "quern_c->local_size[" + n + "];");
    out_.plain_line("if (quern_end" + n + " > quern_c->global_size[" + n + "]) quern_end" + n +
                    " = quern_c->global_size[" + n + "];");
  }
  out_.plain_line("for (unsigned long long quern_z = quern_begin2; quern_z < quern_end2; ++quern_z)");
  out_.plain_line("for (unsigned long long quern_y = quern_begin1; quern_y < quern_end1; ++quern_y)");
  out_.plain_line("for (unsigned long long quern_x = quern_begin0; quern_x < quern_end0;) {");
  out_.indent();
  out_.plain_line(
      "const unsigned long long quern_id = quern_x + quern_c->global_offset[0], quern_window = 0x40000000ull "
      "- (quern_id & 0x3fffffffull);");
  out_.plain_line(
      "const unsigned long long quern_step = quern_end0 - quern_x < quern_window ? quern_end0 - quern_x : "
      "quern_window;");
  out_.plain_line("const long long quern_signed = (int)quern_id;");
  out_.plain_line("const unsigned long long quern_unsigned = (unsigned)quern_id;");
  out_.plain_line("unsigned long long quern_limit = quern_step;");
  limit_by_guards();
  for (const std::string& name : device_.hidden_arguments(uses)) {
    std::string value = name;
    if (name == "quern_g0") value = "quern_id + (unsigned long long)quern_i";
    if (name == "quern_gi0") value = "quern_signed + quern_i";
    if (name == "quern_gu0") value = "quern_unsigned + (unsigned long long)quern_i";
    if (name == "quern_g1") value = "quern_y + quern_c->global_offset[1]";
    if (name == "quern_g2") value = "quern_z + quern_c->global_offset[2]";
    if (name == "quern_l0") value = "quern_x - quern_begin0 + (unsigned long long)quern_i";
    if (name == "quern_l1") value = "quern_y - quern_begin1";
    if (name == "quern_l2") value = "quern_z - quern_begin2";
    arguments += (arguments.empty() ? "" : ", ") + value;
  }
  if (!f->local_variables.empty())
    arguments +=
        (arguments.empty() ? "" : ", ") + ("(" + device_.local_structure(f)) + " *)quern_c->local_memory";
  if (lanes) {
    const std::string width = std::to_string(*lanes);
    out_.plain_line("long long quern_i = 0;");
    out_.plain_line("for (; quern_i + " + width + " <= (long long)quern_limit; quern_i += " + width + ")");
    out_.plain_line("  quern_lanes_" + std::string(f->name) + "(" + arguments + ");");
    out_.plain_line("for (; quern_i < (long long)quern_limit; ++quern_i)");
    out_.plain_line("  quern_single_" + std::string(f->name) + "(" + arguments + ");");
  } else {
    if (!has_private_memory(f) && !has_local_memory(f) && !may_break_order({f->body}))
      out_.plain_line("QUERN_INDEPENDENT");
    out_.plain_line("for (long long quern_i = 0; quern_i < (long long)quern_limit; ++quern_i)");
    out_.plain_line("  " + function_name(f) + "(" + arguments + ");");
  }
  out_.plain_line("quern_x += quern_step;");
  out_.dedent();
  out_.plain_line("}");
  out_.plain_line("quern_g += quern_groups;");
  out_.dedent();
  out_.plain_line("}");
  end_entry(f);
}

}  // namespace quern::frontend::lower
