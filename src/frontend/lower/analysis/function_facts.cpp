// SPDX-License-Identifier: MIT
// Properties of functions that include the functions they call.
#include "frontend/lower/analysis/function_facts.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "frontend/lower/analysis/tree.hpp"

namespace quern::frontend::lower {
namespace {

constexpr std::uint64_t kStackBase = 32 << 10;   // for calls into the C library, and signals
constexpr std::uint64_t kStackPerNode = 32;      // for what the compiler spills
constexpr std::uint64_t kThreadStack = 1 << 20;  // the part of a thread's stack that is safe to use
constexpr std::uint64_t kMostStack = std::uint64_t{1} << 40;

}  // namespace

std::size_t inlined_size(const Function* f) {
  std::size_t size = f->components;
  for (const auto& [callee, at] : f->calls) {
    size += inlined_size(callee);
    if (size > kMaxInlinedSize) return kMaxInlinedSize + 1;
  }
  return size;
}

bool has_private_memory(const Function* f) {
  return holds_for_any(f, [](const Function* g) {
    const auto has_address = [](const Variable* v) {
      return contains_array(v->type.type) || v->is_address_taken;
    };
    return std::ranges::any_of(g->locals, has_address) || std::ranges::any_of(g->parameters, has_address);
  });
}

bool has_local_memory(const Function* f) {
  return !f->local_variables.empty() || std::ranges::any_of(f->parameters, [](const Variable* p) {
    return p->type->is_pointer() && p->type->element.space == Space::local;
  });
}

std::vector<const Function*> needed_functions(const Program& program) {
  std::unordered_set<const Function*> needed;
  std::vector<const Function*> work;
  for (const Function* f : program.functions)
    if (f->is_kernel) work.push_back(f);
  while (!work.empty()) {
    const Function* f = work.back();
    work.pop_back();
    if (!needed.insert(f).second) continue;
    for (const auto& [callee, at] : f->calls) work.push_back(callee);
  }
  std::vector<const Function*> result;
  for (const Function* f : program.functions)
    if (needed.contains(f)) result.push_back(f);
  return result;
}

std::uint64_t stack_size(const Function* f) {
  std::unordered_map<const Function*, std::uint64_t> known;
  const auto measure = [&](const auto& self, const Function* g) -> std::uint64_t {
    if (const auto found = known.find(g); found != known.end()) return found->second;
    std::uint64_t size = kStackPerNode * g->nodes;
    for (const auto* list : {&g->locals, &g->parameters})
      for (const Variable* v : *list)
        size = std::min(kMostStack, size + size_of(v->type.type) + alignment_of(v->type.type));
    for (const auto& [callee, at] : g->calls) size = std::min(kMostStack, size + self(self, callee));
    return known[g] = size;
  };
  return kStackBase + measure(measure, f);
}

bool needs_own_stack(const Function* f) {
  return stack_size(f) > kThreadStack;
}

}  // namespace quern::frontend::lower
