// SPDX-License-Identifier: MIT
// Finds the values that are the same for all work-items that run together.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {

// Which work-items run together: those of a group, or those of a row of the group, whose ids differ only in
// the first dimension.
enum class Together : std::uint8_t { group, row };

// How a value changes from one work-item of a row to the next.
enum class Stride : std::uint8_t { uniform, unit, other };

class Uniformity {
 public:
  // Variables in `varying` are never uniform. Variables that are declared outside of the statements are
  // uniform only if they are in `uniform`. Branches and loops that contain a convergence point are uniform,
  // because anything else is an error at run time.
  Uniformity(const std::vector<const Stmt*>& statements, Together together, const Variables& varying,
             const Variables& uniform);

  // False if the analysis takes too long. The other members are then not valid.
  [[nodiscard]] bool is_known() const { return !changed_; }
  [[nodiscard]] bool is_uniform(const Expr* e) const;
  [[nodiscard]] bool is_uniform(const Variable* v) const;
  // Whether all work-items leave the loop at the same iteration.
  [[nodiscard]] bool is_uniform_loop(const Stmt* s) const;
  [[nodiscard]] Stride stride(const Expr* e) const;
  [[nodiscard]] bool is_declared(const Variable* v) const { return facts_.declared.contains(v); }
  [[nodiscard]] bool is_assigned(const Variable* v) const { return facts_.assigned.contains(v); }
  [[nodiscard]] bool is_address_taken(const Variable* v) const { return facts_.address_taken.contains(v); }

 private:
  struct Scope {
    bool varying = false;             // only some work-items get here
    const Stmt* loop = nullptr;       // the innermost loop
    const Stmt* breakable = nullptr;  // the innermost loop or switch
    bool loop_varying = false;        // `varying` at the innermost loop
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
  std::unordered_set<const Stmt*> convergent_;  // statements that contain a convergence point
  // Loops and switches that work-items leave at different times.
  std::unordered_set<const Stmt*> varying_exits_;
  mutable std::unordered_map<const Function*, bool> calls_;
  bool changed_ = true;
};

}  // namespace quern::frontend::lower
