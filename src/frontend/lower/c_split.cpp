// SPDX-License-Identifier: MIT
// The entry of kernels that are split at their barriers: a work-group is a sequence of loops over its
// work-items.
#include "frontend/lower/emitter.hpp"
#include "frontend/lower/inlined_body.hpp"

namespace quern::frontend::lower {
namespace {

// Bytes on the stack for what a group keeps across barriers.
constexpr std::uint64_t kMostKept = 1 << 20;
// Where the local size is not known, groups of 1024 are taken for granted; eight times as many must fit too.
constexpr std::uint64_t kUsualItems = 1024, kUsualKept = 512 << 10;

}  // namespace

// Full groups, whose size is known where the kernel is built for one, take the first of two copies of the
// text; uneven ones at the border, and the rare group in which a 32-bit id wraps, the second, which the
// compiler is told to keep small.
bool Emitter::entry_split(const Function* f) {
  if (program_.wants_fibers) return false;
  const auto tree = inlined_body(program_, f, {}, false);
  if (!tree) return false;
  const auto plan = plan_group(program_, tree->statements);
  if (!plan) return false;
  const auto& local = f->required_local;
  const bool is_known = local[0] > 0;
  const std::uint64_t items = is_known ? local[0] * local[1] * local[2] : kUsualItems;
  if (items > kMostKept || plan->kept_bytes() * items > (is_known ? kMostKept : kUsualKept)) return false;

  const std::string name(f->name);
  std::string parameters, arguments;
  const auto add = [&](const std::string& type, const std::string& parameter) {
    parameters += (parameters.empty() ? "" : ", ") + type + parameter;
    arguments += (arguments.empty() ? "" : ", ") + parameter;
  };
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const Variable* p = f->parameters[i];
    const std::string spelled_name =
        p->name.empty() ? "quern_argument" + std::to_string(i) : mangled(p->name);
    parameters += (parameters.empty() ? "" : ", ") + declare(p->type, spelled_name);
    arguments += (arguments.empty() ? "" : ", ") + spelled_name;
  }
  if (!f->local_variables.empty()) add(local_structure(f) + " *", "quern_local");
  add("const quern_launch *", "quern_c");
  add("unsigned long long ", "quern_number");
  for (const char* id :
       {"quern_k0", "quern_k1", "quern_k2", "quern_first_g0", "quern_first_g1", "quern_first_g2"})
    add("unsigned long long ", id);
  const std::string sizes = ", int quern_n0, int quern_n1, int quern_n2, int quern_exact";

  group_plan_ = &*plan;
  row_count_ = "quern_n0";
  row_size_ = is_known ? std::to_string(local[0]) : "quern_n0";
  name_variables(f, *plan);
  line(f->at, "static inline __attribute__((always_inline)) int quern_split_" + name + "(" + parameters +
                  sizes + ") {");
  ++indent_;
  plain_line("const long long quern_first_gi0 = (int)quern_first_g0;");
  plain_line("const unsigned long long quern_first_gu0 = (unsigned)quern_first_g0;");
  if (!is_known) plain_line("const int quern_items = quern_n0 * quern_n1 * quern_n2;");
  if (f->has_group_functions) plain_line("void *const quern_exchange = quern_c->exchange;");
  declare_kept(*plan, is_known ? std::to_string(items) : "quern_items");
  nodes(plan->nodes);
  plain_line("return 0;");
  --indent_;
  plain_line("}");
  group_plan_ = nullptr;
  plain_line("#line 1 \"<quern_kernel_" + name + ">\"");
  file_ = -1;

  plain_line("static __attribute__((cold, noinline)) int quern_uneven_" + name + "(" + parameters + sizes +
             ") {");
  plain_line("  return quern_split_" + name + "(" + arguments + ", quern_n0, quern_n1, quern_n2, 1);");
  plain_line("}");
  plain_line(
      entry_name(f) +
      "(const quern_launch *quern_launched, unsigned long long quern_begin, unsigned long long quern_end) {");
  ++indent_;
  plain_line("const quern_launch quern_copy = *quern_launched, *const quern_c = &quern_copy;");
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const Variable* p = f->parameters[i];
    const std::string spelled_name =
        p->name.empty() ? "quern_argument" + std::to_string(i) : mangled(p->name);
    const QualType plain{p->type.type};
    plain_line(declare(plain, spelled_name) + " = *(" + declare({program_.types.pointer(plain)}, "") +
               ")quern_launched->arguments[" + std::to_string(i) + "];");
  }
  if (!f->local_variables.empty())
    plain_line(local_structure(f) + " *const quern_local = quern_c->local_memory;");
  plain_line(
      "for (unsigned long long quern_number = quern_begin; quern_number < quern_end; ++quern_number) {");
  ++indent_;
  plain_line("unsigned long long quern_rest = quern_number;");
  for (int d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d), at = "[" + n + "]";
    plain_line("const unsigned long long quern_k" + n + " = " +
               (d < 2 ? "quern_rest % quern_c->group_count" + at + "; quern_rest /= quern_c->group_count" + at
                      : std::string("quern_rest")) +
               ";");
    plain_line("const unsigned long long quern_left" + n + " = quern_c->global_size" + at + " - quern_k" + n +
               " * quern_c->local_size" + at + ";");
    plain_line("const unsigned long long quern_first_g" + n + " = quern_k" + n + " * quern_c->local_size" +
               at + " + quern_c->global_offset" + at + ";");
    plain_line("const int quern_n" + n + " = (int)(quern_left" + n + " < quern_c->local_size" + at +
               " ? quern_left" + n + " : quern_c->local_size" + at + ");");
  }
  std::string is_even = "(quern_first_g0 & 0x3fffffffull) + (unsigned long long)quern_n0 <= 0x40000000ull";
  std::string known;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d), size = std::to_string(local[d]);
    if (is_known) is_even += " && quern_n" + n + " == " + size;
    known += ", " + (is_known ? size : "quern_n" + n);
  }
  plain_line("if (" + is_even + " ? quern_split_" + name + "(" + arguments + known + ", 0) : quern_uneven_" +
             name + "(" + arguments + ", quern_n0, quern_n1, quern_n2, 1)) return;");
  --indent_;
  plain_line("}");
  --indent_;
  plain_line("}");
  flushing_entry(f);
  note_form(KernelForm::split);
  return true;
}

}  // namespace quern::frontend::lower
