// SPDX-License-Identifier: MIT
// The functions of kernels that run in lanes: one of a row of work-items, and one of those that are left.
#include "frontend/lower/emitter.hpp"
#include "frontend/lower/inlined_body.hpp"

namespace quern::frontend::lower {

// A row of work-items at a time, whose loops run outside of the loop over them. False where nothing is
// gained.
bool Emitter::lanes(const Function* f) {
  // Who asks for groups of one work-item gives each a task of its own.
  constexpr std::array<std::uint64_t, 3> kOne = {1, 1, 1};
  if (!has_loop(f) || f->required_local == kOne) return false;
  const auto tree = inlined_body(program_, f, hoisted_, guard_returns_);
  if (!tree) return false;
  const Variables none;
  const auto plan = plan_row(program_, tree->statements, none, none, none);
  if (!plan) return false;
  bool has_strided = false;
  const auto look = [&](const auto& self, const std::vector<Node>& list) -> void {
    for (const Node& n : list) {
      has_strided |= n.kind == NodeKind::strided;
      self(self, n.body);
      self(self, n.otherwise);
    }
  };
  look(look, plan->nodes);
  // Strided loops want long rows, since each pass jumps through memory; others want short ones, in registers.
  lane_count_ = has_strided ? 256 : 16;
  if (plan->kept_bytes() > kMostKeptInRow) return false;
  row_count_ = row_size_ = std::to_string(lane_count_);
  row_plan_ = &*plan;
  name_variables(f, *plan);
  std::string parameters;
  const auto add = [&](const std::string& p) { parameters += (parameters.empty() ? "" : ", ") + p; };
  for (std::size_t i = 0; i < f->parameters.size(); ++i) {
    const Variable* p = f->parameters[i];
    add(declare(p->type, p->name.empty() ? "quern_unnamed" + std::to_string(i) : mangled(p->name)));
  }
  for (std::string p : item_parameters(f->uses)) {
    for (const std::string_view id : {"quern_g0", "quern_gi0", "quern_gu0", "quern_l0"})
      if (p.ends_with(" " + std::string(id))) p.replace(p.size() - id.size(), 6, "quern_first_");
    add(p);
  }
  line(f->at, "static void quern_lanes_" + std::string(f->name) + "(" + parameters + ") {");
  ++indent_;
  declare_kept(*plan, row_size_);
  nodes(plan->nodes);
  --indent_;
  plain_line("}");
  row_plan_ = nullptr;
  return true;
}

// The work-items that are left of a row of lanes, one by one.
void Emitter::single_item(const Function* f) {
  std::string head = header(f), arguments;
  // Rows of a group may be all shorter than the lanes; others end with a few work-items, not worth much code.
  const bool is_often_used = f->uses.local_id[0] || f->uses.group_id[0];
  head.replace(0, head.find(function_name(f)),
               is_often_used ? "static __attribute__((noinline)) void "
                             : "static __attribute__((noinline, cold)) void ");
  head.replace(head.find(function_name(f)), function_name(f).size(), "quern_single_" + std::string(f->name));
  std::size_t unnamed = 0;
  const auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  for (const Variable* p : f->parameters)
    add(p->name.empty() ? "quern_unnamed" + std::to_string(unnamed++) : mangled(p->name));
  for (const std::string& a : item_arguments(f->uses)) add(a);
  plain_line(head + " { " + function_name(f) + "(" + arguments + "); }");
}

}  // namespace quern::frontend::lower
