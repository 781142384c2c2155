// SPDX-License-Identifier: MIT
// A kernel as regions: pieces that each work-item runs by itself, inside control flow that all take together.
//
// The same plan serves two purposes. Over a work-group it splits a kernel at its barriers: a region is what
// lies between two of them. Over a row of work-items it takes loops out of the loop over work-items, so that
// a compiler vectorises across the row.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "frontend/lower/analysis/uniformity.hpp"

namespace quern::frontend::lower {

enum class NodeKind : std::uint8_t {
  region,  // `statements`, by every work-item
  once,    // the statement, once for all work-items
  loop,    // `body`, and `step` after each pass; as s says
  branch,  // `body` or `otherwise`
  choice,  // a switch: labels are among its `body`
  label,   // case or default
  barrier,
  leave,      // break or continue
  divergent,  // a loop that work-items leave one by one
  strided,    // for (i = id; i < n; i += step), whose counters are neighbours
};

struct Node {
  NodeKind kind = NodeKind::region;
  const Stmt* s = nullptr;
  std::vector<const Stmt*> statements;
  std::vector<Node> body, otherwise, step;
  // The condition is not known to be uniform: every work-item evaluates it, and all must agree.
  bool needs_uniform_check = false;
  bool is_continued = false;  // a loop in which a node says continue
  // Of regions and uniform checks (liveness.cpp):
  Variables mentioned, declared, assigned, live_in, live_out;
  Variables exposed, set, head;  // its own needs; what it sets for sure; what is live at a loop's head
  bool is_known = false;
};

// Where a variable of the kernel is kept.
enum class Storage : std::uint8_t {
  inside,          // in one region: a variable of it
  once,            // one for all work-items
  rematerialised,  // computed once more in each region that needs it
  array,           // an element for each work-item, copied in and out of regions
  addressed,       // the same, but used there and not copied, since the variable's address is taken
  counter,         // of a strided loop
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
  [[nodiscard]] std::uint64_t kept_bytes() const;  // by each work-item, outside of regions
};

// Bytes on the stack for each work-item of a row, of which there are 256 at most.
inline constexpr std::uint64_t kMostKeptInRow = 256;

// Splits at barriers. Returns nothing where that is not possible: a barrier in the middle of an expression.
std::optional<Plan> plan_group(Program& program, const std::vector<const Stmt*>& statements);

// Takes loops out of the loop over a row of work-items. Returns nothing where no loop is worth it. `uniform`
// are variables from outside that have one value for all work-items, and `live_out` those that are read
// afterwards. The caller keeps those in `kept`, which the plan leaves alone.
std::optional<Plan> plan_row(Program& program, const std::vector<const Stmt*>& statements,
                             const Variables& uniform, const Variables& live_out, const Variables& kept);

// Fills in what each region mentions, changes, needs and leaves behind (liveness.cpp).
void find_liveness(std::vector<Node>& nodes, const Variables& live_out);

// Which loops are to be taken out, and how: NodeKind::loop, divergent or strided (lane_loops.cpp).
using ChosenLoops = std::unordered_map<const Stmt*, NodeKind>;
ChosenLoops choose_loops(const std::vector<const Stmt*>& statements, const Uniformity& uniformity);
// Whether a region may compute the expression once more instead of keeping its value: it is cheap, has no
// effects and reads no memory, and `is_known` says of its variables that they have not changed.
bool can_rematerialise(const Expr* e, const std::function<bool(const Variable*)>& is_known, int budget = 24);

// The counter of a strided loop; null for other loops.
const Variable* strided_counter(const Stmt* s, const std::vector<const Stmt*>& all, const Uniformity& u);

}  // namespace quern::frontend::lower
