// SPDX-License-Identifier: MIT
// Follows the stores and loads of a work-item in program order.
#include "frontend/lower/analysis/aliasing.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace quern::frontend::lower {
namespace {

// An index as a sum of terms: the factor of each term, by its text. The constant part has the key "".
struct Sum {
  std::map<std::string, std::int64_t> terms;
  bool is_known = true;

  [[nodiscard]] bool is_constant() const {
    return std::ranges::all_of(terms,
                               [](const auto& term) { return term.first.empty() || term.second == 0; });
  }
  [[nodiscard]] std::int64_t constant() const {
    const auto found = terms.find("");
    return found == terms.end() ? 0 : found->second;
  }
};

const Sum kUnknown{{}, false};

Sum combined(const Sum& a, const Sum& b, std::int64_t factor) {
  if (!a.is_known || !b.is_known) return kUnknown;
  Sum result = a;
  for (const auto& [term, count] : b.terms) result.terms[term] += factor * count;
  return result;
}

Sum product(const Sum& a, const Sum& b) {
  if (!a.is_known || !b.is_known) return kUnknown;
  if (a.is_constant()) return combined({}, b, a.constant());
  if (b.is_constant()) return combined({}, a, b.constant());
  const auto text = [](const Sum& sum) {
    std::string out = "(";
    for (const auto& [term, count] : sum.terms) out += std::to_string(count) + "*" + term + " ";
    return out + ")";
  };
  return {{{text(a) + text(b), 1}}};
}

// Unknown for an index that may change between two statements of a kernel, or that is not a sum.
Sum sum_of(const Expr* e, int depth = 0) {
  constexpr int kMaxNesting = 40;
  if (depth > kMaxNesting) return kUnknown;
  const auto part = [&](std::size_t i) { return sum_of(e->operands[i], depth + 1); };
  switch (e->kind) {
    case ExprKind::integer:
      return {{{"", static_cast<std::int64_t>(e->integer)}}};
    case ExprKind::convert:
      return e->type->is_integer() && e->operands[0]->type->is_integer() ? part(0) : kUnknown;
    case ExprKind::variable: {
      const Variable* v = e->variable;
      if (v->is_written || v->is_address_taken || !v->type->is_integer()) return kUnknown;
      if (v->initial) return sum_of(v->initial, depth + 1);
      if (!v->is_parameter) return kUnknown;
      return {{{"v" + std::to_string(reinterpret_cast<std::uintptr_t>(v)), 1}}};
    }
    case ExprKind::builtin:
      if (e->builtin->rule != Rule::work_item || e->arguments.empty() ||
          e->arguments[0]->kind != ExprKind::integer)
        return kUnknown;
      return {{{std::string(e->builtin->name) + std::to_string(e->arguments[0]->integer), 1}}};
    case ExprKind::binary:
      if (e->op == punct("+")) return combined(part(0), part(1), 1);
      if (e->op == punct("-")) return combined(part(0), part(1), -1);
      if (e->op == punct("*")) return product(part(0), part(1));
      return kUnknown;
    default:
      return kUnknown;
  }
}

struct Access {
  Space space = Space::unspecified;
  const Variable* base = nullptr;  // null when it is not known
  Sum index;

  [[nodiscard]] bool is_array() const { return base && base->type->kind == TypeKind::array; }
  [[nodiscard]] bool is_alone() const { return base && (base->type.is_restrict || is_array()); }
};

bool has_unknown_distance(const Access& a, const Access& b) {
  if (a.space != b.space && a.space != Space::unspecified && b.space != Space::unspecified) return false;
  if (!a.base || a.base != b.base) return !(a.base && b.base && (a.is_alone() || b.is_alone()));
  const Sum distance = combined(a.index, b.index, -1);
  return !distance.is_known || !distance.is_constant();
}

// Returns the memory that a pointer points to.
Access behind(const Expr* pointer) {
  Access access;
  access.space = pointer->type->element.space;
  for (;;) {
    if (pointer->kind == ExprKind::convert) {
      const Expr* from = pointer->operands[0];
      // Indices of elements of another size do not compare.
      if (from->type->element.type != pointer->type->element.type) access.index = kUnknown;
      pointer = from;
    } else if (pointer->kind == ExprKind::binary && pointer->op == punct("+") &&
               pointer->operands[0]->type->is_pointer()) {
      access.index = combined(access.index, sum_of(pointer->operands[1]), 1);
      pointer = pointer->operands[0];
    } else if (pointer->kind == ExprKind::variable && pointer->type->is_pointer() &&
               !pointer->variable->is_written && pointer->variable->initial) {
      pointer = pointer->variable->initial;
    } else {
      break;
    }
  }
  if (pointer->kind == ExprKind::variable && !pointer->variable->is_written &&
      (pointer->variable->is_parameter || pointer->variable->type->kind == TypeKind::array))
    access.base = pointer->variable;
  return access;
}

class Order {
 public:
  bool is_broken = false;

  void statement(const Stmt* s) {
    if (!s || is_broken) return;
    // A loop may load what an earlier iteration stored. Walking the outermost loop twice covers the inner
    // loops as well.
    const int passes = is_loop(s) && loops_ == 0 ? 2 : 1;
    if (s->kind == StmtKind::for_) statement(s->first);
    loops_ += is_loop(s);
    for (int pass = 0; pass < passes; ++pass) {
      each_own_expression(s, [&](const Expr* e) { expression(e); });
      if (is_loop(s))
        statement(body_of(s));
      else
        each_substatement(s, [&](const Stmt* inner) { statement(inner); });
    }
    loops_ -= is_loop(s);
  }

 private:
  void expression(const Expr* e) {
    if (!e || is_broken) return;
    switch (e->kind) {
      case ExprKind::assign:
      case ExprKind::increment:
        if (e->kind == ExprKind::assign) expression(e->operands[1]);
        lvalue(e->operands[0], e->kind == ExprKind::increment || e->op != punct("="), true);
        return;
      case ExprKind::index:
      case ExprKind::member:
      case ExprKind::swizzle:
        lvalue(e, e->type->kind != TypeKind::array, false);
        return;
      case ExprKind::unary:
        if (e->op == punct("*")) return lvalue(e, e->type->kind != TypeKind::array, false);
        if (e->op == punct("&")) return lvalue(e->operands[0], false, false);
        break;
      case ExprKind::call:
        each_part(e, [&](const Expr* part) { expression(part); });
        call(e->callee);
        return;
      case ExprKind::builtin:
        each_part(e, [&](const Expr* part) { expression(part); });
        memory(e);
        return;
      default:
        break;
    }
    each_part(e, [&](const Expr* part) { expression(part); });
  }

  // Records an access to an lvalue, and the loads that compute its address.
  void lvalue(const Expr* e, bool reads, bool writes) {
    while (e->kind == ExprKind::member || e->kind == ExprKind::swizzle) e = e->operands[0];
    if (e->kind == ExprKind::variable) return;
    if (root_of(e)) {  // a private array
      expression(e->kind == ExprKind::index ? e->operands[1] : nullptr);
      return;
    }
    Access access;
    if (e->kind == ExprKind::index) {
      const Expr* base = e->operands[0];
      expression(e->operands[1]);
      if (base->kind == ExprKind::convert && base->operands[0]->type->kind == TypeKind::array &&
          base->operands[0]->kind != ExprKind::variable) {
        lvalue(base->operands[0], false, false);  // an array inside of something else
        access.space = base->type->element.space;
        access.index = kUnknown;
      } else {
        expression(base);
        access = behind(base);
        access.index = combined(access.index, sum_of(e->operands[1]), 1);
      }
    } else if (e->kind == ExprKind::unary && e->op == punct("*")) {
      expression(e->operands[0]);
      access = behind(e->operands[0]);
    } else {
      expression(e);
      return;
    }
    use(std::move(access), reads, writes);
  }

  void use(Access access, bool reads, bool writes) {
    if (access.space == Space::constant) return;
    if (calls_ > 0) access.base = nullptr;  // a parameter is another pointer in each call
    if (reads) load(access);
    if (writes) stores_.push_back(std::move(access));
  }

  void load(const Access& access) {
    for (const Access& store : stores_) is_broken = is_broken || has_unknown_distance(store, access);
  }

  void memory(const Expr* e) {
    const Rule rule = e->builtin->rule;
    const bool is_atomic = rule == Rule::atomic || rule == Rule::atomic2;
    const bool reads = rule == Rule::vload || rule == Rule::vload_half || is_atomic;
    const bool writes = rule == Rule::vstore || rule == Rule::vstore_half || is_atomic;
    if (!reads && !writes) return;
    for (const Expr* argument : e->arguments) {
      if (!argument->type->is_pointer()) continue;
      Access access = behind(argument);
      access.index = kUnknown;  // several elements
      use(std::move(access), reads, writes);
    }
  }

  // OpenCL C has no recursion.
  void call(const Function* f) {
    ++calls_;
    if (calls_ <= kMaxCalls)
      statement(f->body);
    else
      is_broken = true;
    --calls_;
  }

  static constexpr int kMaxCalls = 8;  // limit for nested calls, each of which is walked again
  int loops_ = 0;
  int calls_ = 0;
  std::vector<Access> stores_;
};

}  // namespace

bool may_break_order(const std::vector<const Stmt*>& statements) {
  Order order;
  for (const Stmt* s : statements) order.statement(s);
  return order.is_broken;
}

}  // namespace quern::frontend::lower
