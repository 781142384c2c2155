// SPDX-License-Identifier: MIT
// Evaluates an expression for a block of elements, one operation after the other.
#include "algorithms/host/block_evaluator.hpp"

#include <algorithm>
#include <cstring>

namespace quern::algorithms {
namespace {

// Memory for the widest element type.
struct Wide {
  std::uint64_t words[2];
};

template <class Word>
void copy_words(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                std::size_t count) {
  Word word;
  if (from_stride == 0) {
    std::memcpy(&word, from, sizeof word);
    for (std::size_t k = 0; k < count; ++k, to += to_stride) std::memcpy(to, &word, sizeof word);
    return;
  }
  if (to_stride == sizeof(Word)) {
    for (std::size_t k = 0; k < count; ++k, from += from_stride)
      std::memcpy(to + k * sizeof word, from, sizeof word);
    return;
  }
  for (std::size_t k = 0; k < count; ++k, to += to_stride, from += from_stride) {
    std::memcpy(&word, from, sizeof word);
    std::memcpy(to, &word, sizeof word);
  }
}

}  // namespace

void copy_elements(std::size_t itemsize, std::byte* to, std::int64_t to_stride, const std::byte* from,
                   std::int64_t from_stride, std::size_t count) {
  const auto size = static_cast<std::int64_t>(itemsize);
  if (to_stride == size && from_stride == size) {
    // Source and target may overlap: an array may be assigned to itself.
    std::memmove(to, from, itemsize * count);
    return;
  }
  switch (itemsize) {
    case 1:
      return copy_words<std::uint8_t>(to, to_stride, from, from_stride, count);
    case 2:
      return copy_words<std::uint16_t>(to, to_stride, from, from_stride, count);
    case 4:
      return copy_words<std::uint32_t>(to, to_stride, from, from_stride, count);
    case 8:
      return copy_words<std::uint64_t>(to, to_stride, from, from_stride, count);
    default:
      return copy_words<Wide>(to, to_stride, from, from_stride, count);
  }
}

BlockEvaluator::BlockEvaluator(const quern_launch* launch, std::uint64_t most)
    : launch_(launch),
      call_(static_cast<const LoopCall*>(launch->arguments[0])),
      program_(*call_->program),
      lengths_(reinterpret_cast<const std::int64_t*>(call_ + 1)),
      pointers_(static_cast<void**>(launch->local_memory)),
      blocks_(static_cast<std::byte*>(launch->local_memory) + program_.table_bytes()) {
  inner_.work_dim = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    inner_.global_size[d] = inner_.local_size[d] = inner_.group_count[d] = 1;
    inner_.global_offset[d] = 0;
  }
  inner_.runtime = launch->runtime;
  inner_.local_memory = inner_.exchange = nullptr;
  for (std::size_t k = 0; k < program_.number_steps; ++k) {
    const LoopProgram::Value& value = program_.values[program_.steps[k].value];
    std::byte* const block = block_of(value);
    const auto* const number = static_cast<const std::byte*>(operand(value.argument).number());
    copy_elements(value.itemsize, block, value.itemsize, number, 0, most);
    pointers_[program_.steps[k].value] = block;
  }
}

void BlockEvaluator::evaluate(std::int64_t start, std::uint64_t count) {
  start_ = start;
  count_ = count;
  for (std::size_t k = program_.number_steps; k < program_.steps.size(); ++k) {
    const LoopProgram::Step& step = program_.steps[k];
    const LoopProgram::Value& value = program_.values[step.value];
    if (step.function == nullptr) {
      load(step.value, value);
      continue;
    }
    std::byte* place = nullptr;
    if (step.output >= 0 && call_->stores != 0)
      place = direct(operand(program_.arguments + static_cast<std::size_t>(step.output)), value);
    pointers_[step.value] = place != nullptr ? place : block_of(value);
    if (value.kind == LoopProgram::Kind::random) {
      draw(step, value);
      continue;
    }
    const void* arguments[5];
    for (std::uint32_t a = 0; a < step.arity; ++a) arguments[a] = &pointers_[step.inputs[a]];
    arguments[step.arity] = &pointers_[step.value];
    arguments[step.arity + 1] = &count;
    call(step.function, {arguments, step.arity + 2}, count);
  }
}

void BlockEvaluator::call(quern_kernel_function* function, std::span<const void* const> arguments,
                          std::uint64_t items) {
  inner_.global_size[0] = inner_.local_size[0] = items;
  inner_.arguments = arguments.data();
  function(&inner_, 0, 1);
}

void BlockEvaluator::store_outputs() {
  for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
    const std::uint32_t ref = program_.outputs[o];
    const LoopProgram::Value& value = program_.values[ref];
    const auto* const from = static_cast<const std::byte*>(pointers_[ref]);
    const Operand to = operand(program_.arguments + o);
    if (direct(to, value) == from) continue;  // the result is already there
    for_each_run(to, [&](std::byte* run, std::uint64_t first, std::uint64_t length) {
      copy_elements(value.itemsize, run, to.stride(0), from + first * value.itemsize, value.itemsize, length);
    });
  }
}

BlockEvaluator::Operand BlockEvaluator::operand(std::size_t argument) const {
  const auto rank = static_cast<std::size_t>(call_->rank);
  return {lengths_ + rank + argument * (kOperandWords + rank)};
}

std::byte* BlockEvaluator::block_of(const LoopProgram::Value& value) const {
  return blocks_ + static_cast<std::size_t>(value.slot) * program_.block;
}

std::byte* BlockEvaluator::memory(const Operand& operand) const {
  return *static_cast<std::byte* const*>(launch_->arguments[1 + operand.pointer()]) + operand.offset();
}

std::int64_t BlockEvaluator::offset_of(const Operand& operand, std::int64_t index) const {
  std::int64_t offset = 0;
  for (std::int64_t d = 0; d + 1 < call_->rank; ++d) {
    offset += index % lengths_[d] * operand.stride(d);
    index /= lengths_[d];
  }
  return offset + index * operand.stride(call_->rank - 1);
}

std::byte* BlockEvaluator::direct(const Operand& operand, const LoopProgram::Value& value) const {
  std::int64_t step = value.itemsize, reach = lengths_[0] - start_ % lengths_[0];
  if (operand.stride(0) != step) return nullptr;
  // Rows without gaps between them count as one.
  const std::int64_t rank = call_->rank, count = static_cast<std::int64_t>(count_);
  for (std::int64_t d = 1; d < rank && count > reach; ++d) {
    step *= lengths_[d - 1];
    if (operand.stride(d) != step) return nullptr;
    std::int64_t row = 1;
    for (std::int64_t e = 0; e <= d; ++e) row *= lengths_[e];
    reach = row - start_ % row;
  }
  return memory(operand) + offset_of(operand, start_);
}

template <class F>
void BlockEvaluator::for_each_run(const Operand& operand, const F& f) const {
  std::int64_t index = start_;
  for (std::uint64_t done = 0; done < count_;) {
    const auto run = std::min(count_ - done, static_cast<std::uint64_t>(lengths_[0] - index % lengths_[0]));
    f(memory(operand) + offset_of(operand, index), done, run);
    done += run;
    index += static_cast<std::int64_t>(run);
  }
}

void BlockEvaluator::draw(const LoopProgram::Step& step, const LoopProgram::Value& value) {
  const LoopProgram::Random& random = program_.randoms[value.argument];
  const auto number = [&](std::size_t k) { return operand(random.arguments[k]).number(); };
  struct alignas(16) Words {
    std::uint32_t words[4];
  };
  std::uint64_t first = 0;
  Words start{}, key{};
  std::memcpy(&first, number(0), sizeof first);
  std::memcpy(&start.words[2], number(1), sizeof start.words[2]);  // the stream number
  std::memcpy(&key.words[0], number(2), 8);
  std::memcpy(&key.words[2], number(3), 8);
  if (random.starts_block) first *= random.block_elements;
  first += static_cast<std::uint64_t>(start_);
  const std::uint64_t block = first / random.block_elements;
  std::memcpy(start.words, &block, sizeof block);
  constexpr std::uint64_t kTile = 16;  // in blocks; TILE of random_fill.cl
  const auto shift = static_cast<std::int32_t>(first % random.block_elements);
  const std::uint64_t in_tile = kTile * random.block_elements;
  const auto tiles =
      static_cast<std::int32_t>((count_ + static_cast<std::uint64_t>(shift) + in_tile - 1) / in_tile);
  const auto count = static_cast<std::int32_t>(count_);
  const std::uint64_t offset = 0;
  const void* const arguments[] = {&pointers_[step.value],
                                   &offset,
                                   &tiles,
                                   &tiles,
                                   &count,
                                   &start,
                                   &key,
                                   &shift,
                                   number(4),
                                   number(5),
                                   number(6)};
  call(step.function, arguments, 1);
}

void BlockEvaluator::load(std::uint32_t ref, const LoopProgram::Value& value) {
  std::byte* const block = block_of(value);
  pointers_[ref] = block;
  if (value.kind == LoopProgram::Kind::index) {
    auto* const numbers = reinterpret_cast<std::int64_t*>(block);
    for (std::uint64_t k = 0; k < count_; ++k) numbers[k] = start_ + static_cast<std::int64_t>(k);
    return;
  }
  const Operand from = operand(value.argument);
  if (std::byte* const place = direct(from, value)) {
    pointers_[ref] = place;
    return;
  }
  for_each_run(from, [&](const std::byte* run, std::uint64_t first, std::uint64_t length) {
    copy_elements(value.itemsize, block + first * value.itemsize, value.itemsize, run, from.stride(0),
                  length);
  });
}

}  // namespace quern::algorithms
