// SPDX-License-Identifier: MIT
// How a device is divided into parts, for Device::split().
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "quern/api.hpp"

namespace QUERN_API quern {

// So many parts with the same number of compute units each, as many as possible. Remaining units are unused.
struct Equally {
  std::size_t parts = 1;
};

// One part for each entry, with this number of compute units. Remaining units are unused.
struct Counts {
  std::vector<std::size_t> compute_units;
};

// One part for each group of compute units that share a NUMA node, a level-3 cache or a core.
enum class AffinityDomain : std::uint8_t { numa, l3, core };

using Division = std::variant<Equally, Counts, AffinityDomain>;

}  // namespace quern
