// SPDX-License-Identifier: MIT
// Reads /proc/meminfo and the control group's limit.
#include "base/system_memory.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/cgroup.hpp"

namespace quern {

SystemMemory system_memory() {
  SystemMemory memory;
  std::ifstream file("/proc/meminfo");
  std::string rest;
  for (std::string key, number; file >> key >> number;) {
    std::getline(file, rest);
    const std::size_t value = std::strtoull(number.c_str(), nullptr, 10);  // in KiB
    if (key == "MemTotal:") memory.total = value << 10;
    if (key == "MemAvailable:") {
      memory.available = value << 10;
      break;
    }
  }
  if (struct sysinfo info = {}; memory.total == 0 && sysinfo(&info) == 0) {  // no /proc
    memory.total = info.totalram * info.mem_unit;
    memory.available = info.freeram * info.mem_unit;
  }
  if (const auto limit = cgroup::memory_limit()) {
    memory.total = std::min(memory.total, limit->limit);
    memory.available = std::min(memory.available, limit->free);
  }
  return memory;
}

}  // namespace quern
