// SPDX-License-Identifier: MIT
// Makes the plan: which statements all work-items execute together, which variables have one value for all
// work-items, and which statements remain as regions.
#include "frontend/lower/analysis/regions.hpp"

#include <algorithm>

namespace quern::frontend::lower {
namespace {

// Limit for nested loops; the time of the analysis grows with a power of the depth.
constexpr int kMaxDepth = 16;
// Limits for the number of passes until nothing changes, and for the total size of the sets of variables.
// Ordinary kernels need a few passes; beyond these limits the analysis would take longer than the kernel
// gains.
constexpr int kMaxPasses = 200;
constexpr std::size_t kMaxLive = 1'000'000;

std::size_t size_of_tree(const std::vector<Node>& nodes) {
  std::size_t size = nodes.size();
  for (const Node& n : nodes) size += size_of_tree(n.body) + size_of_tree(n.otherwise) + size_of_tree(n.step);
  return size;
}

bool is_control(const Stmt* s) {
  return is_loop(s) || s->kind == StmtKind::if_ || s->kind == StmtKind::switch_;
}

bool repeatable(const Expr* e, const std::function<bool(const Variable*)>& is_known, int& budget) {
  if (--budget < 0 || e->type.is_volatile) return false;
  switch (e->kind) {
    case ExprKind::variable: {
      const Variable* v = e->variable;
      if (v->is_local()) return v->type->kind == TypeKind::array;
      if (!is_private(v)) return true;
      return v->type->kind != TypeKind::array && (v->is_parameter || is_known(v));
    }
    case ExprKind::builtin:
      if (e->builtin->rule != Rule::work_item && e->builtin->rule != Rule::work_dim &&
          e->builtin->rule != Rule::number)
        return false;
      break;
    case ExprKind::binary:
      if ((e->op == punct("/") || e->op == punct("%")) && e->type->scalar()->is_integer() &&
          !constant_value(e->operands[1]))
        return false;
      break;
    case ExprKind::unary:
      if (e->op == punct("*")) return false;
      break;
    case ExprKind::index:
      if (e->type->kind != TypeKind::array) return false;
      break;
    case ExprKind::call:
    case ExprKind::assign:
    case ExprKind::increment:
    case ExprKind::list:
      return false;
    default:
      break;
  }
  bool all = true;
  each_part(e, [&](const Expr* part) { all = all && repeatable(part, is_known, budget); });
  return all;
}

class Planner {
 public:
  Planner(Program& program, const std::vector<const Stmt*>& statements, Together together,
          const Variables& uniform, const Variables& live_out, const Variables& kept)
      : program_(program),
        statements_(statements),
        together_(together),
        uniform_(uniform),
        live_out_(live_out),
        kept_(kept),
        facts_(statements),
        blocked_(kept) {}

  std::optional<Plan> run() {
    if (together_ == Together::group && has_hidden_barrier()) return std::nullopt;
    do {
      uniformity_.emplace(statements_, together_, blocked_, uniform_);
      if (!uniformity_->is_known()) return std::nullopt;
      seeds_.clear();
      if (together_ == Together::row) {
        seeds_ = choose_loops(statements_, *uniformity_);
        std::erase_if(seeds_, [&](const auto& seed) {
          return seed.second == NodeKind::strided &&
                 kept_.contains(strided_counter(seed.first, statements_, *uniformity_));
        });
        if (seeds_.empty()) return std::nullopt;
      }
      structured_.clear();
      demanded_ = facts_.of_group;
      is_blocked_ = false;
      do {
        if (++passes_ > kMaxPasses) return std::nullopt;
        changed_ = false;
        for (const Stmt* s : statements_) mark(s, nullptr, nullptr);
        demand();
      } while (changed_ && !is_blocked_);
    } while (is_blocked_);

    for (const Stmt* s : statements_) build(s, plan_.nodes, nullptr);
    if (is_too_deep_ || parts_ways_ || (has_uniform_checks_ && together_ == Together::row))
      return std::nullopt;
    if (size_of_tree(plan_.nodes) * facts_.declared.size() > kMaxLive) return std::nullopt;
    find_liveness(plan_.nodes, live_out_);
    keep_variables();
    if (loses_alignment()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  // Whether a barrier is only a part of a statement.
  bool has_hidden_barrier() const {
    bool hidden = false;
    for (const Stmt* s : statements_)
      each_statement(s, [&](const Stmt* inner) {
        if (is_barrier(inner)) return;
        each_own_expression(inner, [&](const Expr* e) {
          each_expression(e, [&](const Expr* part) { hidden |= is_collective(part); });
        });
      });
    return hidden;
  }

  [[nodiscard]] bool is_leaf(const Stmt* s) const {
    const auto found = seeds_.find(s);
    return found != seeds_.end() && found->second != NodeKind::loop;
  }

  // Marks the statements that all work-items must execute together.
  bool mark(const Stmt* s, const Stmt* loop, const Stmt* breakable) {
    bool own = (together_ == Together::group && is_barrier(s)) || seeds_.contains(s);
    if (s->kind == StmtKind::break_) own |= breakable && structured_.contains(breakable);
    if (s->kind == StmtKind::continue_) own |= loop && structured_.contains(loop);
    each_own_expression(s, [&](const Expr* e) { own |= changes_demanded(e); });
    for (const Variable* v : s->variables) own |= demanded_.contains(v);
    if (!is_leaf(s)) {
      if (is_loop(s)) loop = s;
      if (is_loop(s) || s->kind == StmtKind::switch_) breakable = s;
      each_substatement(s, [&](const Stmt* inner) { own |= mark(inner, loop, breakable); });
      // Labels belong to their switch.
      if (s->kind == StmtKind::case_ || s->kind == StmtKind::default_)
        own |= breakable && structured_.contains(breakable);
    }
    if (own) changed_ |= structured_.insert(s).second;
    return own;
  }

  [[nodiscard]] bool is_taken_by_all(const Stmt* s) const {
    return s->condition && uniformity_->is_uniform(s->condition) && !has_other_effect(s->condition);
  }

  void need(const Expr* e) {
    each_expression(e, [&](const Expr* part) {
      if (part->kind == ExprKind::variable && facts_.declared.contains(part->variable))
        changed_ |= demanded_.insert(part->variable).second;
    });
  }

  void block(const Expr* e) {
    each_expression(e, [&](const Expr* part) {
      if (const Variable* v = assigned_by(part))
        if (demanded_.contains(v)) is_blocked_ |= blocked_.insert(v).second;
    });
  }

  [[nodiscard]] bool changes_demanded(const Expr* e) const {
    bool changes = false;
    each_expression(e, [&](const Expr* part) {
      if (const Variable* v = assigned_by(part)) changes |= demanded_.contains(v);
    });
    return changes;
  }

  // A condition that is evaluated once needs its variables outside of the regions. The statements that change
  // these variables must then be outside as well, with the variables that they need. The walk goes from the
  // last statement to the first, because a statement needs earlier ones.
  void demand() {
    for (auto s = statements_.rbegin(); s != statements_.rend(); ++s) demand(*s, false);
  }

  void demand(const Stmt* s, bool inside_leaf) {
    if (together_ == Together::group && is_barrier(s)) return;  // evaluated once as it is
    if (is_control(s) && structured_.contains(s) && !is_leaf(s) && is_taken_by_all(s)) need(s->condition);
    if (const auto seed = seeds_.find(s); seed != seeds_.end() && seed->second == NodeKind::strided) {
      need(s->condition->operands[1]);
      need(s->step->operands[1]);
    }
    inside_leaf |= is_leaf(s);
    const auto own = [&](const Expr* e, bool is_declared) {
      if (!is_declared && !changes_demanded(e)) return true;
      if (inside_leaf || !uniformity_->is_uniform(e) || has_other_effect(e)) return false;
      need(e);
      return true;
    };
    if (s->condition && !own(s->condition, false)) block(s->condition);
    if (s->step && !own(s->step, false)) block(s->step);
    for (const Variable* v : s->variables) {
      if (!v->initial) continue;
      // A variable whose initialiser is evaluated once has one value for all work-items.
      if (changes_demanded(v->initial) && uniformity_->is_uniform(v)) changed_ |= demanded_.insert(v).second;
      if (own(v->initial, demanded_.contains(v)) && (demanded_.contains(v) || !changes_demanded(v->initial)))
        continue;
      block(v->initial);
      if (demanded_.contains(v)) is_blocked_ |= blocked_.insert(v).second;
    }
    each_substatement(s, [&](const Stmt* inner) { demand(inner, inside_leaf); });
  }

  Stmt* statement_of(const Expr* e) {
    Stmt& s = program_.stmts.emplace_back();
    s.kind = StmtKind::expression;
    s.at = e->at;
    s.condition = const_cast<Expr*>(e);
    return &s;
  }

  [[nodiscard]] bool is_once(const Stmt* s) const {
    if (s->kind == StmtKind::declaration) return demanded_.contains(s->variables.front());
    return changes_demanded(s->condition);
  }

  void add_to_region(const Stmt* s, std::vector<Node>& nodes) {
    if (nodes.empty() || nodes.back().kind != NodeKind::region) nodes.emplace_back();
    nodes.back().statements.push_back(s);
  }

  void build(const Stmt* s, std::vector<Node>& nodes, Node* loop) {
    if (!structured_.contains(s)) {
      if (s->kind != StmtKind::empty) add_to_region(s, nodes);
      return;
    }
    Node n;
    n.s = s;
    switch (s->kind) {
      case StmtKind::block:
        // Names are unique, so the block is not needed.
        for (const Stmt* inner : s->block) build(inner, nodes, loop);
        return;
      case StmtKind::expression:
      case StmtKind::declaration:
        n.kind = is_barrier(s) ? NodeKind::barrier : NodeKind::once;
        break;
      case StmtKind::if_:
        n.kind = NodeKind::branch;
        n.needs_uniform_check = !is_taken_by_all(s);
        build(s->first, n.body, loop);
        if (s->second) build(s->second, n.otherwise, loop);
        break;
      case StmtKind::for_:
      case StmtKind::while_:
      case StmtKind::do_:
        if (is_leaf(s)) {
          n.kind = seeds_.at(s);
          break;
        }
        n.kind = NodeKind::loop;
        n.needs_uniform_check = s->condition && !is_taken_by_all(s);
        is_too_deep_ |= ++depth_ > kMaxDepth;
        build(body_of(s), n.body, &n);
        --depth_;
        if (s->step) {
          const Stmt* step = statement_of(s->step);
          if (is_once(step)) structured_.insert(step);
          build(step, n.step, nullptr);
        }
        break;
      case StmtKind::switch_:
        n.kind = NodeKind::choice;
        n.needs_uniform_check = !is_taken_by_all(s);
        build(s->first, n.body, loop);
        break;
      case StmtKind::case_:
      case StmtKind::default_:
        n.kind = NodeKind::label;
        nodes.push_back(std::move(n));
        build(s->first, nodes, loop);
        return;
      case StmtKind::break_:
      case StmtKind::continue_:
        n.kind = NodeKind::leave;
        if (loop && s->kind == StmtKind::continue_) loop->is_continued = true;
        break;
      default:
        add_to_region(s, nodes);
        return;
    }
    has_uniform_checks_ |= n.needs_uniform_check;
    // Without a barrier inside, the condition may legitimately differ between work-items, for example after
    // the last barrier of a loop.
    if (n.needs_uniform_check) parts_ways_ |= !holds_barrier(s);
    nodes.push_back(std::move(n));
  }

  static bool holds_barrier(const Stmt* s) {
    bool found = false;
    each_expression_in(s, [&](const Expr* e) { found |= is_collective(e); });
    return found;
  }

  template <class Visit>
  static void each_site(const std::vector<Node>& nodes, const Visit& visit) {
    for (const Node& n : nodes) {
      if (n.is_known) visit(n);
      each_site(n.body, visit);
      each_site(n.otherwise, visit);
      each_site(n.step, visit);
    }
  }

  [[nodiscard]] bool is_known_everywhere(const Variable* v) const {
    if (!facts_.declared.contains(v) || kept_.contains(v)) return uniform_.contains(v);
    const Storage storage = plan_.storage_of(v);
    return storage == Storage::rematerialised || (storage == Storage::once && !facts_.assigned.contains(v));
  }

  // An index that is loaded from an array hides from the compiler that adjacent work-items have adjacent
  // indices. A floating-point value is cheaper to load than to compute, unless it is uniform.
  [[nodiscard]] bool is_worth_repeating(const Variable* v) const {
    return v->type->is_integer() || v->type->is_pointer() || uniformity_->is_uniform(v->initial);
  }

  void keep_variables() {
    std::vector<const Stmt*> declarations;
    for (const Stmt* s : statements_)
      each_statement(s, [&](const Stmt* inner) {
        for (const Variable* v : inner->variables) {
          if (kept_.contains(v)) continue;
          plan_.variables.push_back(v);
          plan_.declarations[v] = inner;
        }
      });
    Variables needed;  // by a region that did not compute them
    std::unordered_map<const Variable*, int> sites;
    int count = 0;
    each_site(plan_.nodes, [&](const Node& n) {
      ++count;
      needed.insert(n.live_in.begin(), n.live_in.end());
      for (const Variable* v : n.mentioned) ++sites[v];
    });
    for (const auto& [s, kind] : seeds_)
      if (kind == NodeKind::strided)
        plan_.storage[strided_counter(s, statements_, *uniformity_)] = Storage::counter;
    const auto known = [&](const Variable* v) { return is_known_everywhere(v); };
    for (const Variable* v : plan_.variables) {
      if (plan_.storage.contains(v)) continue;
      Storage storage = Storage::inside;
      const bool is_fixed = !facts_.assigned.contains(v) && !facts_.address_taken.contains(v) && v->initial;
      const bool has_address = facts_.address_taken.contains(v) || contains_array(v->type.type);
      if (demanded_.contains(v))
        storage = Storage::once;
      else if (is_fixed && !has_address && is_worth_repeating(v) && can_rematerialise(v->initial, known))
        storage = Storage::rematerialised;
      else if (has_address && count > 1 && (facts_.address_taken.contains(v) || sites[v] > 1))
        storage = Storage::addressed;
      else if (needed.contains(v) && sites[v] > 0)
        storage = Storage::array;
      plan_.storage[v] = storage;
    }
  }

  // Elements of an array are only aligned as their type is.
  [[nodiscard]] bool loses_alignment() const {
    return std::ranges::any_of(plan_.variables, [&](const Variable* v) {
      return plan_.storage_of(v) == Storage::addressed && v->least_alignment > alignment_of(v->type.type);
    });
  }

  Program& program_;
  const std::vector<const Stmt*>& statements_;
  Together together_;
  const Variables &uniform_, &live_out_, &kept_;
  Facts facts_;
  std::optional<Uniformity> uniformity_;
  ChosenLoops seeds_;
  std::unordered_set<const Stmt*> structured_;
  Variables demanded_, blocked_;
  bool changed_ = false, is_blocked_ = false, has_uniform_checks_ = false, parts_ways_ = false,
       is_too_deep_ = false;
  int depth_ = 0;  // nesting of loops that all work-items run together
  int passes_ = 0;
  Plan plan_;
};

}  // namespace

std::uint64_t Plan::kept_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [v, kept] : storage)
    if (kept == Storage::array || kept == Storage::addressed) bytes += size_of(v->type.type);
  return bytes;
}

bool can_rematerialise(const Expr* e, const std::function<bool(const Variable*)>& is_known, int budget) {
  return repeatable(e, is_known, budget);
}

std::optional<Plan> plan_group(Program& program, const std::vector<const Stmt*>& statements) {
  const Variables none;
  return Planner(program, statements, Together::group, none, none, none).run();
}

std::optional<Plan> plan_row(Program& program, const std::vector<const Stmt*>& statements,
                             const Variables& uniform, const Variables& live_out, const Variables& kept) {
  return Planner(program, statements, Together::row, uniform, live_out, kept).run();
}

}  // namespace quern::frontend::lower
