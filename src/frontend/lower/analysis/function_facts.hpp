// SPDX-License-Identifier: MIT
// Properties of functions that include the functions they call.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

// Returns the kernels and the functions that they call, in order of definition. Included libraries have many
// functions that no kernel calls.
std::vector<const Function*> needed_functions(const Program& program);

// The number of expressions, counting each component of a vector; stops just above the limit. Inlining a
// larger function does not make it faster, and each call would take the compiler as long as the function.
inline constexpr std::size_t kMaxInlinedSize = 5000;
std::size_t inlined_size(const Function* f);

// Whether it has private arrays or variables whose address is taken. All work-items of a loop use these at
// the same stack address, so the loop has dependences.
bool has_private_memory(const Function* f);
// Whether a kernel has variables or parameters in local memory.
bool has_local_memory(const Function* f);

// An upper bound for the stack of a work-item's variables. It assumes that everything is inlined and, as at
// -O0, that variables do not share addresses.
std::uint64_t stack_size(const Function* f);
// Whether that exceeds the safe part of a thread's stack.
bool needs_own_stack(const Function* f);

}  // namespace quern::frontend::lower
