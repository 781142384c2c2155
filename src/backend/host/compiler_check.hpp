// SPDX-License-Identifier: MIT
// Whether the C compiler that was found works.
#pragma once

namespace quern::backend::host {

// False where there is no compiler, and where there is one that cannot make a program that loads and runs: it
// is half installed, crashes, hangs, or has no room for its files. Such a compiler is worse than none to
// callers who can do without, so this warns once, and they are told to. The first call of a process compiles
// an empty function, unless the cache says that this compiler worked before and there is room for temporary
// files. Where descriptors, memory or processes run out meanwhile it returns false, and the next call tries
// again.
bool compiler_works();

// After a compilation that failed: tries the compiler again, so that callers who can do without it do so from
// now on.
void recheck_compiler();
// After one that made a program which loads.
void trust_compiler();

}  // namespace quern::backend::host
