// SPDX-License-Identifier: MIT
// Where a device runs functions of the library, where kernels that a compiler makes.
#include "algorithms/launch/policy.hpp"

#include "algorithms/launch/background_compiler.hpp"
#include "codegen/loop.hpp"
#include "quern/compilation.hpp"
#include "runtime/context_state.hpp"
#include "runtime/queue_state.hpp"

namespace quern::algorithms {
namespace {

constexpr Policy kOfFunctions = {
    .computes_small_work_at_once = true,
    .scans_small_arrays_in_order = true,
    .least_lazy_product = std::int64_t{1} << 15,
    .sums_vector_products = false,
    .multiplies_masked_triangles = true,
    .keeps_transforms_lazy = false,
    .transforms_any_length_at_once = true,
    .has_loops = true,
    .has_draws = true,
};
constexpr Policy kOfKernels = {
    .computes_small_work_at_once = false,
    .scans_small_arrays_in_order = false,
    .least_lazy_product = 0,
    .sums_vector_products = true,
    .multiplies_masked_triangles = false,
    .keeps_transforms_lazy = true,
    .transforms_any_length_at_once = false,
    .has_loops = false,
    .has_draws = false,
};

}  // namespace

bool calls_function(const Queue& queue, FunctionUse use) {
  const DeviceProperties& device = queue.state()->properties();
  if (device.dialect != Dialect::host_c) return false;
  // QUERN_LOOPS=grid asks for the kernels that GPUs run.
  return use == FunctionUse::always ||
         (host_loop_use() != HostLoopUse::never && codegen::loop_style(device) == codegen::LoopStyle::chunks);
}

const Policy& policy(const Queue& queue) {
  return calls_function(queue) ? kOfFunctions : kOfKernels;
}

bool avoids_compiling(const Queue& queue, std::uint64_t elements) {
  if (!calls_function(queue)) return false;
  // Asked last, because the first answer may take a run of the compiler.
  return host_loop_use() == HostLoopUse::only || elements < kSmallWork ||
         !queue.state()->context()->native().can_compile();
}

}  // namespace quern::algorithms
