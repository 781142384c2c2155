// SPDX-License-Identifier: MIT
// The kernel that reduces an expression block by block.
#include <algorithm>
#include <cstring>

#include "algorithms/host/block_evaluator.hpp"
#include "algorithms/host/reduction_loop_program.hpp"
#include "codegen/host_loops.hpp"

namespace quern::algorithms {
namespace {

class Reducer {
 public:
  Reducer(const quern_launch* launch, const ReductionCall& call)
      : launch_(launch),
        call_(call),
        program_(*call.program),
        block_(program_.block()),
        lanes_(static_cast<std::int64_t>(codegen::reduction_lanes(program_.itemsize))),
        evaluator_(launch, program_.block()),
        results_(static_cast<std::byte*>(launch->local_memory) + program_.results_at()),
        indices_(reinterpret_cast<std::int64_t*>(static_cast<std::byte*>(launch->local_memory) +
                                                 program_.indices_at())) {}

  // Reduces rows. Work-items are numbered result by result, with the segments of a result consecutive.
  void rows(std::int64_t first, std::int64_t last) {
    const std::int64_t total = call_.total;
    if (call_.segments == 1 && total > 0 && 2 * total <= block_) {
      // Several short rows are mapped together.
      const std::int64_t together = block_ / total;
      for (std::int64_t o = first; o < last; o += together) {
        const std::int64_t count = std::min(together, last - o);
        evaluator_.evaluate(o * total, static_cast<std::uint64_t>(count * total));
        const std::byte* values = evaluator_.result(0);
        for (std::int64_t k = 0; k < count; ++k, values += total * program_.itemsize) {
          start(1);
          reduce_row(values, total, 0, 0, total);
          finish_row(o + k, 0);
        }
      }
      return;
    }
    for (std::int64_t id = first; id < last; ++id) {
      const std::int64_t o = id / call_.segments, segment = id % call_.segments;
      const std::int64_t begin = segment * call_.chunk, end = std::min(begin + call_.chunk, total);
      start(1);
      for (std::int64_t at = begin; at < end;) {
        const std::int64_t count = std::min(block_, end - at);
        evaluator_.evaluate(o * total + at, static_cast<std::uint64_t>(count));
        reduce_row(evaluator_.result(0), count, at, begin, end);
        at += count;
      }
      finish_row(o, segment);
    }
  }

  // Reduces a block of adjacent results.
  void columns(std::int64_t number, std::int64_t segment) {
    const std::int64_t first = number * block_, count = std::min(block_, call_.outputs - first);
    const std::int64_t begin = segment * call_.chunk, end = std::min(begin + call_.chunk, call_.total);
    const std::int64_t together =
        count == call_.outputs ? block_ / count : 1;  // rows that are mapped together
    start(count);
    for (std::int64_t r = begin; r < end; r += together) {
      const std::int64_t rows = std::min(together, end - r);
      evaluator_.evaluate(r * call_.outputs + first, static_cast<std::uint64_t>(rows * count));
      const std::byte* values = evaluator_.result(0);
      for (std::int64_t k = 0; k < rows; ++k, values += count * program_.itemsize) {
        const void *from = values, *to = results_, *at = indices_;
        const std::int64_t row = r + k;
        if (program_.finds) {
          call(program_.column, {&from, &to, &at, &count, &row}, count);
        } else {
          call(program_.column, {&to, &from, &to, &count}, count);
        }
      }
    }
    for (std::int64_t k = 0; k < count; ++k)
      if (call_.indices >= 0) store_index(segment * call_.outputs + first + k, first + k, indices_[k]);
    if (call_.values >= 0)
      std::memcpy(memory(call_.values) + (segment * call_.outputs + first) * program_.itemsize, results_,
                  static_cast<std::size_t>(count) * program_.itemsize);
  }

 private:
  const quern_launch* launch_;
  const ReductionCall& call_;
  const ReductionLoopProgram& program_;
  const std::int64_t block_, lanes_;
  BlockEvaluator evaluator_;
  std::byte* results_;  // for a row: one result per lane
  std::int64_t* indices_;
  alignas(16) std::array<std::byte, 16> single_{};
  bool is_single_ = false;  // the lanes are combined

  [[nodiscard]] std::byte* memory(std::int64_t pointer) const {
    return *static_cast<std::byte* const*>(launch_->arguments[1 + pointer]);
  }

  void call(quern_kernel_function* function, std::initializer_list<const void*> arguments,
            std::int64_t items) {
    evaluator_.call(function, {arguments.begin(), arguments.size()}, static_cast<std::uint64_t>(items));
  }

  void start(std::int64_t count) {
    const std::int64_t most = program_.finds || call_.is_columns != 0 ? count : lanes_;
    copy_elements(program_.itemsize, results_, program_.itemsize, program_.neutral.data(), 0,
                  static_cast<std::size_t>(most));
    if (program_.finds) std::fill_n(indices_, count, -1);
    single_ = program_.neutral;
    is_single_ = false;
  }

  // Reduces `count` elements from number `at` on, of a row's elements from `begin` to `end`: by lanes while
  // they are full, then one at a time.
  void reduce_row(const std::byte* values, std::int64_t count, std::int64_t at, std::int64_t begin,
                  std::int64_t end) {
    const void *from = values, *to = results_, *index = indices_;
    if (program_.finds) {
      call(program_.fold, {&from, &to, &index, &count, &at}, 1);
      return;
    }
    const std::int64_t full = begin + (end - begin) / lanes_ * lanes_;
    const std::int64_t in_lanes = std::clamp<std::int64_t>(full - at, 0, count), rest = count - in_lanes;
    if (in_lanes > 0) call(program_.lanes, {&from, &to, &in_lanes}, 1);
    if (rest == 0) return;
    join_lanes(full > begin);
    from = values + in_lanes * program_.itemsize;
    to = single_.data();
    call(program_.fold, {&from, &to, &rest}, 1);
  }

  void join_lanes(bool are_used) {
    if (is_single_) return;
    is_single_ = true;
    if (!are_used) return;
    const void *from = results_, *to = single_.data();
    call(program_.fold, {&from, &to, &lanes_}, 1);
  }

  void finish_row(std::int64_t o, std::int64_t segment) {
    const std::int64_t place = o * call_.segments + segment;
    if (program_.finds) {
      if (call_.indices >= 0) store_index(place, o, indices_[0]);
      if (call_.values >= 0)
        std::memcpy(memory(call_.values) + place * program_.itemsize, results_, program_.itemsize);
      return;
    }
    const std::int64_t begin = segment * call_.chunk, end = std::min(begin + call_.chunk, call_.total);
    join_lanes(end - begin >= lanes_);
    std::memcpy(memory(call_.values) + place * program_.itemsize, single_.data(), program_.itemsize);
  }

  // For partial results, stores the index that belongs to the one that was found.
  void store_index(std::int64_t place, std::int64_t o, std::int64_t found) const {
    if (call_.lookup >= 0) {
      const std::int64_t part = call_.is_columns != 0 ? found * call_.outputs + o : o * call_.total + found;
      found = reinterpret_cast<const std::int64_t*>(memory(call_.lookup))[part];
    }
    reinterpret_cast<std::int64_t*>(memory(call_.indices))[place] = found;
  }
};

}  // namespace

void run_reduction(const quern_launch* launch, unsigned long long first_group,
                   unsigned long long last_group) {
  const auto* const loops = static_cast<const LoopCall*>(launch->arguments[0]);
  const auto rank = static_cast<std::size_t>(loops->rank);
  const std::size_t words = rank + loops->program->arguments * (kOperandWords + rank);
  const auto* const end = reinterpret_cast<const std::int64_t*>(loops + 1) + words;
  const auto& call = *reinterpret_cast<const ReductionCall*>(end);
  Reducer reducer(launch, call);
  const auto first = static_cast<std::int64_t>(first_group), last = static_cast<std::int64_t>(last_group);
  if (call.is_columns == 0) return reducer.rows(first, last);
  const auto blocks = static_cast<std::int64_t>(launch->group_count[0]);
  for (std::int64_t group = first; group < last; ++group) reducer.columns(group % blocks, group / blocks);
}

}  // namespace quern::algorithms
