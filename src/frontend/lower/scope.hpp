// SPDX-License-Identifier: MIT
// The state that the writers share: the current function, how its work-items run, and the names of variables.
#pragma once

#include <string>
#include <unordered_map>

#include "frontend/lower/analysis/guards.hpp"
#include "frontend/lower/analysis/regions.hpp"
#include "frontend/lower/names.hpp"

namespace quern::frontend::lower {

struct Scope {
  const Function* function = nullptr;
  Guards guards;                                          // conditions that the loop over work-items tests
  const Plan *group_plan = nullptr, *row_plan = nullptr;  // of the regions that are currently written
  std::unordered_map<const Variable*, std::string> names;

  std::string name_of(const Variable* v) {
    std::string& name = names[v];
    if (name.empty()) name = mangled(v->name);
    return name;
  }
  [[nodiscard]] Storage storage_of(const Variable* v) const {
    if (row_plan && row_plan->declares(v)) return row_plan->storage_of(v);
    return group_plan ? group_plan->storage_of(v) : Storage::inside;
  }
};

}  // namespace quern::frontend::lower
