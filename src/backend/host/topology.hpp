// SPDX-License-Identifier: MIT
// Where the processors of the host lie, and which of them form the parts of a device.
#pragma once

#include <span>
#include <vector>

#include "quern/parts.hpp"

namespace quern::backend::host {

struct Processor {
  int number = 0;                     // as the system counts
  int node = 0, cache = 0, core = 0;  // the lowest processor of its NUMA node, level-3 cache and core
};

// So many of these processors, on different cores if there are enough. They are in the order of their nodes,
// caches and cores, so that neighbours share as much as possible.
std::vector<Processor> choose_processors(std::span<const int> numbers, std::size_t count);

// The processors of each part. There are enough of them.
std::vector<std::vector<int>> divide(std::span<const Processor> processors, const Division& division);

}  // namespace quern::backend::host
