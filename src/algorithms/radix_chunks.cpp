// SPDX-License-Identifier: MIT
// Radix sort for CPUs: buckets that fit a core's cache, then each of them by one work-item.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/host/precompiled_kernel.hpp"
#include "algorithms/host/sort_loops.hpp"
#include "algorithms/radix_sort.hpp"

namespace quern::algorithms {
namespace {

// As radix_chunks.cl has them.
constexpr std::size_t kBins = 2048, kBuckets = 1024;
// Below this the buckets cost more than they bring.
constexpr std::size_t kShort = std::size_t{1} << 13;
constexpr std::size_t kMostInChunks = (std::size_t{1} << 31) - 1;

}  // namespace

Event radix_chunks(const Queue& queue, const RadixSort& sort) {
  if (prefers_precompiled(queue, sort.n * sort.rows)) return sort_by_loops(queue, sort);
  const bool wide = sort.n > kMostInChunks;
  const std::size_t index_size = wide ? 8 : 4, n = sort.n, all = sort.n * sort.rows;
  Defines defines = radix_defines(sort);
  defines.emplace_back("INDEX", wide ? "ulong" : "uint");
  const auto kernel = [&](const char* name) {
    return kernel_of({"radix_keys", "radix_chunks"}, name, defines);
  };

  const Buffer room(queue, all * sort.order.size);
  const Buffer keys_out = sort.keys_out.empty() ? Buffer(queue, all * sort.order.size) : sort.keys_out;
  const Buffer values_room = sort.has_values ? Buffer(queue, all * sort.value_size) : Buffer();
  // Positions are counted: there is nothing to read.
  const Buffer& values = sort.values.empty() ? values_room : sort.values;
  const unsigned positions = sort.are_positions ? 1 : 0;

  if (n <= kShort || sort.rows > 1) {
    std::vector<KernelArgument> arguments = {sort.keys, room, keys_out};
    if (sort.has_values) arguments.insert(arguments.end(), {values, values_room, sort.values_out, positions});
    arguments.insert(arguments.end(), {n, sort.order.flip});
    return kernel("radix_rows").launch(queue, range(sort.rows).with_local(1), arguments);
  }

  // A few chunks for each core, so that one that is slow does not keep the others waiting; less than 2^32
  // keys in each, as they are counted in 32 bits.
  const std::size_t wanted =
      std::max<std::size_t>(std::size_t{queue.device().properties().compute_units} * 4, n >> 31);
  const std::size_t chunk = std::max<std::size_t>((n + wanted - 1) / wanted, kShort / 2);
  const std::size_t chunks = (n + chunk - 1) / chunk;
  const Range each_chunk = range(chunks).with_local(1);

  const Buffer extremes(queue, chunks * 2 * sort.order.size);
  const Buffer counts(queue, chunks * kBins * index_size);
  const Buffer bucket_of_bin(queue, kBins * sizeof(std::uint16_t));
  const Buffer buckets(queue, (kBuckets + 1) * 3 * sizeof(std::uint64_t));  // bucket_t is no larger
  const Buffer places(queue, chunks * kBuckets * index_size);

  kernel("radix_range")(queue, each_chunk, sort.keys, extremes, n, chunk, sort.order.flip);
  kernel("radix_bins")(queue, each_chunk, sort.keys, extremes, counts, n, chunk, chunks, sort.order.flip);
  kernel("radix_plan")(queue, range(1).with_local(1), extremes, counts, bucket_of_bin, buckets, places, n,
                       chunks);
  std::vector<KernelArgument> arguments = {sort.keys, room};
  if (sort.has_values) arguments.insert(arguments.end(), {values, values_room, positions});
  arguments.insert(arguments.end(), {extremes, bucket_of_bin, places, n, chunk, chunks, sort.order.flip});
  kernel("radix_partition").launch(queue, each_chunk, arguments);
  arguments = {buckets, room, keys_out};
  if (sort.has_values) arguments.insert(arguments.end(), {values_room, sort.values_out});
  arguments.emplace_back(sort.order.flip);
  return kernel("radix_buckets").launch(queue, range(kBuckets).with_local(1), arguments);
}

}  // namespace quern::algorithms
