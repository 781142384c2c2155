// SPDX-License-Identifier: MIT
// Counters, gathered from where they are counted.
#include "quern/stats.hpp"

#include "base/disk_store.hpp"
#include "runtime/builder.hpp"
#include "runtime/context_state.hpp"
#include "runtime/kept_counts.hpp"
#include "runtime/launch.hpp"

namespace quern {

Stats stats() {
  Stats result;
  for (const auto& context : detail::live_contexts()) {
    for (std::size_t device = 0; device < context->devices().size(); ++device) {
      const PoolStats pool = context->pool(device).stats();
      result.bytes_in_use += pool.in_use;
      result.bytes_in_pool += pool.in_pool;
      result.bytes_peak += pool.peak;
    }
  }
  const detail::BuildCounts builds = detail::build_counts();
  result.launches = detail::launch_count();
  result.compilations = builds.compilations;
  result.cache_hits_memory = builds.memory_hits;
  result.cache_hits_disk = builds.disk_hits;
  result.library_plans = detail::library_plans.entries.load();
  result.library_plan_bytes = detail::library_plans.bytes.load();
  result.library_plan_device_bytes = detail::library_plans.device_bytes.load();
  result.fft_tables = detail::fft_tables.entries.load();
  result.fft_table_bytes = detail::fft_tables.device_bytes.load();
  return result;
}

CacheInfo cache_info() {
  const DiskStore& store = DiskStore::standard();
  const DiskStore::Usage usage = store.usage();
  return {store.folder(), store.problem(), usage.entries, usage.bytes, usage.limit};
}

std::size_t cache_clear() {
  return DiskStore::standard().clear();
}

std::size_t cache_prune(std::uint64_t to_bytes) {
  return DiskStore::standard().prune(to_bytes);
}

}  // namespace quern
