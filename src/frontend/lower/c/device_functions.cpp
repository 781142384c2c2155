// SPDX-License-Identifier: MIT
// Work-item functions, barriers and fences in C.
#include "frontend/lower/c/device_functions.hpp"

namespace quern::frontend::lower {

std::vector<std::string> CDeviceFunctions::hidden_parameters(const Function* f) {
  std::vector<std::string> result;
  for (const std::string& name : hidden_arguments(f->uses)) {
    const std::string type = name == "quern_c"     ? "const quern_launch *"
                             : name == "quern_gi0" ? "long long "
                                                   : "unsigned long long ";
    result.push_back(type + name);
  }
  if (!f->local_variables.empty()) result.push_back(local_structure(f) + " *quern_local");
  return result;
}

// The first global id is passed in three forms: itself, and its low 32 bits with sign extension or with zero
// extension (wide_indices.cpp).
std::vector<std::string> CDeviceFunctions::hidden_arguments(const WorkItemUse& uses) {
  std::vector<std::string> result;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string n = std::to_string(d);
    if (uses.global_id[d]) result.push_back("quern_g" + n);
    if (uses.global_id[d] && d == 0) {
      result.push_back("quern_gi0");
      result.push_back("quern_gu0");
    }
    if (uses.local_id[d]) result.push_back("quern_l" + n);
    if (uses.group_id[d]) result.push_back("quern_k" + n);
  }
  if (uses.launch) result.push_back("quern_c");
  return result;
}

std::string CDeviceFunctions::work_item_value(std::string_view name, std::size_t dimension) {
  const std::string n = std::to_string(dimension);
  const std::string at = "[" + n + "]";
  if (name == "get_global_id") return "quern_g" + n;
  if (name == "get_local_id") return "quern_l" + n;
  if (name == "get_group_id") return "quern_k" + n;
  if (name == "get_num_groups") return "quern_c->group_count" + at;
  if (name == "get_enqueued_local_size") return "quern_c->local_size" + at;
  if (name == "get_global_size") return "quern_c->global_size" + at;
  if (name == "get_global_offset") return "quern_c->global_offset" + at;
  if (name == "get_work_dim") return "quern_c->work_dim";
  if (scope_.group_plan) return "((unsigned long long)quern_n" + n + ")";
  out_.define_text(
      "quern_local_size",
      "static inline unsigned long long quern_local_size(unsigned long long global, unsigned long long "
      "local, unsigned long long group) "
      "{ const unsigned long long left = global - local * group; return left < local ? left : local; }");
  return "quern_local_size(quern_c->global_size" + at + ", quern_c->local_size" + at + ", quern_k" + n + ")";
}

std::string CDeviceFunctions::local_structure(const Function* f) {
  std::string name = "struct quern_local_" + std::string(f->name);
  if (!out_.define(name)) return name;
  std::string members;
  for (const Variable* v : f->local_variables) {
    QualType plain = v->type;
    plain.space = Space::unspecified;
    members += "  " + types_.declare(plain, mangled(v->name)) + alignment_text(v) + ";\n";
    scope_.names[v] = "quern_local->" + mangled(v->name);
  }
  out_.add_type(name + " {\n" + members + "} __attribute__((aligned(128)));\n");
  return name;
}

// A string literal that identifies a barrier: its location, and a number that distinguishes barriers of one
// line.
std::string CDeviceFunctions::convergence_point(Location at) {
  return string_literal(out_.location_text(at) + '\0' + std::to_string(convergence_points_++));
}

// The barrier orders all memory, whatever the flags are.
std::string CDeviceFunctions::barrier(const Expr* e) {
  return "quern_c->runtime->barrier(quern_c, " + convergence_point(e->at) + ")";
}

// Only the work-items of a group see its local memory, and on the host these share a thread.
std::string CDeviceFunctions::fence(const Expr* e) {
  const bool is_local =
      e->builtin->name.ends_with("mem_fence") && constant_value(e->arguments[0]) == kLocalFence;
  return is_local ? "__atomic_signal_fence(__ATOMIC_SEQ_CST)" : std::string(e->builtin->c);
}

std::string CDeviceFunctions::space_test(const Expr* e, const std::string& x) {
  const std::string_view name = e->builtin->name;
  // Returns both flags, because finding the address space would need a call of the runtime. A fence that
  // orders more is still correct.
  if (name == "get_fence") return "3u";
  const std::string t = types_.text(e->type.type);
  const std::string wanted = name == "to_global" ? "1" : name == "to_local" ? "2" : "0";
  out_.define_text(
      "quern_in_space",
      "static inline void *quern_in_space(const quern_launch *c, const void *x, int wanted) { return "
      "c->runtime->space(c, x) == wanted ? (void *)x : 0; }");
  return "((" + t + ")quern_in_space(quern_c, (const void *)" + x + ", " + wanted + "))";
}

}  // namespace quern::frontend::lower
