// SPDX-License-Identifier: MIT
// Limits of Linux control groups, version 1 or 2, on this process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace quern::cgroup {

// CPU quota in processors; nothing if there is no limit.
std::optional<double> cpu_limit();

struct MemoryLimit {
  std::size_t limit = 0;
  std::size_t free = 0;  // until the limit is reached; file pages that can be dropped count as free
};

// The tightest limit of the group and its ancestors; nothing if there is no limit.
std::optional<MemoryLimit> memory_limit();

// Parsers of the files. cpu.max holds "max 100000" or "150000 100000".
std::optional<double> parse_cpu_max(const std::string& text);

}  // namespace quern::cgroup
