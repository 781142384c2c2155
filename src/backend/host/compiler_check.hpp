// SPDX-License-Identifier: MIT
// Test whether the C compiler works.
#pragma once

namespace quern::backend::host {

// False if there is no compiler, or if it cannot make a program that loads and runs: it is half installed,
// crashes, hangs, or has no room for its files. Callers with an alternative then use it, and this function
// warns once. The first call of a process compiles an empty function, unless the cache records that this
// compiler worked before and there is room for temporary files. If descriptors, memory or processes run out
// meanwhile, it returns false, and the next call tries again.
bool compiler_works();

// After a failed compilation: tests the compiler again, so that callers with an alternative use it if the
// compiler is broken.
void recheck_compiler();
// After a compilation whose program loads.
void trust_compiler();

}  // namespace quern::backend::host
