// SPDX-License-Identifier: MIT
// Translates an expression into steps: looks up loops, and assigns scratch memory. Values that are not live
// at the same time share memory.
#include "algorithms/host/loop_program.hpp"

#include <algorithm>

#include "algorithms/host/host_loop_table.hpp"
#include "codegen/random_loops.hpp"

namespace quern::algorithms {
namespace {

using codegen::Expression;

quern_kernel_function* function_of(const Expression& expression, const Expression::Value& value) {
  if (value.kind == LoopProgram::Kind::where) return choosing_loop(value.dtype.itemsize);
  const bool is_first_whole = value.kind == LoopProgram::Kind::apply && value.op->integer_operand == 0;
  const Scalar operand = expression.dtype(value.inputs[is_first_whole ? 1 : 0]).scalar;
  return host_loop(value.kind == LoopProgram::Kind::apply ? value.op : nullptr, operand, value.dtype.scalar);
}

// Allocates blocks of scratch memory and reuses freed ones.
class Slots {
 public:
  std::uint32_t take(std::uint8_t itemsize) {
    // The narrowest free block that is wide enough.
    auto best = free_.end();
    for (auto slot = free_.begin(); slot != free_.end(); ++slot)
      if (slot->width >= itemsize && (best == free_.end() || slot->width < best->width)) best = slot;
    Slot slot{total_, itemsize};
    if (best == free_.end()) {
      total_ += itemsize;
    } else {
      slot = *best;
      free_.erase(best);
    }
    return taken_.emplace_back(slot).at;
  }
  void give_back(std::uint32_t at) {
    const auto slot = std::find_if(taken_.begin(), taken_.end(), [&](const Slot& s) { return s.at == at; });
    free_.push_back(*slot);
    taken_.erase(slot);
  }
  [[nodiscard]] std::uint32_t total() const { return total_; }

 private:
  struct Slot {
    std::uint32_t at;
    std::uint8_t width;
  };
  std::vector<Slot> free_, taken_;
  std::uint32_t total_ = 0;
};

// All blocks together fit the second-level cache of any processor, and usually the first-level cache.
constexpr std::uint32_t kScratchBytes = 48 << 10;
constexpr std::uint32_t kLongestBlock = 4096, kShortestBlock = 256;

}  // namespace

std::size_t LoopProgram::scratch_bytes() const {
  return table_bytes() + static_cast<std::size_t>(bytes_per_element) * block;
}

bool make_program(const Expression& expression, LoopProgram& program) {
  const auto count = static_cast<std::uint32_t>(expression.size());
  program.values.resize(count);
  std::vector<std::uint32_t> last_use(count, 0);
  std::vector<LoopProgram::Step> steps;
  std::vector<bool> is_loaded(count, false);
  // An operand is loaded just before its first use.
  const auto load = [&](std::uint32_t ref, std::vector<LoopProgram::Step>& into) {
    if (is_loaded[ref]) return;
    is_loaded[ref] = true;
    into.push_back({nullptr, {}, 0, ref, -1});
  };
  // Values that only random numbers use need no block.
  for (std::uint32_t ref = 0; ref < count; ++ref) {
    const Expression::Value value = expression.value(ref);
    if (value.kind != LoopProgram::Kind::random) continue;
    const auto parameters = value.inputs.subspan(1);
    for (const Expression::Ref input : parameters) is_loaded[input] = true;
  }
  for (std::uint32_t ref = 0; ref < count; ++ref) {
    const Expression::Value value = expression.value(ref);
    program.values[ref] = {value.kind, static_cast<std::uint8_t>(value.dtype.itemsize),
                           static_cast<std::uint32_t>(value.argument), 0};
    if (value.kind == LoopProgram::Kind::operand || value.kind == LoopProgram::Kind::scalar)
      ++program.arguments;
    if (value.kind == LoopProgram::Kind::scalar) load(ref, program.steps);
    if (value.inputs.empty()) continue;
    if (value.kind == LoopProgram::Kind::random) {
      LoopProgram::Random random{value.form->block_elements(), value.form->starts_block, {}};
      for (std::size_t k = 0; k < random.arguments.size(); ++k)
        random.arguments[k] = program.values[value.inputs[k + 1]].argument;
      program.values[ref].argument = static_cast<std::uint32_t>(program.randoms.size());
      program.randoms.push_back(random);
      is_loaded[ref] = true;
      steps.push_back({random_loop(codegen::random_loop_name(*value.form)), {}, 0, ref, -1});
      continue;
    }
    LoopProgram::Step step{function_of(expression, value), {}, 0, ref, -1};
    if (step.function == nullptr) return false;
    for (const Expression::Ref input : value.inputs) {
      load(input, steps);
      step.inputs[step.arity++] = input;
    }
    is_loaded[ref] = true;
    steps.push_back(step);
  }
  program.number_steps = program.steps.size();
  for (const Expression::Ref output : expression.outputs()) {
    load(output, steps);
    for (LoopProgram::Step& step : steps)
      if (step.value == output && step.output < 0)
        step.output = static_cast<std::int32_t>(program.outputs.size());
    program.outputs.push_back(output);
    last_use[output] = static_cast<std::uint32_t>(steps.size());  // stored after the last step
  }
  for (std::uint32_t at = 0; at < steps.size(); ++at)
    for (std::uint32_t k = 0; k < steps[at].arity; ++k)
      last_use[steps[at].inputs[k]] = std::max(last_use[steps[at].inputs[k]], at);

  Slots slots;
  for (const LoopProgram::Step& step : program.steps)
    program.values[step.value].slot = slots.take(program.values[step.value].itemsize);
  for (std::uint32_t at = 0; at < steps.size(); ++at) {
    const LoopProgram::Step& step = steps[at];
    // A result does not overwrite its operands: a narrow result would overwrite later elements of a wide
    // operand.
    program.values[step.value].slot = slots.take(program.values[step.value].itemsize);
    for (std::uint32_t k = 0; k < step.arity; ++k) {
      const std::uint32_t input = step.inputs[k];
      const bool again =
          std::find(step.inputs.begin(), step.inputs.begin() + k, input) != step.inputs.begin() + k;
      if (!again && last_use[input] == at && program.values[input].kind != LoopProgram::Kind::scalar)
        slots.give_back(program.values[input].slot);
    }
  }
  program.steps.insert(program.steps.end(), steps.begin(), steps.end());
  program.bytes_per_element = slots.total();
  program.block =
      std::clamp(kScratchBytes / std::max(slots.total(), 1U) / 64 * 64, kShortestBlock, kLongestBlock);
  return true;
}

}  // namespace quern::algorithms
