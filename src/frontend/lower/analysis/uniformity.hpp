// SPDX-License-Identifier: MIT
// Which values are the same for all work-items that run together.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {

// Which work-items run together: those of a group, or those of one row of it, whose ids differ in the first
// dimension only.
enum class Together : std::uint8_t { group, row };

// How a value differs from one work-item of a row to the next.
enum class Stride : std::uint8_t { uniform, unit, other };

class Uniformity {
 public:
  // Variables in `varying` are not uniform whatever is assigned to them; nor are those that are declared
  // outside of the statements, save those in `uniform`. All work-items take the branches and loops that hold
  // a convergence point, since anything else is an error at run time.
  Uniformity(const std::vector<const Stmt*>& statements, Together together, const Variables& varying,
             const Variables& uniform);

  // False where the analysis would take too long; its other answers are not valid then.
  [[nodiscard]] bool is_known() const { return !changed_; }
  [[nodiscard]] bool is_uniform(const Expr* e) const;
  [[nodiscard]] bool is_uniform(const Variable* v) const;
  // A loop that no work-item leaves before another.
  [[nodiscard]] bool is_uniform_loop(const Stmt* s) const;
  [[nodiscard]] Stride stride(const Expr* e) const;
  [[nodiscard]] bool is_declared(const Variable* v) const { return facts_.declared.contains(v); }
  [[nodiscard]] bool is_assigned(const Variable* v) const { return facts_.assigned.contains(v); }
  [[nodiscard]] bool is_address_taken(const Variable* v) const { return facts_.address_taken.contains(v); }

 private:
  struct Scope {
    bool varying = false;             // not all work-items get here
    const Stmt* loop = nullptr;       // the innermost loop
    const Stmt* breakable = nullptr;  // the innermost loop or switch
    bool loop_varying = false;        // of them, where `loop` is
    bool breakable_varying = false;
  };
  void statement(const Stmt* s, Scope scope);
  void expression(const Expr* e, bool varying);
  bool find_convergence(const Stmt* s);
  void vary(const Variable* v);
  [[nodiscard]] bool is_uniform_call(const Function* f) const;

  Together together_;
  Variables varying_, outside_uniform_;
  Facts facts_;
  std::unordered_set<const Stmt*> convergent_;     // statements that hold a convergence point
  std::unordered_set<const Stmt*> varying_exits_;  // loops and switches that some leave before others
  mutable std::unordered_map<const Function*, bool> calls_;
  bool changed_ = true;
};

}  // namespace quern::frontend::lower
