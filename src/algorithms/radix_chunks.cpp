// SPDX-License-Identifier: MIT
// Radix sort for CPUs: partitions keys into buckets that fit a core's cache, then sorts each bucket with one
// work-item.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/radix_sort.hpp"
#include "base/arithmetic.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

// The constants of radix_chunks.cl.
constexpr std::size_t kBins = 2048, kBuckets = 1024;
// Shorter arrays are sorted without buckets, which would take longer.
constexpr std::size_t kFewKeys = std::size_t{1} << 15;
constexpr std::size_t kLeastChunk = std::size_t{1} << 12;
constexpr std::size_t kApart = 256;  // bytes; OpenCL devices need no larger alignment for sub-buffers

enum RadixStep : std::uint8_t { kSortRows, kFindRange, kCountBins, kPlanBuckets, kPartition, kSortBuckets };
constexpr const char* kSteps[] = {"radix_rows", "radix_range",     "radix_bins",
                                  "radix_plan", "radix_partition", "radix_buckets"};

}  // namespace

Event radix_chunks(const Queue& queue, const RadixSort& sort) {
  const std::size_t n = sort.n, all = sort.n * sort.rows;
  const auto kernel = [&](RadixStep step) {
    static auto* const known = new KernelMemo;  // never destroyed
    const std::uint64_t code = sort.order.code() | (sort.has_values ? 32 : 0) | sort.value_size << 8 |
                               sort.value_out_size << 16 | std::uint64_t{step} << 24;
    return known->get(code, [&] {
      return kernel_of({"radix_keys", "radix_chunks"}, kSteps[step], radix_defines(sort));
    });
  };

  // Temporary memory for values, for keys, and for the sorted keys if the caller does not need them.
  const std::size_t key_bytes = rounded_up(all * sort.order.size, kApart),
                    value_bytes = sort.has_values ? rounded_up(all * sort.value_size, kApart) : 0;
  const bool wants_keys = !sort.keys_out.empty();
  const Buffer own(queue, value_bytes + key_bytes * (wants_keys ? 1 : 2));
  const Buffer values_scratch = own.sub_buffer(0, value_bytes),
               keys_scratch = own.sub_buffer(value_bytes, key_bytes);
  const Buffer keys_out = wants_keys ? sort.keys_out : own.sub_buffer(value_bytes + key_bytes, key_bytes);
  // Positions are generated, so there are no values to read.
  const Buffer& values = sort.values.empty() ? values_scratch : sort.values;
  const unsigned positions = sort.are_positions ? 1 : 0;

  if (n <= kFewKeys || sort.rows > 1) {
    std::vector<KernelArgument> arguments = {sort.keys, keys_scratch, keys_out};
    if (sort.has_values)
      arguments.insert(arguments.end(), {values, values_scratch, sort.values_out, positions});
    arguments.insert(arguments.end(), {n, sort.order.flip});
    return kernel(kSortRows).launch(queue, all, range(sort.rows).with_local(1), arguments);
  }

  // Several chunks per core balance the load. A chunk has less than 2^32 keys, because counters have 32 bits.
  const DeviceProperties& properties = queue.device().properties();
  const auto each = static_cast<std::size_t>(tuning::value_of(
      properties, "sort_chunks", [&] { return radix_class(sort); }, "chunks_per_unit", 4));
  const std::size_t wanted = std::max<std::size_t>(std::size_t{properties.compute_units} * each, n >> 31);
  const std::size_t chunk = std::max<std::size_t>(divided_up(n, wanted), kLeastChunk);
  const std::size_t chunks = divided_up(n, chunk);
  const Range each_chunk = range(chunks).with_local(1);

  const Buffer extremes(queue, chunks * 2 * sort.order.size);
  const Buffer counts(queue, chunks * kBins * sizeof(std::uint64_t));
  const Buffer bucket_of_bin(queue, kBins * sizeof(std::uint16_t));
  const Buffer buckets(queue, (kBuckets + 1) * 3 * sizeof(std::uint64_t));  // at least the size of bucket_t
  const Buffer places(queue, chunks * kBuckets * sizeof(std::uint64_t));

  kernel(kFindRange)(queue, n, each_chunk, sort.keys, extremes, n, chunk, sort.order.flip);
  kernel(kCountBins)(queue, n, each_chunk, sort.keys, extremes, counts, n, chunk, chunks, sort.order.flip);
  kernel(kPlanBuckets)(queue, n, range(1).with_local(1), extremes, counts, bucket_of_bin, buckets, places, n,
                       chunks);
  std::vector<KernelArgument> arguments = {sort.keys, keys_scratch};
  if (sort.has_values) arguments.insert(arguments.end(), {values, values_scratch, positions});
  arguments.insert(arguments.end(), {extremes, bucket_of_bin, places, n, chunk, chunks, sort.order.flip});
  kernel(kPartition).launch(queue, n, each_chunk, arguments);
  arguments = {buckets, keys_scratch, keys_out};
  if (sort.has_values) arguments.insert(arguments.end(), {values_scratch, sort.values_out});
  arguments.emplace_back(sort.order.flip);
  return kernel(kSortBuckets).launch(queue, n, range(kBuckets).with_local(1), arguments);
}

}  // namespace quern::algorithms
