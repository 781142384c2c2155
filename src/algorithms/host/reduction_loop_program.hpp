// SPDX-License-Identifier: MIT
// What a reduction by the host's loops does for each block of mapped elements, and the kernel that does it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "algorithms/host/loop_program.hpp"
#include "frontend/host_abi.h"

namespace quern::algorithms {

struct ReductionLoopProgram {
  LoopProgram map;  // its output is what is reduced
  // Loops of codegen::HostLoop: `lanes` and `fold` of rows and the operation itself of columns, or, where
  // indices are looked for, null, `first_of` and `first_of_each`.
  quern_kernel_function *lanes = nullptr, *fold = nullptr, *column = nullptr;
  bool finds = false;
  std::uint32_t itemsize = 0;
  std::array<std::byte, 16> neutral{};

  // Elements that are mapped at once, or results that are kept side by side: whole vectors of any type.
  [[nodiscard]] std::uint32_t block() const { return map.block / 128 * 128; }
  // Behind the map's own: results, then their indices.
  [[nodiscard]] std::size_t results_at() const { return (map.scratch_bytes() + 127) / 128 * 128; }
  [[nodiscard]] std::size_t indices_at() const { return results_at() + block() * std::size_t{itemsize}; }
  [[nodiscard]] std::size_t scratch_bytes() const { return indices_at() + block() * sizeof(std::int64_t); }
};

// Behind the words of LoopCall, whose loops are those of a result first where rows are reduced, those over
// the results first where columns are.
struct ReductionCall {
  const ReductionLoopProgram* program;
  std::int64_t outputs, segments, chunk, total;  // as the generated kernels have them
  std::int64_t is_columns;
  // Pointers, or -1: where results go, where indices go, and what indices are looked up in.
  std::int64_t values, indices, lookup;
};

// The kernel. Work-items: of rows the results and their segments, which are next to each other; of columns
// {blocks of results, segments}. Groups are single work-items.
void run_reduction(const quern_launch* launch, unsigned long long first_group, unsigned long long last_group);

}  // namespace quern::algorithms
