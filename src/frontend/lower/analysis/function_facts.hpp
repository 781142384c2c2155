// SPDX-License-Identifier: MIT
// What is known of whole functions, with those that they call.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/parse/ast.hpp"

namespace quern::frontend::lower {

// Kernels and what they call, in order of definition: an included library has much that no kernel needs.
std::vector<Function*> needed_functions(const Program& program);

// Expressions, a vector's components counted one by one, up to just above the limit. A function beyond the
// limit gains nothing by being inlined, and each call would take the compiler as long as the function.
inline constexpr std::size_t kMaxInlinedSize = 5000;
std::size_t inlined_size(const Function* f);

// Whether it has private arrays, or variables with an address. The work-items of a loop use these at one
// address of the stack in turn, so that the loop is not free of dependences.
bool has_private_memory(const Function* f);
// Whether a kernel has variables or parameters in local memory.
bool has_local_memory(const Function* f);

// Bytes of stack for a work-item's variables at most: everything is inlined, and at -O0 no two variables
// share an address.
std::uint64_t stack_size(const Function* f);
// Whether that is more than a thread's stack is sure to have.
bool needs_own_stack(const Function* f);

}  // namespace quern::frontend::lower
