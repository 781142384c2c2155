// SPDX-License-Identifier: MIT
// Counts how often each stage of the front end has run in this process.
#pragma once

#include <cstdint>

namespace quern::frontend {

enum class Stage : std::uint8_t { preprocess, parse, lower };

struct StageCounts {
  std::uint64_t preprocess = 0, parse = 0, lower = 0;
};
StageCounts stage_counts() noexcept;

// Called by the stage itself, once for each run.
void count_stage(Stage stage) noexcept;

}  // namespace quern::frontend
