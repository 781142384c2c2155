// SPDX-License-Identifier: MIT
// Chooses the form of a kernel, and writes the beginning and the end of every entry.
#include "frontend/lower/c/kernel_writer.hpp"

#include <utility>

#include "frontend/lower/analysis/function_facts.hpp"
#include "frontend/lower/c/dialect.hpp"
#include "frontend/lower/lower.hpp"

namespace quern::frontend::lower {
namespace {

// host_abi.h as text, because the lowered text has no #include directives.
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

CText to_c(Files& files, Program& program) {
  const CDialect dialect(program);
  Context context(files, program, dialect);
  CDeviceFunctions device(context);
  ExpressionWriter expressions(context, device);
  StatementWriter statements(context, device, expressions);
  CKernelWriter kernels(context, device, expressions, statements);
  if (program.checks_bounds) (void)expressions.bounds_helpers();
  std::string text = write_program(context, expressions, statements, kernels);
  return {std::move(text), kernels.forms()};
}

std::string CKernelWriter::prologue() const {
  std::string text;
  if (out_.requirements.libm || out_.requirements.libmvec)
    text = std::string("/* quern-link: m") + (out_.requirements.libmvec ? " mvec" : "") + " */\n";
  return text + std::string(kAbi);
}

void CKernelWriter::kernel(const Function* f) {
  if (f->has_barrier && !f->is_called && split_entry(f)) return;
  const bool has_own_stack = needs_own_stack(f);
  if (!has_own_stack) scope_.guards = find_guards(program_, f);
  statements_.function(f);
  if (f->has_barrier || has_own_stack)
    fiber_entry(f);
  else
    plain_entry(f);
}

// Records the form for the caller, and writes it into the text as a comment.
void CKernelWriter::note_form(KernelForm form) {
  constexpr std::string_view kNames[] = {"plain", "lanes", "split", "fibers"};
  out_.plain_line("/* quern-form: " + std::string(kNames[static_cast<std::size_t>(form)]) + " */");
  forms_.push_back(form);
}

// If denormals are zero, the entry (end_entry) sets the processor's mode, calls the kernel and restores the
// mode. The kernel is not inlined, so that no compiler moves computations out of it.
void CKernelWriter::begin_entry(const Function* f, std::string_view first, std::string_view last) {
  const std::string_view name = program_.flushes_denormals
                                    ? "static __attribute__((noinline)) void quern_flushed_"
                                    : "void quern_kernel_";
  if (program_.checks_bounds) parameter_names(f);
  out_.plain_line(std::string(name) + std::string(f->name) +
                  "(const quern_launch *quern_launched, unsigned long long " + std::string(first) +
                  ", unsigned long long " + std::string(last) + ") {");
  out_.indent();
  if (!program_.checks_bounds) return;
  out_.plain_line("quern_now = ((const quern_bounds *)quern_launched->runtime)->here();");
  out_.plain_line("quern_now->launch = quern_launched;");
  out_.plain_line("quern_now->names = quern_names_" + std::string(f->name) + ";");
}

void CKernelWriter::parameter_names(const Function* f) {
  std::string names;
  for (const Variable* parameter : f->parameters)
    names += (names.empty() ? "" : ", ") + string_literal(parameter->name);
  out_.plain_line("static const char *const quern_names_" + std::string(f->name) + "[] = {" +
                  (names.empty() ? "0" : names) + "};");
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

}  // namespace quern::frontend::lower
