// SPDX-License-Identifier: MIT
// What is particular to C: the loop over work-items, written so that gcc and clang vectorise it.
#include "frontend/lower/lower.hpp"

#include "frontend/lower/aliasing.hpp"
#include "frontend/lower/emitter.hpp"

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
  Emitter emitter(files, program, Language::c);
  std::string text = emitter.run();
  forms = emitter.forms();
  return text;
}

std::string Emitter::prologue() {
  if (is_cuda())
    return std::string(needs_cpp20_ ? "/* quern-std: c++20 */\n" : "") +
           "struct quern_ndrange { unsigned long long global_size[3], global_offset[3]; unsigned work_dim, "
           "partial; };\n";
  std::string text;
  if (needs_libm_ || needs_libmvec_)
    text = std::string("/* quern-link: m") + (needs_libmvec_ ? " mvec" : "") + " */\n";
  return text + std::string(kAbi);
}

// The first global id comes in three forms: itself, and its low 32 bits with sign or zeros extended
// (emit_indices.cpp).
std::vector<std::string> Emitter::item_parameters(const WorkItemUse& uses) {
  std::vector<std::string> result;
  const std::string id = is_cuda() ? "const unsigned long long " : "unsigned long long ";
  for (const std::string& name : item_arguments(uses)) {
    if (name == "quern_c")
      result.push_back(is_cuda() ? "const quern_ndrange &quern_c" : "const quern_launch *quern_c");
    else
      result.push_back((name == "quern_gi0" ? "long long " : id) + name);
  }
  return result;
}

std::vector<std::string> Emitter::item_arguments(const WorkItemUse& uses) {
  std::vector<std::string> result;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    if (uses.global_id[d]) result.push_back("quern_g" + n);
    if (uses.global_id[d] && d == 0 && !is_cuda()) {
      result.push_back("quern_gi0");
      result.push_back("quern_gu0");
    }
    if (is_cuda()) continue;  // local and group ids are CUDA's own
    if (uses.local_id[d]) result.push_back("quern_l" + n);
    if (uses.group_id[d]) result.push_back("quern_k" + n);
  }
  if (uses.launch) result.push_back("quern_c");
  return result;
}

std::string Emitter::work_item_value(std::string_view name, std::size_t dimension) {
  const std::string n = std::to_string(dimension);
  const std::string at = "[" + n + "]";
  if (name == "get_global_id") return "quern_g" + n;
  if (is_cuda()) {
    const std::string axis(1, "xyz"[dimension]);
    if (name == "get_local_id") return "(unsigned long long)threadIdx." + axis;
    if (name == "get_group_id") return "(unsigned long long)blockIdx." + axis;
    if (name == "get_num_groups") return "(unsigned long long)gridDim." + axis;
    if (name == "get_enqueued_local_size") return "(unsigned long long)blockDim." + axis;
    if (name == "get_global_size") return "quern_c.global_size" + at;
    if (name == "get_global_offset") return "quern_c.global_offset" + at;
    if (name == "get_work_dim") return "quern_c.work_dim";
    helper("quern_local_size",
           "static __device__ inline unsigned long long quern_local_size(unsigned long long global, unsigned "
           "local, unsigned group) "
           "{ const unsigned long long left = global - (unsigned long long)local * group; return left < "
           "local ? left : local; }");
    return "quern_local_size(quern_c.global_size" + at + ", blockDim." + axis + ", blockIdx." + axis + ")";
  }
  if (name == "get_local_id") return "quern_l" + n;
  if (name == "get_group_id") return "quern_k" + n;
  if (name == "get_num_groups") return "quern_c->group_count" + at;
  if (name == "get_enqueued_local_size") return "quern_c->local_size" + at;
  if (name == "get_global_size") return "quern_c->global_size" + at;
  if (name == "get_global_offset") return "quern_c->global_offset" + at;
  if (name == "get_work_dim") return "quern_c->work_dim";
  if (group_plan_) return "((unsigned long long)quern_n" + n + ")";
  helper("quern_local_size",
         "static inline unsigned long long quern_local_size(unsigned long long global, unsigned long long "
         "local, unsigned long long group) "
         "{ const unsigned long long left = global - local * group; return left < local ? left : local; }");
  return "quern_local_size(quern_c->global_size" + at + ", quern_c->local_size" + at + ", quern_k" + n + ")";
}

// Beside what it tells the caller, the text says it too, for those who read it.
void Emitter::note_form(KernelForm form) {
  constexpr std::string_view kNames[] = {"plain", "lanes", "split", "fibers"};
  plain_line("/* quern-form: " + std::string(kNames[static_cast<std::size_t>(form)]) + " */");
  forms_.push_back(form);
}

// Groups are taken a row at a time, or one by one when the kernel asks for its group or its place in it. The
// ids of a row are split into windows within which the low 32 bits neither wrap nor change sign, so that
// 32-bit ids can be followed in 64 bits.
// A kernel in which denormal numbers are zero is called by its entry, which sets the processor's mode and
// puts it back: no compiler moves a computation out of a function that it may not inline.
std::string Emitter::entry_name(const Function* f) const {
  return (program_.flushes_denormals ? "static __attribute__((noinline)) void quern_flushed_"
                                     : "void quern_kernel_") +
         std::string(f->name);
}

void Emitter::flushing_entry(const Function* f) {
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
    plain_line(text);
}

void Emitter::entry_c(const Function* f) {
  const WorkItemUse& uses = f->uses;
  // Groups that run in one loop would share their local memory.
  const bool by_group = uses.local_id[0] || uses.group_id[0] || has_local_memory(f);
  const bool in_lanes = !has_local_memory(f) && !program_.for_debugging && lanes(f);
  if (in_lanes) single_item(f);
  note_form(in_lanes ? KernelForm::lanes : KernelForm::plain);
  plain_line(entry_name(f) +
             "(const quern_launch *quern_launched, unsigned long long quern_first, unsigned long long "
             "quern_last) {");
  ++indent_;
  plain_line("const quern_launch quern_copy = *quern_launched, *const quern_c = &quern_copy;");
  std::string arguments;
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const Variable* p = f->parameters[i];
    const std::string name = p->name.empty() ? "quern_argument" + std::to_string(i) : mangled(p->name);
    QualType plain{p->type.type};
    const std::string pointer = declare({program_.types.pointer(plain)}, "");
    plain_line(declare(plain, name) + " = *(" + pointer + ")quern_launched->arguments[" + std::to_string(i) +
               "];");
    arguments += (i > 0 ? ", " : "") + name;
  }
  for (std::size_t i = 0; i < guards_.size(); ++i)
    plain_line("const " + type_text(guards_[i].bound->type.type) + " quern_bound" + std::to_string(i) +
               " = " + expr(guards_[i].bound) + ";");
  plain_line("for (unsigned long long quern_g = quern_first; quern_g < quern_last;) {");
  ++indent_;
  plain_line(
      "const unsigned long long quern_k0 = quern_g % quern_c->group_count[0], quern_rest = quern_g / "
      "quern_c->group_count[0];");
  plain_line(
      "const unsigned long long quern_k1 = quern_rest % quern_c->group_count[1], quern_k2 = quern_rest / "
      "quern_c->group_count[1];");
  if (by_group)
    plain_line("const unsigned long long quern_groups = 1;");
  else
    plain_line(
        "const unsigned long long quern_left = quern_c->group_count[0] - quern_k0, quern_groups = quern_last "
        "- quern_g < "
        "quern_left ? quern_last - quern_g : quern_left;");
  for (int d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    plain_line("const unsigned long long quern_begin" + n + " = quern_k" + n + " * quern_c->local_size[" + n +
               "];");
    plain_line("unsigned long long quern_end" + n + " = quern_begin" + n + " + " +
               (d == 0 ? "quern_groups * " : "") + "quern_c->local_size[" + n + "];");
    plain_line("if (quern_end" + n + " > quern_c->global_size[" + n + "]) quern_end" + n +
               " = quern_c->global_size[" + n + "];");
  }
  plain_line("for (unsigned long long quern_z = quern_begin2; quern_z < quern_end2; ++quern_z)");
  plain_line("for (unsigned long long quern_y = quern_begin1; quern_y < quern_end1; ++quern_y)");
  plain_line("for (unsigned long long quern_x = quern_begin0; quern_x < quern_end0;) {");
  ++indent_;
  plain_line(
      "const unsigned long long quern_id = quern_x + quern_c->global_offset[0], quern_window = 0x40000000ull "
      "- (quern_id & 0x3fffffffull);");
  plain_line(
      "const unsigned long long quern_step = quern_end0 - quern_x < quern_window ? quern_end0 - quern_x : "
      "quern_window;");
  plain_line("const long long quern_signed = (int)quern_id;");
  plain_line("const unsigned long long quern_unsigned = (unsigned)quern_id;");
  plain_line("unsigned long long quern_limit = quern_step;");
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const Guard& guard = guards_[i];
    const bool is_signed = guard.bound->type->is_signed();
    const TypeKind kind = guard.id_type->kind;
    const std::string t = is_signed ? "(long long)" : "(unsigned long long)";
    const std::string id = t + (kind == TypeKind::int_   ? "quern_signed"
                                : kind == TypeKind::uint ? "quern_unsigned"
                                                         : "quern_id");
    const std::string bound = t + "quern_bound" + std::to_string(i);
    const std::string distance =
        "(unsigned long long)quern_bound" + std::to_string(i) + " - (unsigned long long)" + id;
    plain_line("if (" + bound + (guard.inclusive ? " < " : " <= ") + id + ") quern_limit = 0;");
    plain_line("else if (" + distance + " < quern_limit) quern_limit = " + distance +
               (guard.inclusive ? " + 1" : "") + ";");
  }
  for (const std::string& name : item_arguments(uses)) {
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
    arguments += (arguments.empty() ? "" : ", ") + ("(" + local_structure(f)) + " *)quern_c->local_memory";
  if (in_lanes) {
    const std::string width = std::to_string(lane_count_);
    plain_line("long long quern_i = 0;");
    plain_line("for (; quern_i + " + width + " <= (long long)quern_limit; quern_i += " + width + ")");
    plain_line("  quern_lanes_" + std::string(f->name) + "(" + arguments + ");");
    plain_line("for (; quern_i < (long long)quern_limit; ++quern_i)");
    plain_line("  quern_single_" + std::string(f->name) + "(" + arguments + ");");
  } else {
    if (!has_private_memory(f) && !has_local_memory(f) && !may_break_order({f->body}))
      plain_line("QUERN_INDEPENDENT");
    plain_line("for (long long quern_i = 0; quern_i < (long long)quern_limit; ++quern_i)");
    plain_line("  " + function_name(f) + "(" + arguments + ");");
  }
  plain_line("quern_x += quern_step;");
  --indent_;
  plain_line("}");
  plain_line("quern_g += quern_groups;");
  --indent_;
  plain_line("}");
  --indent_;
  plain_line("}");
  flushing_entry(f);
}

}  // namespace quern::frontend::lower
