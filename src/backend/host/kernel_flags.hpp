// SPDX-License-Identifier: MIT
// The options that compile the C of kernels: at run time, and for precompiled kernels when the library is
// built. src/codegen/host_loops/CMakeLists.txt reads both lists from this text.
#pragma once

#include <array>

namespace quern::backend::host {

// Without errno and trapping math, loops vectorise that otherwise do not. Signed overflow wraps and types may
// alias, as on GPUs. Contraction is off, so that every device rounds alike.
inline constexpr std::array kKernelFlags = {
    "-O3",     "-fno-math-errno",      "-fno-trapping-math",          "-ffp-contract=off",
    "-fwrapv", "-fno-strict-aliasing", "-fno-semantic-interposition", "-fno-stack-protector",
};

// gcc converts branches to selections only up to a limit, four by default; bodies of loops over lanes have
// more. The remainder of a vectorised loop runs one by one: vectorising it with shorter vectors takes 5 to
// 17% of gcc's time and gains nothing on rows of work-items. Registers are allocated for a whole function:
// allocation by loops takes 15% more time, and the code is not faster.
inline constexpr std::array kGccKernelFlags = {
    "--param=max-tree-if-conversion-phi-args=64",
    "--param=vect-epilogues-nomask=0",
    "-fira-region=one",
};

}  // namespace quern::backend::host
