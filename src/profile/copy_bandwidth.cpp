// SPDX-License-Identifier: MIT
// The copy bandwidth of a device, the limit to which a profile compares kernels.
#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "profile/collection.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern {
namespace {

double measure(const Device& device) {
  // Larger than any cache, small compared with the memory.
  const DeviceProperties& properties = device.properties();
  const std::size_t wanted = std::size_t{properties.kind == DeviceKind::gpu ? 256U : 64U} << 20;
  const std::size_t size = std::min({wanted, properties.max_allocation, properties.global_memory / 8});
  const Queue queue(device, {.profiling = true});
  const Buffer source(queue, size), target(queue, size);
  const std::array<std::byte, 1> one{std::byte{1}};
  queue.fill(source, one);
  queue.fill(target, one);
  std::int64_t shortest = INT64_MAX;
  for (int turn = 0; turn < 8; ++turn) {
    const Times times = queue.copy(source, target).times();
    shortest = std::min(shortest, times.ended - times.started);
  }
  return 2e9 * static_cast<double>(size) / static_cast<double>(std::max<std::int64_t>(shortest, 1));
}

}  // namespace

double copy_bandwidth(const Device& device) {
  static std::mutex mutex;  // one measurement at a time, because two would slow each other
  static std::vector<std::pair<Device, double>> known;
  const std::lock_guard lock(mutex);
  for (const auto& [one, bandwidth] : known)
    if (one == device) return bandwidth;
  const profile::Unrecorded unrecorded;
  known.emplace_back(device, measure(device));
  return known.back().second;
}

}  // namespace quern
