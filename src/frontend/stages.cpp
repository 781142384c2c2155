// SPDX-License-Identifier: MIT
// The counters of the front end's stages.
#include "frontend/stages.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace quern::frontend {
namespace {

std::array<std::atomic<std::uint64_t>, 3> counts{};

std::uint64_t count_of(Stage stage) noexcept {
  return counts[static_cast<std::size_t>(stage)].load(std::memory_order_relaxed);
}

}  // namespace

void count_stage(Stage stage) noexcept {
  counts[static_cast<std::size_t>(stage)].fetch_add(1, std::memory_order_relaxed);
}

StageCounts stage_counts() noexcept {
  return {count_of(Stage::preprocess), count_of(Stage::parse), count_of(Stage::lower)};
}

}  // namespace quern::frontend
