// SPDX-License-Identifier: MIT
// Chooses the loops that are moved outside of the loop over work-items, so that a compiler vectorises across
// work-items.
//
// This is faster if adjacent work-items compute the same on adjacent data. It is slower if they load
// scattered elements, because processors gather these lane by lane. It is also slower if a loop's body
// contains anything that does not vectorise: the whole region then becomes scalar code that also copies its
// variables.
#include <algorithm>

#include "frontend/lower/analysis/regions.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::size_t kMaxBody = 1500;  // limit for the number of expressions
// Loops up to this size are unrolled completely by compilers before they vectorise the enclosing loop.
constexpr std::int64_t kUnrolledTrips = 16;
constexpr std::size_t kUnrolledBody = 60;

// Whether the C form vectorises: it does not call libm, or libm has a vector variant, or it is only a few
// instructions.
bool is_vectorised(const Builtin& row) {
  if ((row.flags & kLibm) == 0 || (row.flags & kSimd) != 0) return true;
  static constexpr std::string_view kNames[] = {
      "sqrt",   "rsqrt",       "native_sqrt", "native_rsqrt",   "half_sqrt", "half_rsqrt",
      "floor",  "ceil",        "trunc",       "rint",           "fabs",      "fma",
      "length", "fast_length", "normalize",   "fast_normalize", "distance",  "fast_distance",
      "fmin",   "fmax",        "mad",         "copysign"};
  return std::ranges::find(kNames, row.name) != std::end(kNames);
}

// The number of iterations of for (i = a; i < b; i += c) with constants. 0 if it is not known.
std::int64_t constant_trips(const Stmt* s, const std::unordered_map<const Variable*, const Expr*>& initial) {
  if (s->kind != StmtKind::for_ || !s->condition || !s->step) return 0;
  const Expr* c = s->condition;
  if (c->kind != ExprKind::binary || c->operands[0]->kind != ExprKind::variable) return 0;
  const Variable* v = c->operands[0]->variable;
  const auto bound = constant_value(c->operands[1]);
  const auto found = initial.find(v);
  const auto start = found == initial.end() ? std::nullopt : constant_value(found->second);
  const Expr* step = s->step;
  if (!bound || !start || assigned_by(step) != v) return 0;
  std::int64_t by = 1;
  if (step->kind == ExprKind::assign) {
    const auto value = constant_value(step->operands[1]);
    if (step->op != punct("+") || !value || *value <= 0) return 0;
    by = *value;
  } else if (step->op != punct("++")) {
    return 0;
  }
  if (c->op == punct("<")) return *bound > *start ? (*bound - *start + by - 1) / by : 0;
  if (c->op == punct("<=")) return *bound >= *start ? (*bound - *start) / by + 1 : 0;
  return 0;
}

class Chooser {
 public:
  Chooser(const std::vector<const Stmt*>& statements, const Uniformity& uniformity)
      : all_(statements), uniformity_(uniformity) {
    for (const Stmt* s : statements)
      each_statement(s, [&](const Stmt* inner) {
        for (const Variable* v : inner->variables)
          if (v->initial) initial_[v] = v->initial;
      });
  }

  ChosenLoops run() {
    for (const Stmt* s : all_) choose(s);
    return std::move(chosen_);
  }

 private:
  [[nodiscard]] bool is_unrolled(const Stmt* s) const {
    const std::int64_t trips = constant_trips(s, initial_);
    if (trips <= 0 || trips > kUnrolledTrips) return false;
    std::size_t nodes = 0;
    bool has_loop = false;
    each_expression_in(s, [&](const Expr*) { ++nodes; });
    each_statement(body_of(s), [&](const Stmt* inner) { has_loop |= is_loop(inner); });
    return nodes <= kUnrolledBody && !has_loop;
  }

  void choose(const Stmt* s) {
    switch (s->kind) {
      case StmtKind::block:
        for (const Stmt* inner : s->block) choose(inner);
        return;
      case StmtKind::if_:
        if (!uniformity_.is_uniform(s->condition) || has_other_effect(s->condition)) return;
        choose(s->first);
        if (s->second) choose(s->second);
        return;
      case StmtKind::for_:
      case StmtKind::while_:
      case StmtKind::do_:
        loop(s);
        return;
      default:
        return;
    }
  }

  void loop(const Stmt* s) {
    if (is_unrolled(s)) return;
    if (uniformity_.is_uniform_loop(s)) {
      if (s->condition && has_other_effect(s->condition)) return;
      if (suits(s, nullptr)) chosen_[s] = NodeKind::loop;
      choose(body_of(s));
    } else if (const Variable* counter = strided_counter(s, all_, uniformity_)) {
      if (suits(s, counter)) chosen_[s] = NodeKind::strided;
    } else if (suits_divergent(s)) {
      chosen_[s] = NodeKind::divergent;
    }
  }

  [[nodiscard]] Stride stride(const Expr* e, const Variable* counter) const {
    if (!counter) return uniformity_.stride(e);
    const Stride plain = uniformity_.stride(e);
    if (plain != Stride::other) return plain;
    switch (e->kind) {
      case ExprKind::variable:
        if (e->variable == counter) return Stride::unit;
        if (const auto found = initial_.find(e->variable);
            found != initial_.end() && !uniformity_.is_assigned(e->variable))
          return stride(found->second, counter);
        return Stride::other;
      case ExprKind::convert:
        return e->type->is_integer() ? stride(e->operands[0], counter) : Stride::other;
      case ExprKind::binary: {
        const Stride a = stride(e->operands[0], counter), b = stride(e->operands[1], counter);
        if (e->op == punct("+") && a == Stride::uniform && b == Stride::unit) return Stride::unit;
        const bool sums = e->op == punct("+") || e->op == punct("-");
        return sums && a == Stride::unit && b == Stride::uniform ? Stride::unit : Stride::other;
      }
      default:
        return Stride::other;
    }
  }

  // Whether an expression, without its parts, can be part of a vectorised loop.
  [[nodiscard]] bool suits(const Expr* e, const Variable* counter) const {
    if (e->type.is_volatile) return false;
    switch (e->kind) {
      case ExprKind::index: {
        // A row of the array; the element is checked separately.
        if (e->type->kind == TypeKind::array) return true;
        if (root_of(e)) return false;  // a private array
        const Expr* base = e->operands[0];
        if (base->kind == ExprKind::convert && base->operands[0]->type->kind == TypeKind::array)
          base = base->operands[0];
        const bool row = base->kind == ExprKind::index && base->type->kind == TypeKind::array
                             ? is_uniform_row(base)
                             : uniformity_.is_uniform(base);
        return row && stride(e->operands[1], counter) != Stride::other && size_of(e->type.type) <= 16;
      }
      case ExprKind::unary: {
        if (e->op == punct("&")) return false;
        if (e->op != punct("*")) return true;
        const Expr* p = e->operands[0];
        return stride(p, counter) != Stride::other || is_unit_pointer(p, counter);
      }
      case ExprKind::binary:
      case ExprKind::assign:
        return !((e->op == punct("/") || e->op == punct("%")) && e->type->scalar()->is_integer() &&
                 !constant_value(e->operands[1]));
      case ExprKind::call:
        return suits(e->callee);
      case ExprKind::builtin:
        switch (e->builtin->rule) {
          case Rule::vload_half:
            return false;
          case Rule::vload:
          case Rule::vstore: {
            const std::size_t at = e->builtin->rule == Rule::vload ? 0 : 1;
            return uniformity_.is_uniform(e->arguments[at + 1]) &&
                   stride(e->arguments[at], counter) != Stride::other;
          }
          default:
            return is_pure(e->builtin->rule) && is_vectorised(*e->builtin);
        }
      default:
        return true;
    }
  }

  // Whether all indices before the last one are uniform.
  [[nodiscard]] bool is_uniform_row(const Expr* e) const {
    if (e->kind == ExprKind::convert) return is_uniform_row(e->operands[0]);
    if (e->kind == ExprKind::index)
      return is_uniform_row(e->operands[0]) && uniformity_.is_uniform(e->operands[1]);
    return uniformity_.is_uniform(e);
  }

  [[nodiscard]] bool is_unit_pointer(const Expr* p, const Variable* counter) const {
    return p->kind == ExprKind::binary && p->op == punct("+") && uniformity_.is_uniform(p->operands[0]) &&
           stride(p->operands[1], counter) == Stride::unit;
  }

  // Whether a helper can be called inside such a loop: it accesses no memory and has no loops.
  [[nodiscard]] bool suits(const Function* f) const {
    bool fits = true;
    each_statement(f->body, [&](const Stmt* s) {
      fits = fits && !is_loop(s) && s->kind != StmtKind::switch_ && s->kind != StmtKind::goto_;
      for (const Variable* v : s->variables) fits = fits && !contains_array(v->type.type);
      each_own_expression(s, [&](const Expr* e) {
        each_expression(e, [&](const Expr* part) {
          if (part->kind == ExprKind::index || (part->kind == ExprKind::unary && part->op == punct("*")))
            fits = false;
          else if (part->kind == ExprKind::call)
            fits = fits && suits(part->callee);
          else
            fits = fits && suits(part, nullptr);
        });
      });
    });
    return fits;
  }

  [[nodiscard]] bool suits(const Stmt* s, const Variable* counter) const {
    std::size_t nodes = 0;
    bool fits = true;
    each_expression_in(s, [&](const Expr* e) {
      ++nodes;
      fits = fits && suits(e, counter);
    });
    each_statement(s, [&](const Stmt* inner) {
      fits = fits && inner->kind != StmtKind::switch_;
      for (const Variable* v : inner->variables) fits = fits && !contains_array(v->type.type);
      if (inner == s || !is_loop(inner) || is_unrolled(inner)) return;
      // An inner loop must also be moved outside.
      fits =
          fits && !counter &&
          (uniformity_.is_uniform_loop(inner) ? !inner->condition || !has_other_effect(inner->condition)
                                              : suits_divergent(inner) && is_under_uniform_control(s, inner));
    });
    return fits && nodes <= kMaxBody;
  }

  // Whether the control flow from `outer` to `inner` is uniform.
  [[nodiscard]] bool is_under_uniform_control(const Stmt* outer, const Stmt* inner) const {
    if (outer == inner) return true;
    if (outer->kind == StmtKind::if_ && !uniformity_.is_uniform(outer->condition)) return false;
    bool found = false;
    each_substatement(outer,
                      [&](const Stmt* part) { found = found || is_under_uniform_control(part, inner); });
    return found;
  }

  // Lanes that have left the loop wait for the others, so that memory accesses would be masked gathers.
  [[nodiscard]] bool suits_divergent(const Stmt* s) const {
    bool fits = true;
    std::size_t nodes = 0;
    each_expression_in(s, [&](const Expr* e) {
      ++nodes;
      const bool loads = e->kind == ExprKind::index || (e->kind == ExprKind::unary && e->op == punct("*")) ||
                         (e->kind == ExprKind::builtin &&
                          (e->builtin->rule == Rule::vload || e->builtin->rule == Rule::vstore));
      fits = fits && (loads ? uniformity_.is_uniform(e) : suits(e, nullptr));
    });
    each_statement(s, [&](const Stmt* inner) {
      fits = fits && inner->kind != StmtKind::switch_;
      for (const Variable* v : inner->variables) fits = fits && !contains_array(v->type.type);
      if (inner != s && is_loop(inner)) fits = fits && is_unrolled(inner);
    });
    return fits && nodes <= kMaxBody;
  }

  const std::vector<const Stmt*>& all_;
  const Uniformity& uniformity_;
  std::unordered_map<const Variable*, const Expr*> initial_;
  ChosenLoops chosen_;
};

bool is_plain_uniform(const Expr* e, const Stmt* loop, const Uniformity& u) {
  if (!u.is_uniform(e) || has_other_effect(e)) return false;
  Variables changed;
  each_expression_in(loop, [&](const Expr* part) {
    if (const Variable* v = assigned_by(part)) changed.insert(v);
  });
  bool plain = true;
  each_expression(e, [&](const Expr* part) {
    plain = plain && !assigned_by(part) && part->kind != ExprKind::index &&
            !(part->kind == ExprKind::unary && part->op == punct("*")) &&
            !(part->kind == ExprKind::variable &&
              (changed.contains(part->variable) || part->variable->is_local()));
  });
  return plain;
}

// Removes a conversion that keeps the counter's value and order.
const Expr* without_widening(const Expr* e) {
  if (e->kind != ExprKind::convert || !e->type->is_integer()) return e;
  const Type* from = e->operands[0]->type.type;
  const bool keeps = size_of(e->type.type) > size_of(from) && !from->is_signed();
  const bool widens = size_of(e->type.type) > size_of(from) && e->type->is_signed();
  return keeps || widens ? e->operands[0] : e;
}

}  // namespace

ChosenLoops choose_loops(const std::vector<const Stmt*>& statements, const Uniformity& uniformity) {
  return Chooser(statements, uniformity).run();
}

const Variable* strided_counter(const Stmt* s, const std::vector<const Stmt*>& all, const Uniformity& u) {
  if (s->kind != StmtKind::for_ || !s->condition || !s->step) return nullptr;
  const Expr* c = s->condition;
  if (c->kind != ExprKind::binary || (c->op != punct("<") && c->op != punct("<="))) return nullptr;
  const Expr* left = without_widening(c->operands[0]);
  if (left->kind != ExprKind::variable) return nullptr;
  const Variable* v = left->variable;
  if (!v->initial || !v->type->is_integer() || size_of(v->type.type) < 4) return nullptr;
  if (u.is_address_taken(v) || !is_plain_uniform(c->operands[1], s, u)) return nullptr;
  if (s->step->kind != ExprKind::assign || s->step->op != punct("+") || assigned_by(s->step) != v ||
      s->step->operands[0]->kind != ExprKind::variable || !is_plain_uniform(s->step->operands[1], s, u))
    return nullptr;
  if (!u.is_declared(v) || u.stride(v->initial) != Stride::unit) return nullptr;
  const std::function<bool(const Variable*)> known = [&](const Variable* used) {
    return u.is_declared(used) && !u.is_assigned(used) && !u.is_address_taken(used) && used->initial &&
           can_rematerialise(used->initial, known);
  };
  if (!can_rematerialise(v->initial, known)) return nullptr;
  // Only the step changes the counter, only the loop uses it, and no work-item leaves the loop early.
  int inside = 0, everywhere = 0, changes = 0;
  each_expression_in(s, [&](const Expr* e) { inside += e->kind == ExprKind::variable && e->variable == v; });
  for (const Stmt* other : all)
    each_expression_in(other, [&](const Expr* e) {
      everywhere += e->kind == ExprKind::variable && e->variable == v;
      changes += assigned_by(e) == v;
    });
  if (inside != everywhere || changes != 1) return nullptr;
  bool leaves = false;
  const auto look = [&](const auto& self, const Stmt* part, bool breaks_inner) -> void {
    leaves |= part->kind == StmtKind::break_ && !breaks_inner;
    const bool inner = breaks_inner || is_loop(part) || part->kind == StmtKind::switch_;
    each_substatement(part, [&](const Stmt* below) { self(self, below, inner); });
  };
  look(look, body_of(s), false);
  return leaves ? nullptr : v;
}

}  // namespace quern::frontend::lower
