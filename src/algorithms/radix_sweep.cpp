// SPDX-License-Identifier: MIT
// Radix sort with decoupled look-back: one kernel computes the histograms of all digits, then one kernel per
// digit sorts.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/radix_sort.hpp"
#include "base/arithmetic.hpp"
#include "tune/lookup.hpp"

namespace quern::algorithms {
namespace {

// Two bits of a status word are flags, so 30 bits are left for positions.
constexpr std::size_t kMostInSweep = (std::size_t{1} << 30) - 1;

struct SweepTile {
  unsigned threads, items;
};

std::size_t local_bytes(const SweepTile& tile, const RadixSort& sort, std::size_t index_size) {
  return std::size_t{tile.threads} * tile.items * (sort.order.size + sort.value_size) +
         (kRadixDigits + 16) * index_size + tile.threads / 32 * kRadixDigits * sizeof(std::uint32_t);
}

// Chosen so that keys and values of a work-item stay in registers and two or three groups fit a compute unit.
SweepTile tile_for(const RadixSort& sort, std::size_t index_size, const DeviceProperties& device) {
  const auto tuned = [&](const char* parameter, std::int64_t otherwise) {
    return static_cast<unsigned>(tuning::value_of(
        device, "sort_sweep", [&] { return radix_class(sort); }, parameter, otherwise));
  };
  SweepTile tile = {tuned("threads", 384), tuned("items", 9)};
  while (tile.items > 1 && local_bytes(tile, sort, index_size) > device.local_memory) --tile.items;
  return tile;
}

}  // namespace

Event radix_sweep(const Queue& queue, const RadixSort& sort) {
  const unsigned passes = sort.order.size;
  const bool wide = sort.n > kMostInSweep;
  const std::size_t index_size = wide ? 8 : 4;
  const SweepTile shape = tile_for(sort, index_size, queue.device().properties());
  const std::size_t tile = std::size_t{shape.threads} * shape.items;
  const std::size_t tiles = divided_up(sort.n, tile);
  const std::size_t local = local_bytes(shape, sort, index_size);

  const auto defines_of = [&](bool last) {
    Defines defines = radix_defines(sort, last);
    defines.insert(defines.end(), {{"THREADS", std::to_string(shape.threads)},
                                   {"ITEMS", std::to_string(shape.items)},
                                   {"INDEX", wide ? "ulong" : "uint"},
                                   {"INDEX_BITS", wide ? "64" : "32"},
                                   {"PASSES", std::to_string(passes)},
                                   {"LOOK", "2"},
                                   {"COPIES", std::to_string(32 / passes)}});
    return defines;
  };
  const auto kernel = [&](const char* name, bool last) {
    return kernel_of({"radix_keys", "radix_sweep"}, name, defines_of(last));
  };

  // The histogram, then two status tables: of the current pass, and of the next pass, which the current one
  // clears.
  const std::size_t histogram_bytes = passes * kRadixDigits * index_size,
                    row = tiles * kRadixDigits * index_size;
  const Buffer control(queue, histogram_bytes + 2 * row);
  const std::byte zero{0};
  queue.fill(control.sub_buffer(0, histogram_bytes + row), {&zero, 1});

  const bool has_narrow = sort.value_size != sort.value_out_size && passes > 1;
  const Buffer histogram = control.sub_buffer(0, histogram_bytes);
  const std::size_t groups =
      std::min<std::size_t>(tiles, std::size_t{queue.device().properties().compute_units} * 4);
  kernel("radix_histogram", !has_narrow)(queue, sort.n, range(groups * shape.threads), sort.keys, histogram,
                                         sort.n, sort.order.flip);
  const PingPong buffers(queue, sort, passes);
  Event done;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const bool last = pass + 1 == passes;
    const unsigned stage = radix_stage(sort, pass, passes);
    const Buffer digit = control.sub_buffer(pass * kRadixDigits * index_size, kRadixDigits * index_size);
    const Buffer status = control.sub_buffer(histogram_bytes + pass % 2 * row, row);
    const Buffer next = control.sub_buffer(histogram_bytes + (pass + 1) % 2 * row, row);
    std::vector<KernelArgument> arguments = {buffers.keys_in(pass), buffers.keys_out(pass)};
    if (sort.has_values)
      arguments.insert(arguments.end(), {buffers.values_in(pass), buffers.values_out(pass)});
    const std::size_t n = sort.n;
    arguments.insert(arguments.end(),
                     {digit, status, next, n, pass * 8, sort.order.flip, stage, LocalMemory{local}});
    done =
        kernel("radix_sweep", last || !has_narrow).launch(queue, n, range(tiles * shape.threads), arguments);
  }
  return done;
}

}  // namespace quern::algorithms
