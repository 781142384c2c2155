// SPDX-License-Identifier: MIT
// What the control groups of Linux, version 1 or 2, leave this process of the machine.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace quern::cgroup {

// Processors' worth of time; nothing when there is no limit.
std::optional<double> cpu_limit();

struct MemoryLimit {
  std::size_t limit = 0;
  std::size_t free = 0;  // before the limit is reached, file pages that would be dropped counted as free
};

// The tightest of the group and its ancestors; nothing when there is no limit.
std::optional<MemoryLimit> memory_limit();

// The parsers behind them. cpu.max holds "max 100000" or "150000 100000".
std::optional<double> parse_cpu_max(const std::string& text);

}  // namespace quern::cgroup
