// SPDX-License-Identifier: MIT
// What is known about the origin of a part of a device, the names of parts, and memory that parts share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "quern/device.hpp"

namespace quern::detail {

class Allocation;
class QueueState;

struct PartOf {
  Device parent;
  std::string division;  // "4", "(3,1)" or "numa", as in the name
  std::size_t number;    // among the parts of the division
};

// Null for a whole device. The result is never destroyed.
const PartOf* part_of(const Device& device);
// "host[1 of 4]".
std::string spec_of(const PartOf& part);
// The part of the device that `rest` names, such as "[1 of 4][0 of (3,1)]". Throws DeviceNotFound, which
// quotes `spec`.
Device find_part(Device device, std::string_view rest, std::string_view spec);

// Whether a queue can use the memory in place: it is of the queue's context, or one of the two devices is a
// part of the other one's hardware, and the backend's parts share their memory.
bool is_within_reach(const Allocation& allocation, const QueueState& queue);

}  // namespace quern::detail
