// SPDX-License-Identifier: MIT
// Finds which variables a region needs from earlier regions, and which it passes to later ones. A work-item
// copies only these between registers and the arrays that keep them across regions.
#include <algorithm>
#include <utility>

#include "frontend/lower/analysis/regions.hpp"

namespace quern::frontend::lower {
namespace {

void add(Variables& to, const Variables& from) {
  to.insert(from.begin(), from.end());
}

Variables both(const Variables& a, const Variables& b) {
  Variables result;
  for (const Variable* v : a)
    if (b.contains(v)) result.insert(v);
  return result;
}

// Walks one region: finds the variables that it may read before it sets them.
class Flow {
 public:
  Variables exposed, set, mentioned, declared, assigned;

  void expression(const Expr* e) {
    if (!e) return;
    if (e->kind == ExprKind::variable) {
      mentioned.insert(e->variable);
      if (!set.contains(e->variable)) exposed.insert(e->variable);
      return;
    }
    if (const Variable* v = assigned_by(e)) {
      mentioned.insert(v);
      assigned.insert(v);
      const Expr* target = e->operands[0];
      if (e->kind == ExprKind::assign) expression(e->operands[1]);
      if (e->kind == ExprKind::assign && e->op == punct("=") && target->kind == ExprKind::variable)
        set.insert(v);
      else
        expression(target);
      return;
    }
    // A variable whose address is taken may be changed through the pointer.
    if (e->kind == ExprKind::unary && e->op == punct("&"))
      if (const Variable* v = root_of(e->operands[0])) assigned.insert(v);
    if (e->kind == ExprKind::convert && e->operands[0]->type->kind == TypeKind::array)
      if (const Variable* v = root_of(e->operands[0])) assigned.insert(v);
    const bool chooses = e->kind == ExprKind::conditional ||
                         (e->kind == ExprKind::binary && (e->op == punct("&&") || e->op == punct("||")));
    if (!chooses) {
      each_part(e, [&](const Expr* part) { expression(part); });
      return;
    }
    // At most one of the other operands is evaluated.
    expression(e->operands[0]);
    const Variables before = set;
    for (const Expr* part : {e->operands[1], e->operands[2]}) {
      expression(part);
      set = before;
    }
  }

  void statement(const Stmt* s) {
    if (!s) return;
    switch (s->kind) {
      case StmtKind::declaration:
        for (const Variable* v : s->variables) {
          mentioned.insert(v);
          declared.insert(v);
          if (v->initial) expression(v->initial);
          if (v->initial) assigned.insert(v);
          set.insert(v);  // its old value is overwritten
        }
        return;
      case StmtKind::if_: {
        expression(s->condition);
        const Variables before = set;
        statement(s->first);
        Variables yes = std::move(set);
        set = before;
        statement(s->second);
        set = both(yes, set);
        return;
      }
      case StmtKind::for_:
      case StmtKind::while_: {
        if (s->kind == StmtKind::for_) statement(s->first);
        expression(s->condition);
        const Variables before = set;
        statement(body_of(s));
        set = before;  // the body may not run or may be left early
        expression(s->step);
        set = before;
        return;
      }
      case StmtKind::do_: {
        const Variables before = set;
        statement(s->first);
        set = before;
        expression(s->condition);
        set = before;
        return;
      }
      case StmtKind::switch_: {
        expression(s->condition);
        const Variables outer = std::exchange(at_switch_, set);
        statement(s->first);
        set = std::exchange(at_switch_, outer);
        return;
      }
      case StmtKind::case_:
      case StmtKind::default_:
        set = at_switch_;  // control may come from the switch's head
        statement(s->first);
        return;
      default:
        each_own_expression(s, [&](const Expr* e) { expression(e); });
        each_substatement(s, [&](const Stmt* inner) { statement(inner); });
        return;
    }
  }

 private:
  Variables at_switch_;  // set at the head of the innermost switch
};

class Liveness {
 public:
  struct Exits {
    Variables at_break, at_continue;
  };

  // Returns the variables that are live before the nodes. `live` are those that are live after them.
  Variables nodes(std::vector<Node>& list, Variables live, const Exits& exits) {
    for (std::size_t i = list.size(); i-- > 0;) live = node(list[i], std::move(live), exits);
    return live;
  }

 private:
  // Handles an expression or region that every work-item evaluates.
  template <class Read>
  Variables site(Node& n, const Variables& out, bool repeats, const Read& read) {
    if (!n.is_known) {
      Flow flow;
      read(flow);
      n.exposed = std::move(flow.exposed);
      n.set = std::move(flow.set);
      n.mentioned = std::move(flow.mentioned);
      n.declared = std::move(flow.declared);
      n.assigned = std::move(flow.assigned);
      n.is_known = true;
    }
    Variables in = n.exposed;
    for (const Variable* v : out)
      if (repeats || !n.set.contains(v)) in.insert(v);
    add(n.live_in, in);
    add(n.live_out, out);
    if (repeats) add(n.live_out, in);
    return in;
  }

  // The variables that are live before the condition, if work-items check that it is uniform.
  Variables before_uniform_check(Node& n, const Variables& out) {
    if (!n.needs_uniform_check) return out;
    return site(n, out, false, [&](Flow& flow) { flow.expression(n.s->condition); });
  }

  Variables node(Node& n, Variables live, const Exits& exits) {
    switch (n.kind) {
      case NodeKind::region:
        return site(n, live, false, [&](Flow& flow) {
          for (const Stmt* s : n.statements) flow.statement(s);
        });
      case NodeKind::divergent:
      case NodeKind::strided:
        return site(n, live, true, [&](Flow& flow) { flow.statement(n.s); });
      case NodeKind::branch: {
        Variables in = nodes(n.body, live, exits);
        add(in, nodes(n.otherwise, live, exits));
        return before_uniform_check(n, in);
      }
      case NodeKind::choice: {
        // A switch may jump to any label. It is enough to treat the variables of all labels as live at its
        // head.
        Variables in = live;
        Exits inner = exits;
        inner.at_break = live;
        for (std::size_t i = n.body.size(); i-- > 0;) {
          live = node(n.body[i], std::move(live), inner);
          add(in, live);
        }
        return before_uniform_check(n, in);
      }
      case NodeKind::loop: {
        // The variables that are live before the condition of while, or before the body of do. The set only
        // grows, so an inner loop continues with its earlier set.
        Variables& head = n.head;
        for (;;) {
          Variables in;
          if (n.s->kind == StmtKind::do_) {
            Variables test = live;
            add(test, head);
            test = before_uniform_check(n, test);
            in = nodes(n.body, nodes(n.step, test, {}), {live, test});
          } else {
            const Variables after = nodes(n.step, head, {});
            in = nodes(n.body, after, {live, after});
            add(in, live);
            in = before_uniform_check(n, in);
          }
          const std::size_t before = head.size();
          add(head, in);
          if (head.size() == before) return head;
        }
      }
      case NodeKind::leave:
        return n.s->kind == StmtKind::break_ ? exits.at_break : exits.at_continue;
      case NodeKind::once:
      case NodeKind::label:
      case NodeKind::barrier:
        return live;
    }
    return live;
  }
};

}  // namespace

void find_liveness(std::vector<Node>& nodes, const Variables& live_out) {
  Liveness().nodes(nodes, live_out, {});
}

}  // namespace quern::frontend::lower
