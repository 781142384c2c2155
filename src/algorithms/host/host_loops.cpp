// SPDX-License-Identifier: MIT
// Launches an expression on the precompiled loops.
#include "algorithms/host/host_loops.hpp"

#include <algorithm>

#include "algorithms/host/loop_call.hpp"
#include "algorithms/host/loop_program.hpp"
#include "quern/compilation.hpp"

namespace quern::algorithms {
namespace {

// A row of at least this length is divided into blocks on its own; shorter rows share blocks.
constexpr std::int64_t kLongRow = 512;

}  // namespace

std::shared_ptr<const HostLoops> HostLoops::of(const codegen::Expression& expression) {
  auto program = std::make_shared<LoopProgram>();
  if (!make_program(expression, *program)) return nullptr;
  auto loops = std::make_shared<HostLoops>();
  loops->kernels_ =
      std::make_shared<PrecompiledKernels>("expression", &run_loops, program->scratch_bytes(), program);
  loops->program_ = std::move(program);
  return loops;
}

bool HostLoops::are_best() const {
  return !program_->randoms.empty();
}

std::optional<Event> HostLoops::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                                       const BoundOperands& bound, const codegen::IndexSpace& space,
                                       WaitList wait_for) const {
  const PackedCall packed = pack_call(*program_, arguments, bound, space, true);
  const auto kernel = kernels_->get(queue);
  if (!kernel) return std::nullopt;
  const auto size = static_cast<std::size_t>(space.size());
  const bool is_flat = space.rank() > 1 && space.lengths[0] < kLongRow;
  const auto row = is_flat ? size : static_cast<std::size_t>(space.lengths[0]);
  backend::LaunchShape shape;
  shape.dims = 2;
  shape.global = {row, size / row, 1};
  shape.local = {std::min<std::size_t>(program_->block, row), 1, 1};
  return kernel->launch(queue, shape, std::as_bytes(std::span(packed.words)), packed.memory, wait_for);
}

}  // namespace quern::algorithms
