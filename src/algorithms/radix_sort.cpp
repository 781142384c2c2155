// SPDX-License-Identifier: MIT
// Parts that the radix sort algorithms share, and the choice of the algorithm for a device.
#include "algorithms/radix_sort.hpp"

#include <algorithm>
#include <string>

#include "codegen/loop.hpp"

namespace quern::algorithms {

RadixEngine radix_engine_for(const DeviceProperties& device) {
  constexpr std::size_t kLeastGroup = 256;  // one work-item per digit
  if (codegen::loop_style(device) == codegen::LoopStyle::chunks || device.max_work_group_size < kLeastGroup)
    return RadixEngine::chunks;
  return device.groups_start_in_order && device.sub_group_size == 32 ? RadixEngine::sweep
                                                                     : RadixEngine::passes;
}

Event radix_sort(const Queue& queue, const RadixSort& sort, RadixEngine engine) {
  switch (engine) {
    case RadixEngine::sweep:
      return radix_sweep(queue, sort);
    case RadixEngine::passes:
      return radix_passes(queue, sort);
    case RadixEngine::chunks:
      break;
  }
  return radix_chunks(queue, sort);
}

Defines radix_defines(const RadixSort& sort, bool last_pass) {
  return codegen::radix_defines(sort.order, sort.has_values, sort.value_size,
                                last_pass ? sort.value_out_size : sort.value_size);
}

std::string radix_class(const RadixSort& sort) {
  const auto words = [](std::size_t size) { return std::max<std::size_t>(size / 4, 1); };
  return std::to_string(words(sort.order.size) + (sort.has_values ? words(sort.value_size) : 0));
}

unsigned radix_stage(const RadixSort& sort, unsigned pass, unsigned passes) {
  constexpr unsigned kFirstPass = 1, kLastPass = 2, kValuesArePositions = 4;
  return (pass == 0 ? kFirstPass : 0) | (pass + 1 == passes ? kLastPass : 0) |
         (pass == 0 && sort.are_positions ? kValuesArePositions : 0);
}

PingPong::PingPong(const Queue& queue, const RadixSort& sort, unsigned passes)
    : passes_(passes),
      keys_(sort.keys),
      keys_result_(sort.keys_out),
      values_(sort.values),
      values_result_(sort.values_out) {
  const auto share = [](const Buffer& a, const Buffer& b) {
    return !a.empty() && !b.empty() && a.allocation() == b.allocation() && a.offset() == b.offset();
  };
  if (keys_result_.empty()) keys_result_ = Buffer(queue, sort.n * sort.order.size);
  if (passes > 1 || share(keys_, keys_result_)) keys_scratch_ = Buffer(queue, sort.n * sort.order.size);
  if (sort.has_values && (passes > 1 || share(values_, values_result_)))
    values_scratch_ = Buffer(queue, sort.n * sort.value_size);
  // With an odd number of passes the first pass writes the result, which must not be the memory that it
  // reads.
  if (passes % 2 == 1 && share(keys_, keys_result_)) {
    queue.copy(keys_, keys_scratch_);
    keys_ = keys_scratch_;
  }
  if (passes % 2 == 1 && share(values_, values_result_)) {
    queue.copy(values_, values_scratch_);
    values_ = values_scratch_;
  }
}

const Buffer& PingPong::keys_in(unsigned pass) const {
  return pass == 0 ? keys_ : keys_out(pass - 1);
}

const Buffer& PingPong::keys_out(unsigned pass) const {
  return to_result(pass) ? keys_result_ : keys_scratch_;
}

const Buffer& PingPong::values_in(unsigned pass) const {
  // If values are positions, the first pass generates them and reads nothing.
  if (pass == 0) return values_.empty() ? values_out(0) : values_;
  return values_out(pass - 1);
}

const Buffer& PingPong::values_out(unsigned pass) const {
  return to_result(pass) ? values_result_ : values_scratch_;
}

}  // namespace quern::algorithms
