// SPDX-License-Identifier: MIT
// When a launch calls a function of the library instead of a kernel that a compiler makes.
#include "algorithms/launch/function_use.hpp"

#include "algorithms/launch/background_compiler.hpp"
#include "codegen/loop.hpp"
#include "quern/compilation.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {

bool calls_functions(const Queue& queue) {
  return queue.state()->properties().dialect == Dialect::host_c;
}

bool may_call_functions(const Queue& queue) {
  // QUERN_LOOPS=grid asks for the kernels that GPUs run.
  return calls_functions(queue) && host_loop_use() != HostLoopUse::never &&
         codegen::loop_style(queue.state()->properties()) == codegen::LoopStyle::chunks;
}

bool prefers_library(const Queue& queue, std::uint64_t elements) {
  if (!may_call_functions(queue)) return false;
  // Asked last, because the first answer may take a run of the compiler.
  return host_loop_use() == HostLoopUse::only || elements < kSmallWork ||
         !queue.state()->context()->native().can_compile();
}

}  // namespace quern::algorithms
