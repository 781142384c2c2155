// SPDX-License-Identifier: MIT
// Regions of the lowered text: loops over work-items with what they keep in arrays copied in and out.
#include <algorithm>

#include "frontend/lower/aliasing.hpp"
#include "frontend/lower/emitter.hpp"

namespace quern::frontend::lower {
namespace {

// A comparison, or several, that a work-item may evaluate even after it has left the loop.
bool is_free(const Expr* e) {
  if (!e || e->kind != ExprKind::binary || !e->type->is_integer()) return false;
  bool is_test = e->op == punct("&&") || e->op == punct("||");
  for (const std::uint32_t op : {punct("<"), punct(">"), punct("<="), punct(">="), punct("=="), punct("!=")})
    is_test |= e->op == op;
  if (!is_test || !is_pure(e)) return false;
  bool loads = false;
  each_expression(e, [&](const Expr* part) {
    loads |= part->kind == ExprKind::index || (part->kind == ExprKind::unary && part->op == punct("*"));
  });
  return !loads;
}

bool assigns_wide(const Stmt* s) {
  bool wide = false;
  each_expression_in(s, [&](const Expr* e) {
    if (const Variable* v = assigned_by(e)) wide |= size_of(v->type->scalar()) == 8;
  });
  return wide;
}

}  // namespace

Storage Emitter::storage_of(const Variable* v) const {
  if (row_plan_ && row_plan_->declares(v)) return row_plan_->storage_of(v);
  return group_plan_ ? group_plan_->storage_of(v) : Storage::inside;
}

std::string Emitter::index_of(const Variable* v) const {
  return row_plan_ && row_plan_->declares(v) ? "[quern_n]" : "[quern_row + quern_n]";
}

// Every variable of the tree gets a name of its own, so that scopes need not be kept.
void Emitter::name_variables(const Function* f, const Plan& plan) {
  std::unordered_set<std::string> taken;
  for (const Variable* p : f->parameters) taken.insert(mangled(p->name));
  for (const Variable* v : plan.variables) {
    const std::string plain = mangled(v->name);
    std::string name = plain;
    for (int i = 2; !taken.insert(name).second; ++i) name = plain + "_" + std::to_string(i);
    variable_names_[v] = name;
  }
}

void Emitter::parts_of(const QualType& type, const std::string& path,
                       std::vector<std::pair<std::string, QualType>>& parts) {
  if (type->is_vector()) {
    for (std::size_t i = 0; i < type->count; ++i) parts.emplace_back(path + "." + lane(i), type->element);
  } else if (type->kind == TypeKind::structure && !type->record->is_union) {
    for (const Field& field : type->record->fields)
      parts_of(field.type, path + "." + mangled(field.name), parts);
  } else {
    parts.emplace_back(path, type);
  }
}

// Variables that live outside of the regions.
void Emitter::declare_kept(const Plan& plan, const std::string& count) {
  for (const Variable* v : plan.variables) {
    std::string& name = variable_names_[v];
    switch (plan.storage_of(v)) {
      case Storage::once:
        wide_twins_[v] = false;
        plain_line(declare({v->type.type}, name) + ";");
        break;
      case Storage::array: {
        wide_twins_[v] = false;
        std::vector<std::pair<std::string, QualType>> parts;
        parts_of({v->type.type}, "", parts);
        for (std::size_t i = 0; i < parts.size(); ++i)
          plain_line(declare({parts[i].second.type},
                             "quern_a" + std::to_string(i) + "_" + name + "[" + count + "]") +
                     ";");
        break;
      }
      case Storage::place:
        wide_twins_[v] = false;
        plain_line(declare({v->type.type}, "quern_a_" + name + "[" + count + "]") + ";");
        name = "quern_a_" + name + index_of(v);
        break;
      case Storage::counter:
        plain_line(declare({v->type.type}, "quern_u_" + name) + ";");
        break;
      case Storage::inside:
      case Storage::again:
        break;
    }
  }
}

// The copies of a variable between its arrays and the region.
void Emitter::copy_in(const Variable* v) {
  const std::string& name = variable_names_[v];
  std::vector<std::pair<std::string, QualType>> parts;
  parts_of({v->type.type}, "", parts);
  plain_line(declare({v->type.type}, name) + ";");
  for (std::size_t i = 0; i < parts.size(); ++i)
    plain_line(name + parts[i].first + " = quern_a" + std::to_string(i) + "_" + name + index_of(v) + ";");
}

void Emitter::copy_out(const Variable* v) {
  const std::string& name = variable_names_[v];
  std::vector<std::pair<std::string, QualType>> parts;
  parts_of({v->type.type}, "", parts);
  for (std::size_t i = 0; i < parts.size(); ++i)
    plain_line("quern_a" + std::to_string(i) + "_" + name + index_of(v) + " = " + name + parts[i].first +
               ";");
}

template <class Visit>
void Emitter::each_kept(const Visit& visit) {
  if (group_plan_)
    for (const Variable* v : group_plan_->variables)
      if (!row_plan_ || !row_plan_->declares(v)) visit(v);
  if (row_plan_)
    for (const Variable* v : row_plan_->variables) visit(v);
}

void Emitter::add_repeated(const Expr* e, Variables& wanted) const {
  each_expression(e, [&](const Expr* part) {
    if (part->kind != ExprKind::variable || storage_of(part->variable) != Storage::again) return;
    if (wanted.insert(part->variable).second) add_repeated(part->variable->initial, wanted);
  });
}

void Emitter::begin_site(const Node& n) {
  Variables again;
  for (const Variable* v : n.mentioned) {
    if (storage_of(v) != Storage::again) continue;
    again.insert(v);
    add_repeated(v->initial, again);
  }
  each_kept([&](const Variable* v) {
    if (n.declared.contains(v)) return;
    const Storage storage = storage_of(v);
    if (storage == Storage::again && again.contains(v)) declaration(v);
    if (!n.mentioned.contains(v)) return;
    if (storage == Storage::array && n.live_in.contains(v))
      copy_in(v);
    else if (storage == Storage::array || storage == Storage::inside)
      plain_line(declare({v->type.type}, variable_names_[v]) + ";");
  });
}

void Emitter::end_site(const Node& n) {
  each_kept([&](const Variable* v) {
    if (storage_of(v) == Storage::array && n.assigned.contains(v) && n.live_out.contains(v)) copy_out(v);
  });
}

// Whether the iterations share no private memory: an array, or a variable that has an address, lies in one
// place of the stack that all of them use in turn.
bool Emitter::is_independent(const Node& n) const {
  bool shared = false;
  const auto look = [&](const Expr* e) {
    if (e->kind == ExprKind::call) shared |= has_private_memory(e->callee);
    const bool points = e->kind == ExprKind::unary && e->op == punct("&");
    const bool decays = e->kind == ExprKind::convert && e->operands[0]->type->kind == TypeKind::array;
    if (points || decays)
      if (const Variable* v = root_of(e->operands[0])) shared |= storage_of(v) != Storage::place;
  };
  const auto own = [&](const Stmt* s) {
    each_expression_in(s, look);
    each_statement(s, [&](const Stmt* inner) {
      for (const Variable* v : inner->variables)
        shared |= contains_array(v->type.type) && storage_of(v) != Storage::place;
    });
  };
  for (const Stmt* s : n.statements) own(s);
  const bool is_loop_node = n.kind == NodeKind::divergent || n.kind == NodeKind::strided;
  if (is_loop_node) own(n.s);
  if (n.votes) each_expression(n.s->condition, look);
  return !shared && !may_break_order(is_loop_node ? std::vector<const Stmt*>{n.s} : n.statements);
}

void Emitter::lane_ids() {
  for (const std::string& name : item_arguments(function_->uses)) {
    const bool in_group = group_plan_ != nullptr;
    if (name == "quern_g0")
      plain_line("const unsigned long long quern_g0 = quern_first_g0 + (unsigned long long)quern_n;");
    if (name == "quern_gi0")
      plain_line(in_group
                     ? "const long long quern_gi0 = quern_exact ? (int)quern_g0 : quern_first_gi0 + quern_n;"
                     : "const long long quern_gi0 = quern_first_gi0 + quern_n;");
    if (name == "quern_gu0")
      plain_line(in_group
                     ? "const unsigned long long quern_gu0 = quern_exact ? (unsigned)quern_g0 : "
                       "quern_first_gu0 + (unsigned long long)quern_n;"
                     : "const unsigned long long quern_gu0 = quern_first_gu0 + (unsigned long long)quern_n;");
    if (name == "quern_l0")
      plain_line(in_group
                     ? "const unsigned long long quern_l0 = (unsigned long long)quern_n;"
                     : "const unsigned long long quern_l0 = quern_first_l0 + (unsigned long long)quern_n;");
  }
}

// The work-items of a row, one after the other; `inside` writes what each does.
template <class Inside>
void Emitter::row_site(const Node& n, const Inside& inside) {
  if (is_independent(n)) plain_line("QUERN_LANES");
  plain_line("for (int quern_n = 0; quern_n < " + row_count_ + "; ++quern_n) {");
  ++indent_;
  lane_ids();
  begin_site(n);
  inside();
  end_site(n);
  --indent_;
  plain_line("}");
}

// The same for all rows of a group, unless a row is being written.
template <class Inside>
void Emitter::site(const Node& n, const Inside& inside) {
  if (row_plan_) {
    row_site(n, inside);
    return;
  }
  begin_rows();
  row_site(n, inside);
  end_rows();
}

void Emitter::begin_rows() {
  plain_line("for (int quern_z = 0; quern_z < quern_n2; ++quern_z)");
  plain_line("for (int quern_y = 0; quern_y < quern_n1; ++quern_y) {");
  ++indent_;
  plain_line("const int quern_row = (quern_z * quern_n1 + quern_y) * quern_n0;");
  for (const std::string& name : item_arguments(function_->uses)) {
    const std::string of = name == "quern_g1" || name == "quern_l1"   ? "quern_y"
                           : name == "quern_g2" || name == "quern_l2" ? "quern_z"
                                                                      : "";
    if (of.empty()) continue;
    const std::string first = name[6] == 'g' ? "quern_first_" + name.substr(6) + " + " : "";
    plain_line("const unsigned long long " + name + " = " + first + "(unsigned long long)" + of + ";");
  }
}

void Emitter::end_rows() {
  --indent_;
  plain_line("}");
}

void Emitter::nodes(const std::vector<Node>& list) {
  for (const Node& n : list) node(n);
}

// Leaves the answer of all work-items to the condition in the variable it names.
std::string Emitter::vote(const Node& n) {
  const std::string id = std::to_string(++labels_);
  if (!n.votes) return expr(n.s->condition);
  const bool is_value = n.s->kind == StmtKind::switch_;
  std::string value = "quern_vote" + id;
  const std::string differs = "quern_differs" + id, seen = "quern_seen" + id;
  plain_line("long long " + value + " = 0; int " + differs + " = 0, " + seen + " = 0;");
  site(n, [&] {
    line(n.s->condition->at,
         "const long long quern_mine = " +
             (is_value ? expr(n.s->condition) : "(" + expr(n.s->condition) + ") ? 1 : 0") + ";");
    plain_line("if (!" + seen + ") { " + value + " = quern_mine; " + seen + " = 1; }");
    plain_line(differs + " |= quern_mine != " + value + ";");
  });
  Location where = n.s->at;  // of the first barrier inside
  bool found = false;
  each_expression_in(n.s, [&](const Expr* e) {
    if (!found && is_collective(e)) where = e->at;
    found |= is_collective(e);
  });
  plain_line("if (" + differs + ") { quern_c->runtime->disagree(quern_c, quern_number, " +
             string_text(place(where)) + "); return 1; }");
  return value;
}

void Emitter::node(const Node& n) {
  switch (n.kind) {
    case NodeKind::region:
      region(n);
      break;
    case NodeKind::once:
      if (n.s->kind == StmtKind::expression) {
        line(n.s->at, expr(n.s->condition) + ";");
      } else if (const Variable* v = n.s->variables.front(); v->initial) {
        line(n.s->at, variable_names_[v] + " = " + expr(v->initial) + ";");
      }
      break;
    case NodeKind::branch: {
      plain_line("{");
      ++indent_;
      const std::string condition = vote(n);
      line(n.s->at, "if (" + condition + ") {");
      ++indent_;
      nodes(n.body);
      --indent_;
      if (!n.otherwise.empty()) {
        plain_line("} else {");
        ++indent_;
        nodes(n.otherwise);
        --indent_;
      }
      plain_line("} }");
      --indent_;
      break;
    }
    case NodeKind::loop:
      uniform_loop(n);
      break;
    case NodeKind::choice: {
      plain_line("{");
      ++indent_;
      const std::string value = vote(n);
      line(n.s->at, "switch (" + value + ") {");
      ++indent_;
      nodes(n.body);
      --indent_;
      plain_line("} }");
      --indent_;
      break;
    }
    case NodeKind::label:
      line(n.s->at, n.s->kind == StmtKind::case_ ? case_labels(n.s) : "default:;");
      break;
    case NodeKind::barrier:
      meet(n.s);
      break;
    case NodeKind::leave:
      line(n.s->at, n.s->kind == StmtKind::break_ ? "break;" : "goto " + continue_label_ + ";");
      break;
    case NodeKind::divergent:
      divergent_loop(n);
      break;
    case NodeKind::strided:
      strided_loop(n);
      break;
  }
}

void Emitter::uniform_loop(const Node& n) {
  const std::string outer = continue_label_;
  continue_label_ = "quern_continue" + std::to_string(++labels_);
  line(n.s->at, "for (;;) {");
  ++indent_;
  const auto test = [&] {
    if (!n.s->condition) return;
    const std::string condition = vote(n);
    line(n.s->at, "if (!(" + condition + ")) break;");
  };
  const bool is_do = n.s->kind == StmtKind::do_;
  if (!is_do) test();
  nodes(n.body);
  if (n.is_continued) plain_line(continue_label_ + ":;");
  nodes(n.step);
  if (is_do) {
    plain_line("{");
    test();
    plain_line("}");
  }
  --indent_;
  plain_line("}");
  continue_label_ = outer;
}

// A region of a group is written row by row, with loops taken out of the rows where that pays.
void Emitter::region(const Node& n) {
  const auto statements = [&](const std::vector<const Stmt*>& list) {
    for (const Stmt* s : list) statement(s);
  };
  if (!row_plan_) {
    Variables again, uniform, kept;
    for (const Stmt* s : n.statements) each_expression_in(s, [&](const Expr* e) { add_repeated(e, again); });
    std::vector<const Stmt*> all;
    for (const Variable* v : group_plan_->variables) {
      if (again.contains(v) && !n.declared.contains(v)) all.push_back(group_plan_->declarations.at(v));
      const Storage storage = storage_of(v);
      if (storage == Storage::once) uniform.insert(v);
      if (storage == Storage::array || storage == Storage::place) kept.insert(v);
    }
    all.insert(all.end(), n.statements.begin(), n.statements.end());
    const auto plan = plan_row(program_, all, uniform, n.live_out, kept);
    if (plan && plan->kept_bytes() <= kMostKeptInRow) {
      plain_line("{");
      ++indent_;
      row_plan_ = &*plan;
      declare_kept(*plan, row_size_);
      begin_rows();
      nodes(plan->nodes);
      end_rows();
      row_plan_ = nullptr;
      --indent_;
      plain_line("}");
      return;
    }
  }
  const bool is_needed = std::ranges::any_of(n.statements, [&](const Stmt* s) {
    return s->kind != StmtKind::declaration || storage_of(s->variables.front()) != Storage::again;
  });
  if (is_needed) site(n, [&] { statements(n.statements); });
}

// Every work-item has a flag that says whether it is still in the loop; the loop ends with the last of them.
void Emitter::divergent_loop(const Node& n) {
  const std::string id = std::to_string(++labels_);
  const std::string flag = assigns_wide(n.s) ? "long long" : "int";
  const bool is_do = n.s->kind == StmtKind::do_;
  const std::string stays = n.s->condition ? expr(n.s->condition) : "1";
  plain_line("{ " + flag + " quern_active" + id + "[" + row_size_ + "];");
  ++indent_;
  plain_line("for (int quern_n = 0; quern_n < " + row_count_ + "; ++quern_n) quern_active" + id +
             "[quern_n] = 1;");
  plain_line("for (;;) { " + flag + " quern_any = 0;");
  ++indent_;
  row_site(n, [&] {
    plain_line(flag + " quern_on = quern_active" + id + "[quern_n];");
    if (is_do)
      plain_line("if (quern_on) { {");
    else if (is_free(n.s->condition))  // fewer branches to turn into selections
      line(n.s->at, "quern_on &= -(" + flag + ")" + stays + "; if (quern_on) { {");
    else
      line(n.s->at, "if (quern_on) { if (!(" + stays + ")) quern_on = 0; else {");
    ++indent_;
    on_break_ = "{ quern_on = 0; goto quern_left" + id + "; }";
    on_continue_ = "goto quern_next" + id + ";";
    statement(body_of(n.s));
    on_break_.clear();
    on_continue_.clear();
    plain_line("quern_next" + id + ":;");
    if (n.s->step) line(n.s->at, expr(n.s->step) + ";");
    if (is_do) line(n.s->at, "if (!(" + stays + ")) quern_on = 0;");
    --indent_;
    plain_line("} } quern_left" + id + ":;");
    plain_line("quern_active" + id + "[quern_n] = quern_on; quern_any |= quern_on;");
  });
  plain_line("if (!quern_any) break;");
  --indent_;
  plain_line("} }");
  --indent_;
}

// Counters that are neighbours stay so: as long as the last of the row is within the bound, all of it goes
// through the loop together; the work-items finish the rest one by one.
void Emitter::strided_loop(const Node& n) {
  const Expr* c = n.s->condition;
  const Expr* left = c->operands[0]->kind == ExprKind::convert ? c->operands[0]->operands[0] : c->operands[0];
  const Variable* v = left->variable;
  const std::string name = variable_names_[v], base = "quern_u_" + name, t = type_text(v->type.type);
  plain_line("{ const int quern_n = 0;");
  lane_ids();
  Variables again;
  add_repeated(v->initial, again);
  each_kept([&](const Variable* used) {
    if (again.contains(used)) declaration(used);
  });
  line(v->at, base + " = " + expr(v->initial) + "; }");

  variable_names_[v] = base;
  const std::string low = expr(c->operands[0]), high = expr(c->operands[1]), step = expr(n.s->step);
  variable_names_[v] = name;
  line(n.s->at, "while (" + low + " " + spelled(c->op) + " " + high + " && (unsigned long long)" + high +
                    " - (unsigned long long)" + low + (c->op == punct("<") ? " > " : " >= ") +
                    "(unsigned long long)(" + row_count_ + " - 1)) {");
  ++indent_;
  const std::string begin = t + " " + name + " = (" + t + ")(" + base + " + (" + t + ")quern_n);";
  const std::string label = "quern_next" + std::to_string(++labels_);
  row_site(n, [&] {
    plain_line(begin);
    if (size_of(v->type.type) == 4) {
      plain_line("const long long quern_w_" + name + " = (long long)" + base + " + quern_n;");
      wide_twins_[v] = true;
    }
    on_continue_ = "goto " + label + ";";
    statement(body_of(n.s));
    on_continue_.clear();
    plain_line(label + ":;");
    wide_twins_[v] = false;
  });
  line(n.s->at, step + ";");
  --indent_;
  plain_line("}");
  row_site(n, [&] {
    plain_line(begin);
    line(n.s->at, "for (; " + expr(c) + "; " + expr(n.s->step) + ") {");
    statement(body_of(n.s));
    plain_line("}");
  });
}

}  // namespace quern::frontend::lower
