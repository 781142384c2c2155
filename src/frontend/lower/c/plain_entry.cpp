// SPDX-License-Identifier: MIT
// The entry of kernels without barriers: a loop over work-items, written so that gcc and clang vectorise it.
#include "frontend/lower/analysis/aliasing.hpp"
#include "frontend/lower/analysis/function_facts.hpp"
#include "frontend/lower/c/kernel_writer.hpp"

namespace quern::frontend::lower {

// Limits a window of ids by the bounds of the kernel's guards.
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

// Loops over the groups, and over the windows of ids in a row of them.
void CKernelWriter::begin_windows(bool by_group) {
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
}

// Calls the function of one work-item, or of a row of lanes, for each id of a window.
void CKernelWriter::call_items(const Function* f, std::optional<int> lanes, std::string arguments) {
  for (const std::string& name : device_.hidden_arguments(f->uses)) {
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
  } else if (program_.checks_bounds) {
    out_.plain_line("for (long long quern_i = 0; quern_i < (long long)quern_limit; ++quern_i) {");
    out_.plain_line("  quern_now->item[0] = quern_id + (unsigned long long)quern_i;");
    out_.plain_line("  quern_now->item[1] = quern_y + quern_c->global_offset[1];");
    out_.plain_line("  quern_now->item[2] = quern_z + quern_c->global_offset[2];");
    out_.plain_line("  " + function_name(f) + "(" + arguments + ");");
    out_.plain_line("}");
  } else {
    if (!has_private_memory(f) && !has_local_memory(f) && !may_break_order({f->body}))
      out_.plain_line("QUERN_INDEPENDENT");
    out_.plain_line("for (long long quern_i = 0; quern_i < (long long)quern_limit; ++quern_i)");
    out_.plain_line("  " + function_name(f) + "(" + arguments + ");");
  }
}

// The entry takes groups a row at a time, or one by one when the kernel uses its local or group id. It splits
// the ids of a row into windows within which the low 32 bits neither wrap nor change sign, so that 32-bit ids
// can be followed in 64 bits.
void CKernelWriter::plain_entry(const Function* f) {
  // Groups in one loop would share their local memory.
  const bool by_group = f->uses.local_id[0] || f->uses.group_id[0] || has_local_memory(f);
  const bool is_single = has_local_memory(f) || program_.for_debugging || program_.checks_bounds;
  const auto lanes = is_single ? std::optional<int>() : lane_function(f);
  if (lanes) single_item(f);
  note_form(lanes ? KernelForm::lanes : KernelForm::plain);
  begin_entry(f, "quern_first", "quern_last");
  out_.plain_line("const quern_launch quern_copy = *quern_launched, *const quern_c = &quern_copy;");
  const std::string arguments = load_arguments(f);
  const std::vector<Guard>& bounds = scope_.guards.bounds;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    out_.plain_line("const " + types_.text(bounds[i].bound->type.type) + " quern_bound" + std::to_string(i) +
                    " = " + expressions_.expr(bounds[i].bound) + ";");
  begin_windows(by_group);
  limit_by_guards();
  call_items(f, lanes, arguments);
  out_.plain_line("quern_x += quern_step;");
  out_.dedent();
  out_.plain_line("}");
  out_.plain_line("quern_g += quern_groups;");
  out_.dedent();
  out_.plain_line("}");
  end_entry(f);
}

}  // namespace quern::frontend::lower
