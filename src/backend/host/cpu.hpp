// SPDX-License-Identifier: MIT
// Properties of the processor and memory, read from the system without starting anything.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace quern::backend::host {

struct Cache {
  int level = 0;
  std::string type;  // "Data", "Instruction", "Unified"
  std::size_t size = 0;
  std::size_t line = 0;
};

struct Cpu {
  std::string name, vendor;
  std::string family, model, stepping;
  std::vector<std::string> flags;  // sorted
  std::vector<Cache> caches;       // of one core
  unsigned numa_nodes = 1;

  [[nodiscard]] bool has(const std::string& flag) const;
  [[nodiscard]] unsigned float_lanes() const;
  [[nodiscard]] std::size_t l2_size() const;  // bytes; 0 if unknown
  // Two processors with equal strings can run each other's -march=native code: "x86-64 avx2 ..."
  [[nodiscard]] std::string architecture() const;
};

const Cpu& cpu();  // read once

}  // namespace quern::backend::host
