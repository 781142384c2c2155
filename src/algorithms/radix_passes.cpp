// SPDX-License-Identifier: MIT
// Radix sort for any GPU: counts, sums and scatters for each digit.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/radix_sort.hpp"
#include "base/arithmetic.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

constexpr std::size_t kThreads = 256;
constexpr std::size_t kMostInPasses = (std::size_t{1} << 31) - 1;

}  // namespace

Event radix_passes(const Queue& queue, const RadixSort& sort) {
  const unsigned passes = sort.order.size;
  const bool wide = sort.n > kMostInPasses;
  const std::size_t index_size = wide ? 8 : 4, n = sort.n;
  // Keys and values of a tile take at most 16 KiB, half of the local memory that every GPU has.
  const std::size_t items = std::clamp<std::size_t>(64 / (sort.order.size + sort.value_size), 4, 8);
  const std::size_t tile = kThreads * items, tiles = divided_up(n, tile);
  const DeviceProperties& properties = queue.device().properties();
  const auto each = static_cast<std::size_t>(tuning::value_of(
      properties, "sort_passes", [&] { return radix_class(sort); }, "groups_per_unit", 8));
  const std::size_t wanted = std::min<std::size_t>(tiles, std::size_t{properties.compute_units} * each);
  const std::size_t share = divided_up(tiles, wanted) * tile;
  const std::size_t groups = divided_up(n, share);

  const auto kernel = [&](const char* name, bool last) {
    Defines defines = radix_defines(sort, last);
    defines.insert(defines.end(), {{"THREADS", std::to_string(kThreads)},
                                   {"ITEMS", std::to_string(items)},
                                   {"INDEX", wide ? "ulong" : "uint"}});
    return kernel_of({"radix_keys", "radix_passes"}, name, defines);
  };

  const Buffer counts(queue, kRadixDigits * groups * index_size), totals(queue, kRadixDigits * index_size);
  const PingPong buffers(queue, sort, passes);
  const bool has_narrow = sort.value_size != sort.value_out_size && passes > 1;
  const Range shares = range(groups * kThreads).with_local(kThreads);
  Event done;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const bool last = pass + 1 == passes;
    const unsigned shift = pass * 8;
    const unsigned stage = radix_stage(sort, pass, passes);
    kernel("radix_count", !has_narrow)(queue, n, shares, buffers.keys_in(pass), counts, n, share, shift,
                                       sort.order.flip, stage);
    kernel("radix_sum", !has_narrow)(queue, n, range(kRadixDigits * kThreads).with_local(kThreads), counts,
                                     totals, groups);
    std::vector<KernelArgument> arguments = {buffers.keys_in(pass), buffers.keys_out(pass)};
    if (sort.has_values)
      arguments.insert(arguments.end(), {buffers.values_in(pass), buffers.values_out(pass)});
    arguments.insert(arguments.end(), {counts, totals, n, share, shift, sort.order.flip, stage});
    done = kernel("radix_scatter", last || !has_narrow).launch(queue, n, shares, arguments);
  }
  return done;
}

}  // namespace quern::algorithms
