// SPDX-License-Identifier: MIT
// The functions of kernels that run in lanes: one for a row of work-items, and one for the remaining
// work-items.
#include "frontend/lower/analysis/inlined_body.hpp"
#include "frontend/lower/c/kernel_writer.hpp"

namespace quern::frontend::lower {

// Writes the function that runs a row of work-items at a time, with the kernel's loops outside of the loop
// over work-items. Returns the number of work-items in a row; nothing if the kernel would not become faster.
std::optional<int> CKernelWriter::lane_function(const Function* f) {
  // A kernel with groups of one work-item does different work in each.
  constexpr std::array<std::uint64_t, 3> kOne = {1, 1, 1};
  if (!has_loop(f) || f->required_local == kOne) return std::nullopt;
  const auto tree = inlined_body(program_, f, scope_.guards.hoisted, scope_.guards.returns);
  if (!tree) return std::nullopt;
  const Variables none;
  const auto plan = plan_row(program_, tree->statements, none, none, none);
  if (!plan) return std::nullopt;
  bool has_strided = false;
  const auto look = [&](const auto& self, const std::vector<Node>& list) -> void {
    for (const Node& n : list) {
      has_strided |= n.kind == NodeKind::strided;
      self(self, n.body);
      self(self, n.otherwise);
    }
  };
  look(look, plan->nodes);
  // Strided loops are faster with long rows, because each iteration jumps through memory. Other loops are
  // faster with short rows, which fit registers.
  const int lanes = has_strided ? 256 : 16;
  if (plan->kept_bytes() > kMostKeptInRow) return std::nullopt;
  const std::string count = std::to_string(lanes);
  scope_.row_plan = &*plan;
  regions_.begin(f, *plan, count, count);
  std::string parameters;
  const auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
  for (std::size_t i = 0; i < f->parameters.size(); ++i)
    add(types_.declare(f->parameters[i]->type, parameter_name(f->parameters[i], "quern_unnamed", i)));
  for (std::string p : device_.hidden_parameters(f)) {
    for (const std::string_view id : {"quern_g0", "quern_gi0", "quern_gu0", "quern_l0"})
      if (p.ends_with(" " + std::string(id))) p.replace(p.size() - id.size(), 6, "quern_first_");
    add(p);
  }
  out_.line(f->at, "static void quern_lanes_" + std::string(f->name) + "(" + parameters + ") {");
  out_.indent();
  regions_.write(*plan, count);
  out_.dedent();
  out_.plain_line("}");
  scope_.row_plan = nullptr;
  return lanes;
}

// Runs the remaining work-items of a row one at a time.
void CKernelWriter::single_item(const Function* f) {
  std::string head = statements_.header(f), arguments;
  // If the kernel uses local or group ids, all rows of a group may be shorter than the lanes. Otherwise only
  // a few work-items remain, and the function is kept small.
  const bool is_often_used = f->uses.local_id[0] || f->uses.group_id[0];
  head.replace(0, head.find(function_name(f)),
               is_often_used ? "static __attribute__((noinline)) void "
                             : "static __attribute__((noinline, cold)) void ");
  head.replace(head.find(function_name(f)), function_name(f).size(), "quern_single_" + std::string(f->name));
  std::size_t unnamed = 0;
  const auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  for (const Variable* p : f->parameters)
    add(parameter_name(p, "quern_unnamed", p->name.empty() ? unnamed++ : 0));
  for (const std::string& a : device_.hidden_arguments(f->uses)) add(a);
  out_.plain_line(head + " { " + function_name(f) + "(" + arguments + "); }");
}

}  // namespace quern::frontend::lower
