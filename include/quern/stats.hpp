// SPDX-License-Identifier: MIT
// Counters of the library, and the disk cache of compiled programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "quern/api.hpp"

namespace QUERN_API quern {

struct Stats {
  std::size_t bytes_in_use = 0;  // memory, over all devices
  std::size_t bytes_in_pool = 0;
  std::size_t bytes_peak = 0;
  std::uint64_t launches = 0;      // since the process started
  std::uint64_t compilations = 0;  // compiler runs
  std::uint64_t cache_hits_memory = 0;
  std::uint64_t cache_hits_disk = 0;
  // Plans and algorithms that are kept for later calls of libraries of others, the bytes that they take on
  // the host, and an estimate of those that they take on devices.
  std::size_t library_plans = 0, library_plan_bytes = 0, library_plan_device_bytes = 0;
  // Tables of Fourier transforms that are kept in device memory for later calls, and their bytes.
  std::size_t fft_tables = 0, fft_table_bytes = 0;
};
Stats stats();

struct CacheInfo {
  std::string folder;
  std::string problem;  // why the cache is not used; empty if it is used
  std::size_t entries = 0;
  std::uint64_t bytes = 0, limit = 0;
};
CacheInfo cache_info();
std::size_t cache_clear();                        // number of removed entries
std::size_t cache_prune(std::uint64_t to_bytes);  // removes the least recently used first

}  // namespace quern
