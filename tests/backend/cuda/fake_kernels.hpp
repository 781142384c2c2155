// SPDX-License-Identifier: MIT
// The kernels that the fake driver knows: functions that run once for each thread of a grid.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace fake {

struct Thread {
  unsigned block[3], dim[3], thread[3];
  [[nodiscard]] unsigned long long id(int d) const {
    return static_cast<unsigned long long>(block[d]) * dim[d] + thread[d];
  }
};

struct Kernel {
  const char* name;
  std::vector<std::size_t> sizes;
  std::function<void(const Thread&, void**)> body;
};
const std::vector<Kernel>& kernels();

// The priority of the work that the calling thread runs.
int& running_priority();

// Gives every later call of the driver this error, as a kernel that fails does.
void break_driver(int error);

}  // namespace fake
