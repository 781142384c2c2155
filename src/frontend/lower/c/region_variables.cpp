// SPDX-License-Identifier: MIT
// The variables of regions: which are kept in arrays, and the ids of work-items.
#include "frontend/lower/analysis/aliasing.hpp"
#include "frontend/lower/analysis/function_facts.hpp"
#include "frontend/lower/c/region_writer.hpp"

namespace quern::frontend::lower {
namespace {

using Parts = std::vector<std::pair<std::string, QualType>>;

void add_parts(const QualType& type, const std::string& path, Parts& parts) {
  if (type->is_vector()) {
    for (std::size_t i = 0; i < type->count; ++i) parts.emplace_back(path + "." + lane(i), type->element);
  } else if (type->kind == TypeKind::structure && !type->record->is_union) {
    for (const Field& field : type->record->fields)
      add_parts(field.type, path + "." + mangled(field.name), parts);
  } else {
    parts.emplace_back(path, type);
  }
}

// The scalars that a variable consists of, each with its path below the variable.
Parts parts_of(const Variable* v) {
  Parts parts;
  add_parts({v->type.type}, "", parts);
  return parts;
}

}  // namespace

std::string RegionWriter::index_of(const Variable* v) const {
  return scope_.row_plan && scope_.row_plan->declares(v) ? "[quern_n]" : "[quern_row + quern_n]";
}

// Every variable of the tree gets a unique name, so that the text needs no blocks for scopes.
void RegionWriter::begin(const Function* f, const Plan& plan, const std::string& row_count,
                         const std::string& row_size) {
  row_count_ = row_count;
  row_size_ = row_size;
  std::unordered_set<std::string> taken;
  for (const Variable* p : f->parameters) taken.insert(mangled(p->name));
  for (const Variable* v : plan.variables) {
    const std::string plain = mangled(v->name);
    std::string name = plain;
    for (int i = 2; !taken.insert(name).second; ++i) name = plain + "_" + std::to_string(i);
    scope_.names[v] = name;
  }
}

// Declares variables that are kept outside of regions.
void RegionWriter::declare_kept(const Plan& plan, const std::string& count) {
  for (const Variable* v : plan.variables) {
    std::string& name = scope_.names[v];
    switch (plan.storage_of(v)) {
      case Storage::once:
        expressions_.set_wide_twin(v, false);
        out_.plain_line(types_.declare({v->type.type}, name) + ";");
        break;
      case Storage::array: {
        expressions_.set_wide_twin(v, false);
        const Parts parts = parts_of(v);
        for (std::size_t i = 0; i < parts.size(); ++i)
          out_.plain_line(types_.declare({parts[i].second.type},
                                         "quern_a" + std::to_string(i) + "_" + name + "[" + count + "]") +
                          ";");
        break;
      }
      case Storage::addressed:
        expressions_.set_wide_twin(v, false);
        out_.plain_line(types_.declare({v->type.type}, "quern_a_" + name + "[" + count + "]") + ";");
        name = "quern_a_" + name + index_of(v);
        break;
      case Storage::counter:
        out_.plain_line(types_.declare({v->type.type}, "quern_u_" + name) + ";");
        break;
      case Storage::inside:
      case Storage::rematerialised:
        break;
    }
  }
}

// Copies a variable between its arrays and the region.
void RegionWriter::copy_in(const Variable* v) {
  const std::string& name = scope_.names[v];
  const Parts parts = parts_of(v);
  out_.plain_line(types_.declare({v->type.type}, name) + ";");
  for (std::size_t i = 0; i < parts.size(); ++i)
    out_.plain_line(name + parts[i].first + " = quern_a" + std::to_string(i) + "_" + name + index_of(v) +
                    ";");
}

void RegionWriter::copy_out(const Variable* v) {
  const std::string& name = scope_.names[v];
  const Parts parts = parts_of(v);
  for (std::size_t i = 0; i < parts.size(); ++i)
    out_.plain_line("quern_a" + std::to_string(i) + "_" + name + index_of(v) + " = " + name + parts[i].first +
                    ";");
}

void RegionWriter::each_kept(const std::function<void(const Variable*)>& visit) {
  if (scope_.group_plan)
    for (const Variable* v : scope_.group_plan->variables)
      if (!scope_.row_plan || !scope_.row_plan->declares(v)) visit(v);
  if (scope_.row_plan)
    for (const Variable* v : scope_.row_plan->variables) visit(v);
}

void RegionWriter::add_rematerialised(const Expr* e, Variables& wanted) const {
  each_expression(e, [&](const Expr* part) {
    if (part->kind != ExprKind::variable || scope_.storage_of(part->variable) != Storage::rematerialised)
      return;
    if (wanted.insert(part->variable).second) add_rematerialised(part->variable->initial, wanted);
  });
}

void RegionWriter::load_variables(const Node& n) {
  Variables rematerialised;
  for (const Variable* v : n.mentioned) {
    if (scope_.storage_of(v) != Storage::rematerialised) continue;
    rematerialised.insert(v);
    add_rematerialised(v->initial, rematerialised);
  }
  each_kept([&](const Variable* v) {
    if (n.declared.contains(v)) return;
    const Storage storage = scope_.storage_of(v);
    if (storage == Storage::rematerialised && rematerialised.contains(v)) statements_.declaration(v);
    if (!n.mentioned.contains(v)) return;
    if (storage == Storage::array && n.live_in.contains(v))
      copy_in(v);
    else if (storage == Storage::array || storage == Storage::inside)
      out_.plain_line(types_.declare({v->type.type}, scope_.names[v]) + ";");
  });
}

void RegionWriter::store_variables(const Node& n) {
  each_kept([&](const Variable* v) {
    if (scope_.storage_of(v) == Storage::array && n.assigned.contains(v) && n.live_out.contains(v))
      copy_out(v);
  });
}

// Whether the iterations share no private memory. An array, or a variable whose address is taken, is at the
// same stack address for all of them.
bool RegionWriter::is_independent(const Node& n) const {
  bool shared = false;
  const auto look = [&](const Expr* e) {
    if (e->kind == ExprKind::call) shared |= has_private_memory(e->callee);
    const bool points = e->kind == ExprKind::unary && e->op == punct("&");
    const bool decays = e->kind == ExprKind::convert && e->operands[0]->type->kind == TypeKind::array;
    if (points || decays)
      if (const Variable* v = root_of(e->operands[0])) shared |= scope_.storage_of(v) != Storage::addressed;
  };
  const auto own = [&](const Stmt* s) {
    each_expression_in(s, look);
    each_statement(s, [&](const Stmt* inner) {
      for (const Variable* v : inner->variables)
        shared |= contains_array(v->type.type) && scope_.storage_of(v) != Storage::addressed;
    });
  };
  for (const Stmt* s : n.statements) own(s);
  const bool is_loop_node = n.kind == NodeKind::divergent || n.kind == NodeKind::strided;
  if (is_loop_node) own(n.s);
  if (n.needs_uniform_check) each_expression(n.s->condition, look);
  return !shared && !may_break_order(is_loop_node ? std::vector<const Stmt*>{n.s} : n.statements);
}

void RegionWriter::lane_ids() {
  for (const std::string& name : device_.hidden_arguments(scope_.function->uses)) {
    const bool in_group = scope_.group_plan != nullptr;
    if (name == "quern_g0")
      out_.plain_line("const unsigned long long quern_g0 = quern_first_g0 + (unsigned long long)quern_n;");
    if (name == "quern_gi0")
      out_.plain_line(
          in_group ? "const long long quern_gi0 = quern_exact ? (int)quern_g0 : quern_first_gi0 + quern_n;"
                   : "const long long quern_gi0 = quern_first_gi0 + quern_n;");
    if (name == "quern_gu0")
      out_.plain_line(
          in_group ? "const unsigned long long quern_gu0 = quern_exact ? (unsigned)quern_g0 : "
                     "quern_first_gu0 + (unsigned long long)quern_n;"
                   : "const unsigned long long quern_gu0 = quern_first_gu0 + (unsigned long long)quern_n;");
    if (name == "quern_l0")
      out_.plain_line(
          in_group ? "const unsigned long long quern_l0 = (unsigned long long)quern_n;"
                   : "const unsigned long long quern_l0 = quern_first_l0 + (unsigned long long)quern_n;");
  }
}

void RegionWriter::begin_rows() {
  out_.plain_line("for (int quern_z = 0; quern_z < quern_n2; ++quern_z)");
  out_.plain_line("for (int quern_y = 0; quern_y < quern_n1; ++quern_y) {");
  out_.indent();
  out_.plain_line("const int quern_row = (quern_z * quern_n1 + quern_y) * quern_n0;");
  for (const std::string& name : device_.hidden_arguments(scope_.function->uses)) {
    const std::string of = name == "quern_g1" || name == "quern_l1"   ? "quern_y"
                           : name == "quern_g2" || name == "quern_l2" ? "quern_z"
                                                                      : "";
    if (of.empty()) continue;
    const std::string first = name[6] == 'g' ? "quern_first_" + name.substr(6) + " + " : "";
    out_.plain_line("const unsigned long long " + name + " = " + first + "(unsigned long long)" + of + ";");
  }
}

void RegionWriter::end_rows() {
  out_.dedent();
  out_.plain_line("}");
}

}  // namespace quern::frontend::lower
