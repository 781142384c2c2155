// SPDX-License-Identifier: MIT
// The kernel that runs an expression's loops on blocks of elements.
#include <algorithm>
#include <cstring>

#include "algorithms/loop_program.hpp"

namespace quern::algorithms {
namespace {

// As much as the widest element, moved without looking into it.
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
    auto* const out = reinterpret_cast<Word*>(to);
    for (std::size_t k = 0; k < count; ++k, from += from_stride) std::memcpy(&out[k], from, sizeof word);
    return;
  }
  for (std::size_t k = 0; k < count; ++k, to += to_stride, from += from_stride) {
    std::memcpy(&word, from, sizeof word);
    std::memcpy(to, &word, sizeof word);
  }
}

void copy_elements(std::size_t itemsize, std::byte* to, std::int64_t to_stride, const std::byte* from,
                   std::int64_t from_stride, std::size_t count) {
  const auto size = static_cast<std::int64_t>(itemsize);
  if (to_stride == size && from_stride == size) {
    std::memmove(to, from, itemsize * count);  // an array may be assigned to itself
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

// An argument of the call: a number, or elements in memory.
struct Operand {
  const std::int64_t* words;
  [[nodiscard]] std::int64_t pointer() const { return words[0]; }
  [[nodiscard]] std::int64_t offset() const { return words[1]; }
  [[nodiscard]] const void* number() const { return &words[1]; }
  [[nodiscard]] std::int64_t stride(std::int64_t d) const {
    return words[kOperandWords + static_cast<std::size_t>(d)];
  }
};

class Runner {
 public:
  explicit Runner(const quern_launch* launch)
      : launch_(launch),
        call_(static_cast<const LoopCall*>(launch->arguments[0])),
        program_(*call_->program),
        lengths_(reinterpret_cast<const std::int64_t*>(call_ + 1)),
        pointers_(static_cast<void**>(launch->local_memory)) {
    const std::size_t table = (program_.values.size() * sizeof(void*) + 127) / 128 * 128;
    blocks_ = static_cast<std::byte*>(launch->local_memory) + table;
    inner_.work_dim = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      inner_.global_size[d] = inner_.local_size[d] = inner_.group_count[d] = 1;
      inner_.global_offset[d] = 0;
    }
    inner_.runtime = launch->runtime;
    inner_.local_memory = inner_.exchange = nullptr;
    const auto most = std::min<std::uint64_t>(program_.block, launch->global_size[0]);
    for (std::size_t k = 0; k < program_.number_steps; ++k) {
      const LoopProgram::Value& value = program_.values[program_.steps[k].value];
      const Operand number = operand(value.argument);
      std::byte* const block = block_of(value);
      copy_elements(value.itemsize, block, value.itemsize, static_cast<const std::byte*>(number.number()), 0,
                    most);
      pointers_[program_.steps[k].value] = block;
    }
  }

  void run(std::uint64_t group) {
    find_block(group);
    inner_.global_size[0] = inner_.local_size[0] = count_;
    const auto count = static_cast<std::int64_t>(count_);
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      const LoopProgram::Output& output = program_.outputs[o];
      if (output.is_direct) {
        std::byte* const place = direct(operand(program_.arguments + o), program_.values[output.value]);
        pointers_[output.value] = place != nullptr ? place : block_of(program_.values[output.value]);
      }
    }
    for (std::size_t k = program_.number_steps; k < program_.steps.size(); ++k) {
      const LoopProgram::Step& step = program_.steps[k];
      const LoopProgram::Value& value = program_.values[step.value];
      if (step.function == nullptr) {
        load(step.value, value);
        continue;
      }
      if (!is_output(step.value)) pointers_[step.value] = block_of(value);
      const void* arguments[5];
      for (std::uint32_t a = 0; a < step.arity; ++a) arguments[a] = &pointers_[step.inputs[a]];
      arguments[step.arity] = &pointers_[step.value];
      arguments[step.arity + 1] = &count;
      inner_.arguments = arguments;
      step.function(&inner_, 0, 1);
    }
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      const LoopProgram::Output& output = program_.outputs[o];
      const LoopProgram::Value& value = program_.values[output.value];
      const auto* const from = static_cast<const std::byte*>(pointers_[output.value]);
      if (output.is_direct && from != block_of(value)) continue;  // it is there already
      store(operand(program_.arguments + o), value, from);
    }
  }

 private:
  const quern_launch* launch_;
  const LoopCall* call_;
  const LoopProgram& program_;
  const std::int64_t* lengths_;
  void** pointers_;  // by value: its block, or where it lies in memory
  std::byte* blocks_;
  quern_launch inner_;
  std::int64_t start_ = 0;     // the first element: in its row, or of all
  std::int64_t row_ = 0;       // its row
  std::uint64_t count_ = 0;

  [[nodiscard]] Operand operand(std::size_t argument) const {
    const auto rank = static_cast<std::size_t>(call_->rank);
    return {lengths_ + rank + argument * (kOperandWords + rank)};
  }
  [[nodiscard]] std::byte* block_of(const LoopProgram::Value& value) const {
    return blocks_ + static_cast<std::size_t>(value.slot) * program_.block;
  }
  [[nodiscard]] std::byte* memory(const Operand& operand) const {
    const void* const slot = launch_->arguments[1 + operand.pointer()];
    return *static_cast<std::byte* const*>(slot) + operand.offset();
  }
  [[nodiscard]] bool is_output(std::uint32_t value) const {
    return std::any_of(program_.outputs.begin(), program_.outputs.end(),
                       [&](const LoopProgram::Output& o) { return o.is_direct && o.value == value; });
  }

  void find_block(std::uint64_t group) {
    const auto block = static_cast<std::int64_t>(program_.block);
    const auto length = static_cast<std::int64_t>(launch_->global_size[0]);
    const auto in_row = static_cast<std::int64_t>(launch_->group_count[0]);
    row_ = static_cast<std::int64_t>(group) / in_row;
    start_ = static_cast<std::int64_t>(group) % in_row * block;
    count_ = static_cast<std::uint64_t>(std::min(block, length - start_));
  }

  // Where the block lies in memory as it is; null where it does not.
  [[nodiscard]] std::byte* direct(const Operand& operand, const LoopProgram::Value& value) const {
    std::int64_t step = value.itemsize;
    if (operand.stride(0) != step) return nullptr;
    if (call_->is_flat == 0) return memory(operand) + row_offset(operand) + start_ * step;
    for (std::int64_t d = 1; d < call_->rank; ++d) {
      step *= lengths_[d - 1];
      if (operand.stride(d) != step) return nullptr;
    }
    return memory(operand) + start_ * value.itemsize;
  }

  // Of rows: from the first element to the row's.
  [[nodiscard]] std::int64_t row_offset(const Operand& operand) const {
    std::int64_t rest = row_, offset = 0;
    for (std::int64_t d = 1; d < call_->rank; ++d) {
      offset += (d + 1 < call_->rank ? rest % lengths_[d] : rest) * operand.stride(d);
      rest /= lengths_[d];
    }
    return offset;
  }

  // f(the place of a run of elements in memory, its first element in the block, its length).
  template <class F>
  void for_each_run(const Operand& operand, const F& f) const {
    if (call_->is_flat == 0) {
      f(memory(operand) + row_offset(operand) + start_ * operand.stride(0), std::uint64_t{0}, count_);
      return;
    }
    std::int64_t index = start_;
    for (std::uint64_t done = 0; done < count_;) {
      std::int64_t rest = index / lengths_[0], offset = index % lengths_[0] * operand.stride(0);
      const auto run = std::min(count_ - done, static_cast<std::uint64_t>(lengths_[0] - index % lengths_[0]));
      for (std::int64_t d = 1; d < call_->rank; ++d) {
        offset += (d + 1 < call_->rank ? rest % lengths_[d] : rest) * operand.stride(d);
        rest /= lengths_[d];
      }
      f(memory(operand) + offset, done, run);
      done += run;
      index += static_cast<std::int64_t>(run);
    }
  }

  void load(std::uint32_t ref, const LoopProgram::Value& value) {
    std::byte* const block = block_of(value);
    if (value.kind == LoopProgram::Kind::index) {
      auto* const numbers = reinterpret_cast<std::int64_t*>(block);
      const std::int64_t first = call_->is_flat != 0 ? start_ : row_ * lengths_[0] + start_;
      for (std::uint64_t k = 0; k < count_; ++k) numbers[k] = first + static_cast<std::int64_t>(k);
      pointers_[ref] = block;
      return;
    }
    if (value.kind == LoopProgram::Kind::scalar) return;  // it is there since the beginning
    const Operand from = operand(value.argument);
    if (std::byte* const place = direct(from, value)) {
      pointers_[ref] = place;
      return;
    }
    for_each_run(from, [&](const std::byte* run, std::uint64_t first, std::uint64_t length) {
      copy_elements(value.itemsize, block + first * value.itemsize, value.itemsize, run, from.stride(0),
                    length);
    });
    pointers_[ref] = block;
  }

  void store(const Operand& to, const LoopProgram::Value& value, const std::byte* from) const {
    for_each_run(to, [&](std::byte* run, std::uint64_t first, std::uint64_t length) {
      copy_elements(value.itemsize, run, to.stride(0), from + first * value.itemsize, value.itemsize, length);
    });
  }
};

}  // namespace

void run_loops(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group) {
  Runner runner(launch);
  for (unsigned long long group = first_group; group < last_group; ++group) runner.run(group);
}

}  // namespace quern::algorithms
