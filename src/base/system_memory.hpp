// SPDX-License-Identifier: MIT
// The memory of the machine.
#pragma once

#include <cstddef>

namespace quern {

struct SystemMemory {
  std::size_t total = 0, available = 0;  // bytes; includes the control group's limit
};

SystemMemory system_memory();  // current value

}  // namespace quern
