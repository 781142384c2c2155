// SPDX-License-Identifier: MIT
// The entry of kernels that are split at their barriers: a work-group is a sequence of loops over its
// work-items.
#include "frontend/lower/analysis/inlined_body.hpp"
#include "frontend/lower/c/kernel_writer.hpp"

namespace quern::frontend::lower {
namespace {

// Bytes of stack for the variables that a group keeps across barriers.
constexpr std::uint64_t kMostKept = 1 << 20;
// If the local size is unknown, the limit assumes groups of 1024 work-items; kUsualKept leaves room for
// larger ones.
constexpr std::uint64_t kUsualItems = 1024, kUsualKept = 512 << 10;

constexpr std::string_view kSizes = ", int quern_n0, int quern_n1, int quern_n2, int quern_exact";

bool has_fixed_size(const Function* f) {
  return f->required_local[0] > 0;
}

std::uint64_t items_of_group(const Function* f) {
  const auto& local = f->required_local;
  return has_fixed_size(f) ? local[0] * local[1] * local[2] : kUsualItems;
}

}  // namespace

// The text of a group is written twice. Full groups run the first copy, with a constant size if the kernel is
// built for one. Smaller groups at the border, and the rare group in which a 32-bit id wraps, run the second
// copy, which the compiler is asked to keep small.
bool CKernelWriter::split_entry(const Function* f) {
  if (program_.wants_fibers || program_.checks_bounds) return false;
  const auto tree = inlined_body(program_, f, {}, false);
  if (!tree) return false;
  const auto plan = plan_group(program_, tree->statements);
  if (!plan) return false;
  const std::uint64_t items = items_of_group(f);
  if (items > kMostKept || plan->kept_bytes() * items > (has_fixed_size(f) ? kMostKept : kUsualKept))
    return false;

  std::string parameters, arguments;
  const auto add = [&](const std::string& declaration, const std::string& parameter) {
    parameters += (parameters.empty() ? "" : ", ") + declaration;
    arguments += (arguments.empty() ? "" : ", ") + parameter;
  };
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const std::string name = parameter_name(f->parameters[i], "quern_argument", i);
    add(types_.declare(f->parameters[i]->type, name), name);
  }
  if (!f->local_variables.empty()) add(device_.local_structure(f) + " *quern_local", "quern_local");
  add("const quern_launch *quern_c", "quern_c");
  for (const std::string id : {"quern_number", "quern_k0", "quern_k1", "quern_k2", "quern_first_g0",
                               "quern_first_g1", "quern_first_g2"})
    add("unsigned long long " + id, id);

  split_function(f, *plan, parameters);
  const std::string name(f->name);
  out_.plain_line("static __attribute__((cold, noinline)) int quern_uneven_" + name + "(" + parameters +
                  std::string(kSizes) + ") {");
  out_.plain_line("  return quern_split_" + name + "(" + arguments + ", quern_n0, quern_n1, quern_n2, 1);");
  out_.plain_line("}");
  begin_entry(f, "quern_begin", "quern_end");
  out_.plain_line("const quern_launch quern_copy = *quern_launched, *const quern_c = &quern_copy;");
  load_arguments(f);
  if (!f->local_variables.empty())
    out_.plain_line(device_.local_structure(f) + " *const quern_local = quern_c->local_memory;");
  split_groups(f, arguments);
  end_entry(f);
  note_form(KernelForm::split);
  return true;
}

// The function that runs one group.
void CKernelWriter::split_function(const Function* f, const Plan& plan, const std::string& parameters) {
  const bool is_fixed = has_fixed_size(f);
  scope_.group_plan = &plan;
  regions_.begin(f, plan, "quern_n0", is_fixed ? std::to_string(f->required_local[0]) : "quern_n0");
  const std::string name(f->name);
  out_.line(f->at, "static inline __attribute__((always_inline)) int quern_split_" + name + "(" + parameters +
                       std::string(kSizes) + ") {");
  out_.indent();
  out_.plain_line("const long long quern_first_gi0 = (int)quern_first_g0;");
  out_.plain_line("const unsigned long long quern_first_gu0 = (unsigned)quern_first_g0;");
  if (!is_fixed) out_.plain_line("const int quern_items = quern_n0 * quern_n1 * quern_n2;");
  if (f->has_group_functions) out_.plain_line("void *const quern_exchange = quern_c->exchange;");
  regions_.write(plan, is_fixed ? std::to_string(items_of_group(f)) : "quern_items");
  out_.plain_line("return 0;");
  out_.dedent();
  out_.plain_line("}");
  scope_.group_plan = nullptr;
  out_.plain_line("#line 1 \"<quern_kernel_" + name + ">\"");
  out_.forget_location();
}

// The loop over groups.
void CKernelWriter::split_groups(const Function* f, const std::string& arguments) {
  out_.plain_line(
      "for (unsigned long long quern_number = quern_begin; quern_number < quern_end; ++quern_number) {");
  out_.indent();
  out_.plain_line("unsigned long long quern_rest = quern_number;");
  for (int d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d), at = "[" + n + "]";
    out_.plain_line(
        "const unsigned long long quern_k" + n + " = " +
        (d < 2 ? "quern_rest % quern_c->group_count" + at + "; quern_rest /= quern_c->group_count" + at
               : std::string("quern_rest")) +
        ";");
    out_.plain_line("const unsigned long long quern_left" + n + " = quern_c->global_size" + at +
                    " - quern_k" + n + " * quern_c->local_size" + at + ";");
    out_.plain_line("const unsigned long long quern_first_g" + n + " = quern_k" + n +
                    " * quern_c->local_size" + at + " + quern_c->global_offset" + at + ";");
    out_.plain_line("const int quern_n" + n + " = (int)(quern_left" + n + " < quern_c->local_size" + at +
                    " ? quern_left" + n + " : quern_c->local_size" + at + ");");
  }
  std::string is_even = "(quern_first_g0 & 0x3fffffffull) + (unsigned long long)quern_n0 <= 0x40000000ull";
  std::string known;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d), size = std::to_string(f->required_local[d]);
    if (has_fixed_size(f)) is_even += " && quern_n" + n + " == " + size;
    known += ", " + (has_fixed_size(f) ? size : "quern_n" + n);
  }
  const std::string name(f->name);
  out_.plain_line("if (" + is_even + " ? quern_split_" + name + "(" + arguments + known +
                  ", 0) : quern_uneven_" + name + "(" + arguments +
                  ", quern_n0, quern_n1, quern_n2, 1)) return;");
  out_.dedent();
  out_.plain_line("}");
}

}  // namespace quern::frontend::lower
