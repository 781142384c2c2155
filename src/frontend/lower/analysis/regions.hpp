// SPDX-License-Identifier: MIT
// A kernel as regions: code that each work-item runs on its own, inside control flow that all work-items
// follow together.
//
// The same kind of plan has two uses. For a work-group it splits a kernel at its barriers: a region is the
// code between two barriers. For a row of work-items it moves loops outside of the loop over work-items, so
// that a compiler vectorises across the row.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "frontend/lower/analysis/uniformity.hpp"

namespace quern::frontend::lower {

enum class NodeKind : std::uint8_t {
  region,  // `statements`, run by every work-item
  once,    // one statement, run once for all work-items
  loop,    // `body`, then `step` after each iteration; `s` is the loop
  branch,  // `body` or `otherwise`
  choice,  // a switch, whose labels are in `body`
  label,   // case or default
  barrier,
  leave,      // break or continue
  divergent,  // a loop that work-items leave at different iterations
  strided,    // for (i = id; i < n; i += step): adjacent work-items have adjacent counters
};

struct Node {
  NodeKind kind = NodeKind::region;
  const Stmt* s = nullptr;
  std::vector<const Stmt*> statements;
  std::vector<Node> body, otherwise, step;
  // The condition is not known to be uniform: every work-item evaluates it, and a difference is an error.
  bool needs_uniform_check = false;
  bool is_continued = false;  // a loop that contains continue
  // For regions and uniform checks (liveness.cpp):
  Variables mentioned, declared, assigned, live_in, live_out;
  Variables exposed, set, head;  // variables that it reads before it sets them; that it always sets; that are
                                 // live at a loop's head
  bool is_known = false;
};

// Where a variable is stored.
enum class Storage : std::uint8_t {
  inside,          // only used in one region: declared there
  once,            // one variable for all work-items
  rematerialised,  // computed again in each region that needs it
  array,           // one element per work-item, copied in and out of regions
  addressed,       // one element per work-item, used in place because its address is taken
  counter,         // the counter of a strided loop
};

struct Plan {
  std::vector<Node> nodes;
  std::unordered_map<const Variable*, Storage> storage;
  std::vector<const Variable*> variables;  // in order of declaration
  std::unordered_map<const Variable*, const Stmt*> declarations;

  [[nodiscard]] Storage storage_of(const Variable* v) const {
    const auto found = storage.find(v);
    return found == storage.end() ? Storage::inside : found->second;
  }
  [[nodiscard]] bool declares(const Variable* v) const { return storage.contains(v); }
  [[nodiscard]] std::uint64_t kept_bytes() const;  // per work-item, outside of regions
};

// Limit in bytes of stack for each work-item of a row, which has at most 256 work-items.
inline constexpr std::uint64_t kMostKeptInRow = 256;

// Splits a kernel at its barriers. Returns nothing if a barrier is in the middle of an expression.
std::optional<Plan> plan_group(Program& program, const std::vector<const Stmt*>& statements);

// Moves loops outside of the loop over a row of work-items. Returns nothing if no loop becomes faster.
// `uniform` are outer variables with one value for all work-items, `live_out` are variables that are read
// afterwards. The caller stores the variables in `kept`; the plan does not change where they are.
std::optional<Plan> plan_row(Program& program, const std::vector<const Stmt*>& statements,
                             const Variables& uniform, const Variables& live_out, const Variables& kept);

// Computes for each region which variables it uses, changes, needs and passes on (liveness.cpp).
void find_liveness(std::vector<Node>& nodes, const Variables& live_out);

// The loops that are moved outside, and how: NodeKind::loop, divergent or strided (lane_loops.cpp).
using ChosenLoops = std::unordered_map<const Stmt*, NodeKind>;
ChosenLoops choose_loops(const std::vector<const Stmt*>& statements, const Uniformity& uniformity);
// Whether a region may compute the expression again instead of storing its value: it is cheap, has no side
// effects and reads no memory, and `is_known` returns true for its variables, which then have not changed.
bool can_rematerialise(const Expr* e, const std::function<bool(const Variable*)>& is_known, int budget = 24);

// The counter of a strided loop; null for other loops.
const Variable* strided_counter(const Stmt* s, const std::vector<const Stmt*>& all, const Uniformity& u);

}  // namespace quern::frontend::lower
