// SPDX-License-Identifier: MIT
// Part of a device's memory, as an argument of a library.
#pragma once

#include <cstdint>

#include "quern/buffer.hpp"

namespace quern::libraries {

// Part of a buffer, from this byte on.
struct DevicePart {
  const Buffer* buffer;
  std::int64_t start = 0;
};

}  // namespace quern::libraries
