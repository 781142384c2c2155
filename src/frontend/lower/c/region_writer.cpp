// SPDX-License-Identifier: MIT
// Writes regions in C.
#include "frontend/lower/c/region_writer.hpp"

#include <algorithm>

namespace quern::frontend::lower {
namespace {

// Whether this is one or several comparisons that a work-item may evaluate even after it has left the loop.
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

void RegionWriter::write(const Plan& plan, const std::string& count) {
  declare_kept(plan, count);
  nodes(plan.nodes);
}

// Writes a loop over the work-items of a row; `inside` writes its body.
void RegionWriter::each_item_of_row(const Node& n, const Inside& inside) {
  if (is_independent(n)) out_.plain_line("QUERN_LANES");
  out_.plain_line("for (int quern_n = 0; quern_n < " + row_count_ + "; ++quern_n) {");
  out_.indent();
  lane_ids();
  load_variables(n);
  inside();
  store_variables(n);
  out_.dedent();
  out_.plain_line("}");
}

// The same for all rows of a group, unless a row is already being written.
void RegionWriter::each_item(const Node& n, const Inside& inside) {
  if (scope_.row_plan) {
    each_item_of_row(n, inside);
    return;
  }
  begin_rows();
  each_item_of_row(n, inside);
  end_rows();
}

void RegionWriter::nodes(const std::vector<Node>& list) {
  for (const Node& n : list) node(n);
}

// Returns the value that all work-items have for the condition. Where that is not known to be uniform, the
// kernel compares the values at run time and reports an error when they differ.
std::string RegionWriter::uniform_check(const Node& n) {
  const std::string id = std::to_string(++labels_);
  if (!n.needs_uniform_check) return expressions_.expr(n.s->condition);
  const bool is_value = n.s->kind == StmtKind::switch_;
  std::string value = "quern_uniform" + id;
  const std::string differs = "quern_differs" + id, seen = "quern_seen" + id;
  out_.plain_line("long long " + value + " = 0; int " + differs + " = 0, " + seen + " = 0;");
  each_item(n, [&] {
    out_.line(n.s->condition->at, "const long long quern_mine = " +
                                      (is_value ? expressions_.expr(n.s->condition)
                                                : "(" + expressions_.expr(n.s->condition) + ") ? 1 : 0") +
                                      ";");
    out_.plain_line("if (!" + seen + ") { " + value + " = quern_mine; " + seen + " = 1; }");
    out_.plain_line(differs + " |= quern_mine != " + value + ";");
  });
  Location where = n.s->at;  // of the first barrier inside
  bool found = false;
  each_expression_in(n.s, [&](const Expr* e) {
    if (!found && is_collective(e)) where = e->at;
    found |= is_collective(e);
  });
  out_.plain_line("if (" + differs + ") { quern_c->runtime->disagree(quern_c, quern_number, " +
                  string_literal(out_.location_text(where)) + "); return 1; }");
  return value;
}

void RegionWriter::node(const Node& n) {
  switch (n.kind) {
    case NodeKind::region:
      region(n);
      break;
    case NodeKind::once:
      if (n.s->kind == StmtKind::expression) {
        out_.line(n.s->at, expressions_.expr(n.s->condition) + ";");
      } else if (const Variable* v = n.s->variables.front(); v->initial) {
        out_.line(n.s->at, scope_.names[v] + " = " + expressions_.expr(v->initial) + ";");
      }
      break;
    case NodeKind::branch:
      branch(n);
      break;
    case NodeKind::loop:
      uniform_loop(n);
      break;
    case NodeKind::choice:
      choice(n);
      break;
    case NodeKind::label:
      out_.line(n.s->at, n.s->kind == StmtKind::case_ ? statements_.case_labels(n.s) : "default:;");
      break;
    case NodeKind::barrier:
      if (const std::string text = device_.combine_values(n.s->condition); !text.empty())
        out_.line(n.s->at, text);
      break;
    case NodeKind::leave:
      out_.line(n.s->at, n.s->kind == StmtKind::break_ ? "break;" : "goto " + continue_label_ + ";");
      break;
    case NodeKind::divergent:
      divergent_loop(n);
      break;
    case NodeKind::strided:
      strided_loop(n);
      break;
  }
}

void RegionWriter::branch(const Node& n) {
  out_.plain_line("{");
  out_.indent();
  const std::string condition = uniform_check(n);
  out_.line(n.s->at, "if (" + condition + ") {");
  out_.indent();
  nodes(n.body);
  out_.dedent();
  if (!n.otherwise.empty()) {
    out_.plain_line("} else {");
    out_.indent();
    nodes(n.otherwise);
    out_.dedent();
  }
  out_.plain_line("} }");
  out_.dedent();
}

void RegionWriter::choice(const Node& n) {
  out_.plain_line("{");
  out_.indent();
  const std::string value = uniform_check(n);
  out_.line(n.s->at, "switch (" + value + ") {");
  out_.indent();
  nodes(n.body);
  out_.dedent();
  out_.plain_line("} }");
  out_.dedent();
}

void RegionWriter::uniform_loop(const Node& n) {
  const std::string outer = continue_label_;
  continue_label_ = "quern_continue" + std::to_string(++labels_);
  out_.line(n.s->at, "for (;;) {");
  out_.indent();
  const auto test = [&] {
    if (!n.s->condition) return;
    const std::string condition = uniform_check(n);
    out_.line(n.s->at, "if (!(" + condition + ")) break;");
  };
  const bool is_do = n.s->kind == StmtKind::do_;
  if (!is_do) test();
  nodes(n.body);
  if (n.is_continued) out_.plain_line(continue_label_ + ":;");
  nodes(n.step);
  if (is_do) {
    out_.plain_line("{");
    test();
    out_.plain_line("}");
  }
  out_.dedent();
  out_.plain_line("}");
  continue_label_ = outer;
}

// Writes a region of a group row by row, with loops moved outside of the rows if that is faster.
void RegionWriter::region(const Node& n) {
  const auto write_all = [&](const std::vector<const Stmt*>& list) {
    for (const Stmt* s : list) statements_.statement(s);
  };
  if (!scope_.row_plan) {
    Variables rematerialised, uniform, kept;
    for (const Stmt* s : n.statements)
      each_expression_in(s, [&](const Expr* e) { add_rematerialised(e, rematerialised); });
    std::vector<const Stmt*> all;
    for (const Variable* v : scope_.group_plan->variables) {
      if (rematerialised.contains(v) && !n.declared.contains(v))
        all.push_back(scope_.group_plan->declarations.at(v));
      const Storage storage = scope_.storage_of(v);
      if (storage == Storage::once) uniform.insert(v);
      if (storage == Storage::array || storage == Storage::addressed) kept.insert(v);
    }
    all.insert(all.end(), n.statements.begin(), n.statements.end());
    const auto plan = plan_row(program_, all, uniform, n.live_out, kept);
    if (plan && plan->kept_bytes() <= kMostKeptInRow) {
      out_.plain_line("{");
      out_.indent();
      scope_.row_plan = &*plan;
      declare_kept(*plan, row_size_);
      begin_rows();
      nodes(plan->nodes);
      end_rows();
      scope_.row_plan = nullptr;
      out_.dedent();
      out_.plain_line("}");
      return;
    }
  }
  const bool is_needed = std::ranges::any_of(n.statements, [&](const Stmt* s) {
    return s->kind != StmtKind::declaration ||
           scope_.storage_of(s->variables.front()) != Storage::rematerialised;
  });
  if (is_needed) each_item(n, [&] { write_all(n.statements); });
}

// Each work-item has a flag that says whether it is still in the loop. The loop ends with the last work-item.
void RegionWriter::divergent_loop(const Node& n) {
  const std::string id = std::to_string(++labels_);
  const std::string flag = assigns_wide(n.s) ? "long long" : "int";
  const bool is_do = n.s->kind == StmtKind::do_;
  const std::string stays = n.s->condition ? expressions_.expr(n.s->condition) : "1";
  out_.plain_line("{ " + flag + " quern_active" + id + "[" + row_size_ + "];");
  out_.indent();
  out_.plain_line("for (int quern_n = 0; quern_n < " + row_count_ + "; ++quern_n) quern_active" + id +
                  "[quern_n] = 1;");
  out_.plain_line("for (;;) { " + flag + " quern_any = 0;");
  out_.indent();
  each_item_of_row(n, [&] {
    out_.plain_line(flag + " quern_on = quern_active" + id + "[quern_n];");
    if (is_do)
      out_.plain_line("if (quern_on) { {");
    else if (is_free(n.s->condition))  // avoids branches that would have to become selections
      out_.line(n.s->at, "quern_on &= -(" + flag + ")" + stays + "; if (quern_on) { {");
    else
      out_.line(n.s->at, "if (quern_on) { if (!(" + stays + ")) quern_on = 0; else {");
    out_.indent();
    statements_.body(body_of(n.s), "{ quern_on = 0; goto quern_left" + id + "; }",
                     "goto quern_next" + id + ";");
    out_.plain_line("quern_next" + id + ":;");
    if (n.s->step) out_.line(n.s->at, expressions_.expr(n.s->step) + ";");
    if (is_do) out_.line(n.s->at, "if (!(" + stays + ")) quern_on = 0;");
    out_.dedent();
    out_.plain_line("} } quern_left" + id + ":;");
    out_.plain_line("quern_active" + id + "[quern_n] = quern_on; quern_any |= quern_on;");
  });
  out_.plain_line("if (!quern_any) break;");
  out_.dedent();
  out_.plain_line("} }");
  out_.dedent();
}

// Adjacent work-items have adjacent counters. While the last counter of the row is within the bound, the
// whole row runs the loop together. Then each work-item finishes its remaining iterations.
void RegionWriter::strided_loop(const Node& n) {
  const Expr* c = n.s->condition;
  const Expr* left = c->operands[0]->kind == ExprKind::convert ? c->operands[0]->operands[0] : c->operands[0];
  const Variable* v = left->variable;
  const std::string name = scope_.names[v], base = "quern_u_" + name, t = types_.text(v->type.type);
  out_.plain_line("{ const int quern_n = 0;");
  lane_ids();
  Variables rematerialised;
  add_rematerialised(v->initial, rematerialised);
  each_kept([&](const Variable* used) {
    if (rematerialised.contains(used)) statements_.declaration(used);
  });
  out_.line(v->at, base + " = " + expressions_.expr(v->initial) + "; }");

  scope_.names[v] = base;
  const std::string low = expressions_.expr(c->operands[0]), high = expressions_.expr(c->operands[1]),
                    step = expressions_.expr(n.s->step);
  scope_.names[v] = name;
  out_.line(n.s->at, "while (" + low + " " + spelled(c->op) + " " + high + " && (unsigned long long)" + high +
                         " - (unsigned long long)" + low + (c->op == punct("<") ? " > " : " >= ") +
                         "(unsigned long long)(" + row_count_ + " - 1)) {");
  out_.indent();
  const std::string begin = t + " " + name + " = (" + t + ")(" + base + " + (" + t + ")quern_n);";
  const std::string label = "quern_next" + std::to_string(++labels_);
  each_item_of_row(n, [&] {
    out_.plain_line(begin);
    if (size_of(v->type.type) == 4) {
      out_.plain_line("const long long quern_w_" + name + " = (long long)" + base + " + quern_n;");
      expressions_.set_wide_twin(v, true);
    }
    statements_.body(body_of(n.s), "", "goto " + label + ";");
    out_.plain_line(label + ":;");
    expressions_.set_wide_twin(v, false);
  });
  out_.line(n.s->at, step + ";");
  out_.dedent();
  out_.plain_line("}");
  each_item_of_row(n, [&] {
    out_.plain_line(begin);
    out_.line(n.s->at, "for (; " + expressions_.expr(c) + "; " + expressions_.expr(n.s->step) + ") {");
    statements_.statement(body_of(n.s));
    out_.plain_line("}");
  });
}

}  // namespace quern::frontend::lower
