// SPDX-License-Identifier: MIT
// Launches an expression on the host's loops.
#include "algorithms/host_loops.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "algorithms/loop_program.hpp"
#include "runtime/embedded_kernel.hpp"

namespace quern::algorithms {
namespace {

using detail::EmbeddedKernel;

// Rows of so many elements are blocks by themselves; shorter ones are put together to blocks.
constexpr std::int64_t kLongRow = 512;

// The bytes of a buffer that an operand may touch, and where its first element lies among them.
struct Extent {
  EmbeddedKernel::Memory memory;
  std::int64_t first;
};

Extent extent_of(const BoundOperand& operand, const codegen::IndexSpace& space, std::size_t b) {
  const auto itemsize = static_cast<std::int64_t>(operand.itemsize);
  std::int64_t down = 0, up = itemsize;
  for (std::size_t d = 0; d < space.rank(); ++d) {
    const std::int64_t step = space.strides[b][d] * itemsize * (space.lengths[d] - 1);
    (step < 0 ? down : up) += step;
  }
  const auto begin = static_cast<std::size_t>(static_cast<std::int64_t>(operand.offset) + down);
  return {{&operand.buffer(), begin, static_cast<std::size_t>(up - down), operand.written}, -down};
}

bool allows(const BoundOperand& operand) {
  const Access access = operand.buffer().access();
  return access != (operand.written ? Access::read_only : Access::write_only);
}

}  // namespace

// The program as a kernel of each context that it was run in.
class HostLoops::Kernels {
 public:
  std::shared_ptr<const EmbeddedKernel> get(const Queue& queue,
                                            const std::shared_ptr<const LoopProgram>& program) {
    const std::lock_guard lock(mutex_);
    for (const auto& kernel : known_)
      if (kernel->is_for(queue)) return kernel;
    auto kernel = EmbeddedKernel::make(queue, "expression", &run_loops, program->scratch_bytes(), program);
    if (!kernel) return nullptr;
    constexpr std::size_t kMost = 8;  // contexts come and go
    if (known_.size() == kMost) known_.erase(known_.begin());
    return known_.emplace_back(std::move(kernel));
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const EmbeddedKernel>> known_;
};

std::shared_ptr<const HostLoops> HostLoops::of(const codegen::Expression& expression) {
  auto program = std::make_shared<LoopProgram>();
  if (!make_program(expression, *program)) return nullptr;
  auto loops = std::make_shared<HostLoops>();
  loops->program_ = std::move(program);
  loops->kernels_ = std::make_shared<Kernels>();
  return loops;
}

bool HostLoops::runs_on(const Queue& queue) {
  return queue.device().properties().dialect == Dialect::host_c;
}

std::optional<Event> HostLoops::launch(const Queue& queue, std::span<const KernelArgument> arguments,
                                       const BoundOperands& bound, const codegen::IndexSpace& space,
                                       WaitList wait_for) const {
  const std::size_t rank = space.rank(), record = kOperandWords + rank;
  constexpr std::size_t kHeader = sizeof(LoopCall) / sizeof(std::int64_t);
  std::vector<std::int64_t> words(kHeader + rank + arguments.size() * record, 0);
  const bool is_flat = rank > 1 && space.lengths[0] < kLongRow;
  const LoopCall call{program_.get(), static_cast<std::int64_t>(rank), 1};
  std::memcpy(words.data(), &call, sizeof call);
  std::copy(space.lengths.begin(), space.lengths.end(), words.begin() + kHeader);
  const auto words_of = [&](std::size_t argument) { return &words[kHeader + rank + argument * record]; };

  for (std::size_t a = 0; a < arguments.size(); ++a) {
    words_of(a)[0] = -1;
    if (arguments[a].kind == KernelArgument::Kind::raw && arguments[a].size <= 2 * sizeof(std::int64_t))
      std::memcpy(words_of(a) + 1, arguments[a].raw, arguments[a].size);
  }
  std::vector<EmbeddedKernel::Memory> memory;
  memory.reserve(bound.size());
  for (std::size_t b = 0; b < bound.size(); ++b) {
    if (!allows(bound[b])) return std::nullopt;
    const Extent extent = extent_of(bound[b], space, b);
    std::int64_t* const operand = words_of(bound[b].argument);
    operand[0] = static_cast<std::int64_t>(memory.size());
    operand[1] = extent.first;
    for (std::size_t d = 0; d < rank; ++d)
      operand[kOperandWords + d] = space.strides[b][d] * static_cast<std::int64_t>(bound[b].itemsize);
    memory.push_back(extent.memory);
  }
  const auto kernel = kernels_->get(queue, program_);
  if (!kernel) return std::nullopt;

  const auto size = static_cast<std::size_t>(space.size());
  const auto row = is_flat ? size : static_cast<std::size_t>(space.lengths[0]);
  backend::LaunchShape shape;
  shape.dims = 2;
  shape.global = {row, size / row, 1};
  shape.local = {std::min<std::size_t>(program_->block, row), 1, 1};
  return kernel->launch(queue, shape, std::as_bytes(std::span(words)), memory, wait_for);
}

}  // namespace quern::algorithms
