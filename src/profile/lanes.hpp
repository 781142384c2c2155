// SPDX-License-Identifier: MIT
// Lanes of records for traces and pictures.
#pragma once

#include <span>
#include <vector>

#include "quern/profile.hpp"

namespace quern::profile {

// One lane or more for each queue, more if its operations overlap, and then those of waiting threads.
[[nodiscard]] std::vector<ProfileLane> lanes_of(std::span<const ProfileRecord> records);

// From the first start to the last end, in nanoseconds; equal if no record has times.
struct Span {
  std::int64_t begin = 0, end = 0;
};
[[nodiscard]] Span span_of(std::span<const ProfileRecord> records);

}  // namespace quern::profile
