// SPDX-License-Identifier: MIT
// Launches reductions on the precompiled loops.
#include "algorithms/host/reduction_loops.hpp"

#include <utility>

#include "algorithms/host/host_loop_table.hpp"
#include "algorithms/host/loop_call.hpp"
#include "algorithms/host/reduction_loop_program.hpp"
#include "base/arithmetic.hpp"
#include "quern/compilation.hpp"

namespace quern::algorithms {
namespace {

using codegen::HostLoop;

std::shared_ptr<const ReductionLoopProgram> program_of(const codegen::Expression& map, std::string_view name,
                                                       const ReductionLoops::Neutral& neutral, bool finds) {
  auto program = std::make_shared<ReductionLoopProgram>();
  if (map.outputs().size() != 1 || !make_program(map, program->map)) return nullptr;
  const codegen::Op* const op = codegen::find_op(name);
  const DType& item = map.dtype(map.outputs().front());
  program->finds = finds;
  program->itemsize = static_cast<std::uint32_t>(item.itemsize);
  program->neutral = neutral;
  if (finds) {
    program->fold = reducing_loop(HostLoop::Kind::first_of, op, item.scalar);
    program->column = reducing_loop(HostLoop::Kind::first_of_each, op, item.scalar);
  } else {
    program->lanes = reducing_loop(HostLoop::Kind::lanes, op, item.scalar);
    program->fold = reducing_loop(HostLoop::Kind::fold, op, item.scalar);
    program->column = host_loop(op, item.scalar, item.scalar);
  }
  const bool is_complete =
      program->fold != nullptr && program->column != nullptr && (finds || program->lanes != nullptr);
  return is_complete ? program : nullptr;
}

std::shared_ptr<PrecompiledKernels> kernels_of(const std::shared_ptr<const ReductionLoopProgram>& program) {
  return std::make_shared<PrecompiledKernels>("reduction", &run_reduction, program->scratch_bytes(), program);
}

// Joins two nests of loops. Blocks run along the inner ones.
codegen::IndexSpace joined(const codegen::IndexSpace& inner, const codegen::IndexSpace& outer) {
  codegen::IndexSpace space = inner;
  for (std::size_t d = 0; d < outer.rank(); ++d) {
    space.lengths.push_back(outer.lengths[d]);
    for (std::size_t b = 0; b < space.strides.size(); ++b) space.strides[b].push_back(outer.strides[b][d]);
  }
  return space;
}

codegen::Expression elements_of(const DType& item) {
  codegen::Expression expression;
  expression.output(expression.operand(item));
  return expression;
}

}  // namespace

std::shared_ptr<const ReductionLoops> ReductionLoops::of(const codegen::Expression& map, std::string_view op,
                                                         const Neutral& neutral) {
  auto loops = std::make_shared<ReductionLoops>();
  loops->item_ = map.dtype(map.outputs().front());
  loops->programs_ = {program_of(map, op, neutral, false),
                      program_of(elements_of(loops->item_), op, neutral, false)};
  for (std::size_t k = 0; k < 2; ++k) {
    if (!loops->programs_[k]) return nullptr;
    loops->kernels_[k] = kernels_of(loops->programs_[k]);
  }
  return loops;
}

std::shared_ptr<const ReductionLoops> ReductionLoops::finding(const codegen::Expression& map,
                                                              std::string_view op) {
  auto loops = std::make_shared<ReductionLoops>();
  loops->item_ = map.dtype(map.outputs().front());
  loops->programs_ = {program_of(map, op, {}, true), program_of(elements_of(loops->item_), op, {}, true)};
  for (std::size_t k = 0; k < 2; ++k) {
    if (!loops->programs_[k]) return nullptr;
    loops->kernels_[k] = kernels_of(loops->programs_[k]);
  }
  return loops;
}

bool ReductionLoops::are_best(bool is_of_parts) const {
  return !is_of_parts && !programs_[0]->map.randoms.empty();
}

std::optional<Event> ReductionLoops::launch(const Queue& queue, const ReductionPass& pass,
                                            std::span<const KernelArgument> arguments, bool is_of_parts,
                                            const Array& target, WaitList wait_for) const {
  return enqueue(queue, pass, arguments, is_of_parts ? 1 : 0, {&target, 1}, wait_for);
}

// The targets are: values; indices; values and indices; or indices and the array in which they are looked up.
std::optional<Event> ReductionLoops::enqueue(const Queue& queue, const ReductionPass& pass,
                                             std::span<const KernelArgument> arguments, std::size_t which,
                                             std::span<const Array> targets, WaitList wait_for) const {
  const ReductionLoopProgram& program = *programs_[which];
  const bool columns = pass.variant.scheme == codegen::ReductionScheme::columns;
  const codegen::IndexSpace space =
      columns ? joined(pass.kept, pass.reduced) : joined(pass.reduced, pass.kept);
  auto packed = pack_call(program.map, arguments, pass.bound, space, false);
  const auto kernel = kernels_[which]->get(queue);
  if (!kernel) return std::nullopt;
  const auto first = static_cast<std::int64_t>(packed.memory.size());
  const bool looks_up = program.finds && which == 1, has_values = !program.finds || pass.segments > 1;
  const ReductionCall call{&program,
                           pass.outputs,
                           pass.segments,
                           pass.chunk,
                           pass.total,
                           columns ? 1 : 0,
                           has_values ? first : -1,
                           program.finds ? first + (has_values ? 1 : 0) : -1,
                           looks_up ? first + 1 : -1};
  constexpr std::size_t kWords = sizeof call / sizeof(std::int64_t);
  packed.words.resize(packed.words.size() + kWords);
  std::memcpy(&packed.words[packed.words.size() - kWords], &call, sizeof call);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const bool is_read = looks_up && k == 1;
    packed.memory.push_back({&targets[k].buffer(), targets[k].offset(), targets[k].nbytes(), !is_read});
  }
  backend::LaunchShape shape;
  const auto outputs = static_cast<std::size_t>(pass.outputs),
             segments = static_cast<std::size_t>(pass.segments);
  shape.dims = 2;
  shape.global =
      columns ? std::array<std::size_t, 3>{divided_up(outputs, std::size_t{program.block()}), segments, 1}
              : std::array<std::size_t, 3>{outputs * segments, 1, 1};
  return kernel->launch(queue, shape, std::as_bytes(std::span(packed.words)), packed.memory, wait_for);
}

std::optional<Array> ReductionLoops::find(const Queue& queue, ReductionPass pass,
                                          std::span<const KernelArgument> arguments,
                                          const Shape& shape) const {
  const DType index = DType::of(Scalar::int64);
  Array out = empty(queue, shape, index);
  if (pass.segments == 1) {
    if (!enqueue(queue, pass, arguments, 0, {&out, 1}, {})) return std::nullopt;
    return out;
  }
  const std::int64_t parts = pass.segments * pass.outputs;
  const std::array<Array, 2> found = {empty(queue, {parts}, item_), empty(queue, {parts}, index)};
  if (!enqueue(queue, pass, arguments, 0, found, {})) return std::nullopt;
  // The partial results of one output are adjacent if rows were reduced, and a column if columns were
  // reduced.
  const bool columns = pass.variant.scheme == codegen::ReductionScheme::columns;
  ReductionPass last;
  last.variant.scheme = pass.variant.scheme;
  last.outputs = pass.outputs;
  last.total = last.chunk = pass.segments;
  last.reduced.lengths = {pass.segments};
  last.reduced.strides.push_back({columns ? pass.outputs : 1});
  last.kept.lengths = {pass.outputs};
  last.kept.strides.push_back({columns ? 1 : pass.segments});
  BoundOperand& operand = last.bound.emplace_back();
  operand.given = &found[0].buffer();
  operand.itemsize = item_.itemsize;
  operand.offset = found[0].offset();
  const std::array<Array, 2> targets = {out, found[1]};
  const std::array<KernelArgument, 1> values = {KernelArgument(found[0])};
  if (!enqueue(queue, last, values, 1, targets, {})) return std::nullopt;
  return out;
}

}  // namespace quern::algorithms
