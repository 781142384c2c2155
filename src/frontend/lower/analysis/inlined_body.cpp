// SPDX-License-Identifier: MIT
// Copies a kernel's tree, with helpers inlined and returns turned into branches.
#include "frontend/lower/analysis/inlined_body.hpp"

#include <algorithm>
#include <unordered_map>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::size_t kMaxNodes = 20000;  // limit for the copy; a larger one would take too long to compile

struct GiveUp {};

bool returns_within(const Stmt* s) {
  bool found = false;
  each_statement(s, [&](const Stmt* inner) { found |= inner->kind == StmtKind::return_; });
  return found;
}

bool always_returns(const Stmt* s) {
  if (!s) return false;
  if (s->kind == StmtKind::return_) return true;
  if (s->kind == StmtKind::block) return std::ranges::any_of(s->block, always_returns);
  return s->kind == StmtKind::if_ && s->second && always_returns(s->first) && always_returns(s->second);
}

bool has_goto(const Function* f) {
  bool found = false;
  each_statement(f->body,
                 [&](const Stmt* s) { found |= s->kind == StmtKind::goto_ || s->kind == StmtKind::label; });
  return found;
}

// Whether the body of a loop contains a `continue` of that loop.
bool continues(const Stmt* s) {
  if (s->kind == StmtKind::continue_) return true;
  if (is_loop(s)) return false;
  bool found = false;
  each_substatement(s, [&](const Stmt* inner) { found |= continues(inner); });
  return found;
}

// Finds variables that are declared without a value and first set by a statement of the same block. The copy
// declares them there. Older kernels declare all variables at the top.
void find_late_declarations(const Function* f, std::unordered_map<const Stmt*, const Variable*>& late) {
  const Facts facts({f->body});
  std::unordered_map<const Variable*, int> changes;
  each_expression_in(f->body, [&](const Expr* e) {
    if (const Variable* v = assigned_by(e)) ++changes[v];
  });
  each_statement(f->body, [&](const Stmt* block) {
    if (block->kind != StmtKind::block) return;
    Variables declared;  // and not mentioned since
    const auto mention = [&](const Expr* e) {
      if (e->kind == ExprKind::variable) declared.erase(e->variable);
    };
    for (const Stmt* s : block->block) {
      const Expr* e = s->kind == StmtKind::expression ? s->condition : nullptr;
      if (e && e->kind == ExprKind::assign && e->op == punct("=") &&
          e->operands[0]->kind == ExprKind::variable) {
        each_expression(e->operands[1], mention);
        if (declared.contains(e->operands[0]->variable)) late[s] = e->operands[0]->variable;
      }
      each_expression_in(s, mention);
      for (const Variable* v : s->variables)
        if (!v->initial && !v->is_local() && !facts.address_taken.contains(v) && changes[v] == 1)
          declared.insert(v);
    }
  });
}

class Copier {
 public:
  Copier(Program& program, const std::unordered_set<const Expr*>& dropped, bool drops_return)
      : program_(program), dropped_(dropped), drops_return_(drops_return) {}

  InlinedBody run(const Function* kernel) {
    if (has_goto(kernel)) throw GiveUp{};
    InlinedBody tree;
    find_late(kernel);
    const Facts facts({kernel->body});
    Frame frame;
    frame_ = &frame;
    Statements out;
    for (Variable* p : kernel->parameters) {
      if (!facts.assigned.contains(p) && !facts.address_taken.contains(p)) continue;
      Variable* v = copy_variable(p);
      v->is_parameter = false;
      v->initial = reference(p, p->at);
      tree.copies.push_back(v);
      out.push_back(declaration(v));
    }
    body(kernel->body->block, out);
    tree.statements.assign(out.begin(), out.end());
    return tree;
  }

 private:
  using Statements = std::vector<Stmt*>;

  // One function that is being copied.
  struct Frame {
    Variable* result = nullptr;
    Variable* returned = nullptr;  // a flag, where a branch alone cannot skip what follows a return
    int breakable = 0;             // loops and switches around the statement
    bool sets_flag = false;        // a return inside a branch after which more may follow
  };

  Stmt* make(StmtKind kind, Location at) {
    if (++nodes_ > kMaxNodes) throw GiveUp{};
    Stmt& s = program_.stmts.emplace_back();
    s.kind = kind;
    s.at = at;
    return &s;
  }
  Expr* make(ExprKind kind, Location at, QualType type) {
    if (++nodes_ > kMaxNodes) throw GiveUp{};
    Expr& e = program_.exprs.emplace_back();
    e.kind = kind;
    e.at = at;
    e.type = type;
    return &e;
  }
  Expr* reference(Variable* v, Location at) {
    Expr* e = make(ExprKind::variable, at, v->type);
    e->variable = v;
    e->is_lvalue = true;
    return e;
  }
  Stmt* expression(Expr* e) {
    Stmt* s = make(StmtKind::expression, e->at);
    s->condition = e;
    return s;
  }
  Stmt* assignment(Variable* v, Expr* value) {
    Expr* e = make(ExprKind::assign, value->at, v->type);
    e->op = punct("=");
    e->operands = {reference(v, value->at), value, nullptr};
    e->overload = v->type.type;
    return expression(e);
  }
  Expr* integer(std::uint64_t value, Location at) {
    Expr* e = make(ExprKind::integer, at, {program_.types.int_});
    e->integer = value;
    return e;
  }
  Stmt* declaration(Variable* v) {
    Stmt* s = make(StmtKind::declaration, v->at);
    s->variables.push_back(v);
    return s;
  }
  Stmt* block(Location at, Statements inside) {
    Stmt* s = make(StmtKind::block, at);
    s->block = std::move(inside);
    return s;
  }
  Variable* variable(std::string_view name, QualType type, Location at) {
    Variable& v = program_.variables.emplace_back();
    v.name = name;
    v.type = type;
    v.at = at;
    v.is_written = true;
    return &v;
  }
  Variable* copy_variable(const Variable* from) {
    Variable& v = program_.variables.emplace_back(*from);
    copies_[from] = &v;
    return &v;
  }

  void find_late(const Function* f) {
    find_late_declarations(f, late_);
    for (const auto& [s, v] : late_) late_variables_.insert(v);
  }

  bool is_inlined(const Function* f) {
    const auto [entry, is_new] = inlined_.try_emplace(f, false);
    if (is_new) {
      entry->second = f->has_barrier || (has_loop(f) && !has_goto(f));
      if (f->has_barrier && has_goto(f)) throw GiveUp{};
    }
    return inlined_[f];
  }

  // Copies an expression. Statements that must run first are added to `before`. `before` is null if the
  // expression may be evaluated never or more than once.
  Expr* copy(const Expr* e, Statements* before) {
    if (!e) return nullptr;
    if (e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||"))) {
      if (is_dropped(e->operands[0])) return copy(e->operands[1], before);
      if (is_dropped(e->operands[1])) return copy(e->operands[0], before);
    }
    if (e->kind == ExprKind::call && is_inlined(e->callee)) {
      if (before) return inline_call(e, *before);
      if (e->callee->has_barrier) throw GiveUp{};
    }
    if (is_group_value(e)) {
      if (!before) throw GiveUp{};
      return exchange(e, *before);
    }
    if (++nodes_ > kMaxNodes) throw GiveUp{};
    Expr* to = &program_.exprs.emplace_back();
    *to = *e;
    if (e->kind == ExprKind::variable)
      if (const auto found = copies_.find(e->variable); found != copies_.end()) to->variable = found->second;
    const bool chooses = e->kind == ExprKind::conditional || e->kind == ExprKind::comma ||
                         (e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||")));
    for (std::size_t i = 0; i < e->operands.size(); ++i)
      to->operands[i] = copy(e->operands[i], chooses && i > 0 ? nullptr : before);
    for (std::size_t i = 0; i < e->arguments.size(); ++i) to->arguments[i] = copy(e->arguments[i], before);
    return to;
  }

  [[nodiscard]] bool is_dropped(const Expr* e) const {
    if (dropped_.contains(e)) return true;
    return e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||")) &&
           is_dropped(e->operands[0]) && is_dropped(e->operands[1]);
  }

  Expr* step(const Builtin& builtin, const Expr* call, QualType type, std::uint64_t half) {
    Expr* e = make(ExprKind::builtin, call->at, type);
    e->builtin = &builtin;
    e->overload = call->overload;
    e->integer = half;
    return e;
  }

  // Successive calls use different halves of the exchange memory, because one loop over work-items may load
  // the results of one call and store the values of the next.
  Expr* exchange(const Expr* e, Statements& before) {
    Expr* value = copy(e->arguments[0], &before);
    std::vector<Expr*> from;  // arguments of a broadcast, evaluated with the value
    for (std::size_t i = 1; i < e->arguments.size(); ++i) {
      Variable* v = variable("from", {e->arguments[i]->type.type}, e->at);
      v->initial = copy(e->arguments[i], &before);
      v->is_written = false;
      before.push_back(declaration(v));
      from.push_back(reference(v, e->at));
    }
    const std::uint64_t half = exchanges_++ % 2;
    Expr* put = step(kExchangePut, e, {program_.types.void_}, half);
    put->arguments = {value};
    before.push_back(expression(put));
    Expr* combination = step(*e->builtin, e, e->type, half);
    Variable* result = variable("result", {e->type.type}, e->at);
    if (is_same_for_group(e)) {
      before.push_back(declaration(result));
      before.push_back(assignment(result, combination));
    } else {
      before.push_back(expression(combination));
      result->initial = step(kExchangeTake, e, e->type, half);
      result->initial->arguments = std::move(from);
      before.push_back(declaration(result));
    }
    return reference(result, e->at);
  }

  Expr* inline_call(const Expr* e, Statements& before) {
    const Function* f = e->callee;
    Statements inside;
    // All arguments are copied before any parameter is replaced, because the function may be inlined twice.
    std::vector<Expr*> arguments;
    for (const Expr* a : e->arguments) arguments.push_back(copy(a, &before));
    Frame frame;
    Frame* const outer = frame_;
    const bool has_result = f->result->kind != TypeKind::void_;
    if (has_result) {
      frame.result = variable(f->name, {f->result.type}, e->at);
      inside.push_back(declaration(frame.result));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      Variable* v = copy_variable(f->parameters[i]);
      v->is_parameter = false;
      v->initial = arguments[i];
      if (v->name.empty()) v->name = "quern_unnamed";
      inside.push_back(declaration(v));
    }
    frame_ = &frame;
    find_late(f);
    body(f->body->block, inside);
    frame_ = outer;
    // Names are made unique when they are written, so no enclosing block is needed.
    before.insert(before.end(), inside.begin(), inside.end());
    return has_result ? reference(frame.result, e->at) : nullptr;
  }

  void body(const std::vector<Stmt*>& statements, Statements& out) {
    const std::size_t begin = out.size();
    list(statements, 0, out);
    if (!frame_->returned) return;
    frame_->returned->initial = integer(0, frame_->returned->at);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(begin), declaration(frame_->returned));
  }

  Variable* returned_flag(Location at) {
    if (!frame_->returned) frame_->returned = variable("returned", {program_.types.int_}, at);
    return frame_->returned;
  }

  // Copies the statements from `first` on. Statements after one that may return become conditional.
  void list(const std::vector<Stmt*>& statements, std::size_t first, Statements& out) {
    for (std::size_t i = first; i < statements.size(); ++i) {
      const Stmt* s = statements[i];
      const bool drops = s->kind == StmtKind::if_ && is_dropped(s->condition);
      if (drops && drops_return_) continue;
      if (!returns_within(s) || frame_->breakable > 0) {
        statement(s, out);
        if (s->kind == StmtKind::return_ && !has_labels(statements, i + 1)) return;
        continue;
      }
      if (s->kind == StmtKind::return_) {
        statement(s, out);
        return;
      }
      if (s->kind == StmtKind::block) {
        // Names are unique, so the statements of a block that returns can be moved out of it.
        std::vector<Stmt*> all = s->block;
        all.insert(all.end(), statements.begin() + static_cast<std::ptrdiff_t>(i) + 1, statements.end());
        list(all, 0, out);
        return;
      }
      if (s->kind == StmtKind::if_ && !drops) {
        const bool left = always_returns(s->first), right = always_returns(s->second);
        const bool left_may = returns_within(s->first), right_may = s->second && returns_within(s->second);
        if ((left && !right_may) || (right && !left_may) || (left && right)) {
          branch(s, statements, i + 1, left, right, out);
          return;
        }
      }
      statement(s, out);
      if (i + 1 == statements.size()) return;
      Stmt* rest = make(StmtKind::if_, s->at);
      Expr* test = make(ExprKind::unary, s->at, {program_.types.int_});
      test->op = punct("!");
      test->operands[0] = reference(returned_flag(s->at), s->at);
      rest->condition = test;
      Statements inside;
      list(statements, i + 1, inside);
      rest->first = block(s->at, std::move(inside));
      out.push_back(rest);
      return;
    }
  }

  static bool has_labels(const std::vector<Stmt*>& statements, std::size_t first) {
    return std::ranges::any_of(
        statements.begin() + static_cast<std::ptrdiff_t>(first), statements.end(),
        [](const Stmt* s) { return s->kind == StmtKind::case_ || s->kind == StmtKind::default_; });
  }

  // if (c) return; rest  becomes  if (c) {} else { rest }
  void branch(const Stmt* s, const std::vector<Stmt*>& statements, std::size_t rest, bool left_returns,
              bool right_returns, Statements& out) {
    Stmt* to = make(StmtKind::if_, s->at);
    to->condition = copy(s->condition, &out);
    Statements yes, no;
    list({s->first}, 0, yes);
    if (s->second) list({s->second}, 0, no);
    if (!left_returns) list(statements, rest, yes);
    if (!right_returns) list(statements, rest, no);
    to->first = block(s->at, std::move(yes));
    if (!no.empty()) to->second = block(s->at, std::move(no));
    out.push_back(to);
  }

  Stmt* single(const Stmt* s) {
    Statements inside;
    list({const_cast<Stmt*>(s)}, 0, inside);
    return inside.size() == 1 ? inside[0] : block(s->at, std::move(inside));
  }

  void statement(const Stmt* s, Statements& out) {
    switch (s->kind) {
      case StmtKind::block: {
        Statements inside;
        list(s->block, 0, inside);
        out.push_back(block(s->at, std::move(inside)));
        return;
      }
      case StmtKind::declaration:
        for (const Variable* v : s->variables) {
          if (v->is_local() || late_variables_.contains(v)) continue;  // declared with the kernel, or later
          Expr* initial = copy(v->initial, &out);
          Variable* to = copy_variable(v);
          to->initial = initial;
          out.push_back(declaration(to));
        }
        return;
      case StmtKind::expression:
        if (const auto late = late_.find(s); late != late_.end()) {
          Expr* initial = copy(s->condition->operands[1], &out);
          Variable* to = copy_variable(late->second);
          to->initial = initial;
          to->is_written = false;
          out.push_back(declaration(to));
          return;
        }
        if (Expr* e = copy(s->condition, &out)) out.push_back(expression(e));
        return;
      case StmtKind::return_: {
        if (Expr* value = copy(s->condition, &out))
          out.push_back(frame_->result ? assignment(frame_->result, value) : expression(value));
        if (frame_->breakable > 0) {
          out.push_back(assignment(returned_flag(s->at), integer(1, s->at)));
          out.push_back(make(StmtKind::break_, s->at));
        } else if (frame_->returned || frame_->sets_flag) {
          out.push_back(assignment(returned_flag(s->at), integer(1, s->at)));
        }
        return;
      }
      case StmtKind::if_: {
        if (is_dropped(s->condition)) {
          if (!drops_return_) list({s->first}, 0, out);
          return;
        }
        Stmt* to = make(StmtKind::if_, s->at);
        to->condition = copy(s->condition, &out);
        const bool outer = frame_->sets_flag;
        frame_->sets_flag = true;
        to->first = single(s->first);
        if (s->second) to->second = single(s->second);
        frame_->sets_flag = outer;
        out.push_back(to);
        return;
      }
      case StmtKind::for_:
      case StmtKind::while_:
      case StmtKind::do_:
      case StmtKind::switch_:
        breakable(s, out);
        return;
      case StmtKind::case_:
      case StmtKind::default_: {
        Stmt* to = make(s->kind, s->at);
        to->condition = copy(s->condition, nullptr);
        to->step = copy(s->step, nullptr);  // the end of a range
        Statements inside;
        statement(s->first, inside);
        to->first = make(StmtKind::empty, s->at);
        out.push_back(to);
        out.insert(out.end(), inside.begin(), inside.end());
        return;
      }
      case StmtKind::goto_:
      case StmtKind::label:
        throw GiveUp{};
      case StmtKind::empty:
      case StmtKind::break_:
      case StmtKind::continue_:
        out.push_back(make(s->kind, s->at));
        return;
    }
  }

  // Whether the expression contains a convergence point, which must become a separate statement.
  bool converges(const Expr* e) {
    bool found = false;
    each_expression(e, [&](const Expr* part) {
      found |= is_group_value(part) || (part->kind == ExprKind::call && part->callee->has_barrier);
    });
    return found;
  }

  void leave_unless(const Expr* condition, Statements& out) {
    Stmt* test = make(StmtKind::if_, condition->at);
    Expr* negated = make(ExprKind::unary, condition->at, {program_.types.int_});
    negated->op = punct("!");
    negated->operands[0] = copy(condition, &out);
    test->condition = negated;
    test->first = make(StmtKind::break_, condition->at);
    out.push_back(test);
  }

  // A loop whose condition has a convergence point: for (;;) { if (!condition) break; ... }
  Stmt* convergent_loop(const Stmt* s) {
    Stmt* to = make(StmtKind::for_, s->at);
    to->unroll = s->unroll;
    to->step = copy(s->step, nullptr);
    const bool is_do = s->kind == StmtKind::do_;
    if (is_do && continues(s->first)) throw GiveUp{};  // to the condition
    Statements inside;
    ++frame_->breakable;
    if (!is_do) leave_unless(s->condition, inside);
    inside.push_back(single(body_of(s)));
    if (is_do) leave_unless(s->condition, inside);
    --frame_->breakable;
    to->second = block(s->at, std::move(inside));
    return to;
  }

  void breakable(const Stmt* s, Statements& out) {
    if (is_loop(s) && s->condition && converges(s->condition)) {
      if (s->kind == StmtKind::for_ && s->first) statement(s->first, out);
      out.push_back(convergent_loop(s));
      leave_too(s, out);
      return;
    }
    Stmt* to = make(s->kind, s->at);
    to->unroll = s->unroll;
    if (s->kind == StmtKind::for_ && s->first) {
      // Several variables become several declarations before the loop.
      Statements inside;
      statement(s->first, inside);
      out.insert(out.end(), inside.begin(), inside.end());
    }
    Statements* const before = s->kind == StmtKind::switch_ ? &out : nullptr;
    to->condition = copy(s->condition, before);
    to->step = copy(s->step, nullptr);
    ++frame_->breakable;
    Stmt* inside = single(body_of(s));
    (s->kind == StmtKind::for_ ? to->second : to->first) = inside;
    --frame_->breakable;
    out.push_back(to);
    leave_too(s, out);
  }

  // If a work-item returned inside a loop or switch, it also leaves the enclosing one.
  void leave_too(const Stmt* s, Statements& out) {
    if (!returns_within(s) || frame_->breakable == 0) return;
    Stmt* leave = make(StmtKind::if_, s->at);
    leave->condition = reference(returned_flag(s->at), s->at);
    leave->first = make(StmtKind::break_, s->at);
    out.push_back(leave);
  }

  Program& program_;
  const std::unordered_set<const Expr*>& dropped_;
  bool drops_return_;
  Frame* frame_ = nullptr;
  std::size_t nodes_ = 0, exchanges_ = 0;
  std::unordered_map<const Variable*, Variable*> copies_;
  std::unordered_map<const Function*, bool> inlined_;
  std::unordered_map<const Stmt*, const Variable*> late_;
  Variables late_variables_;
};

}  // namespace

std::optional<InlinedBody> inlined_body(Program& program, const Function* kernel,
                                        const std::unordered_set<const Expr*>& dropped, bool drops_return) {
  try {
    return Copier(program, dropped, drops_return).run(kernel);
  } catch (const GiveUp&) {
    return std::nullopt;
  }
}

}  // namespace quern::frontend::lower
