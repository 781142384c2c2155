// SPDX-License-Identifier: MIT
// The engines behind sort, argsort and sort_by_key: three ways to sort keys by their digits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/sort_keys.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// A sort whose arguments have been checked. Keys are read, then written; in and out may be the same memory.
struct RadixSort {
  std::size_t n = 0;     // not zero
  std::size_t rows = 1;  // of n keys, each sorted for itself; only of the engine for CPUs
  KeyOrder order;
  Buffer keys, keys_out;  // without keys_out they are not wanted

  // Values: of 1, 2, 4 or 8 bytes; or positions, which are counted in `value_size` bytes on the way and leave
  // as integers of `value_out_size`.
  bool has_values = false;
  bool are_positions = false;
  unsigned value_size = 0, value_out_size = 0;
  Buffer values, values_out;
};

enum class RadixEngine : std::uint8_t {
  sweep,   // decoupled look-back: sub-groups of 32, groups that start in order
  passes,  // count, sum, scatter for each digit: any GPU
  chunks,  // buckets that fit a cache, sorted by one work-item each: CPUs
};
RadixEngine radix_engine_for(const DeviceProperties& device);

Event radix_sort(const Queue& queue, const RadixSort& sort, RadixEngine engine);

Event radix_sweep(const Queue& queue, const RadixSort& sort);
Event radix_passes(const Queue& queue, const RadixSort& sort);
Event radix_chunks(const Queue& queue, const RadixSort& sort);

// What the engines share: the defines of radix_keys.cl and of the values.
Defines radix_defines(const RadixSort& sort, bool last_pass = true);
// Where the passes read and write: every second one into the result, so that the last does.
struct PingPong {
  PingPong(const Queue& queue, const RadixSort& sort, unsigned passes);
  // Where pass `pass` reads and writes.
  [[nodiscard]] const Buffer& keys_in(unsigned pass) const;
  [[nodiscard]] const Buffer& keys_out(unsigned pass) const;
  [[nodiscard]] const Buffer& values_in(unsigned pass) const;
  [[nodiscard]] const Buffer& values_out(unsigned pass) const;

 private:
  [[nodiscard]] bool to_result(unsigned pass) const { return (passes_ - 1 - pass) % 2 == 0; }
  unsigned passes_;
  Buffer keys_, keys_room_, keys_result_, values_, values_room_, values_result_;
};

}  // namespace quern::algorithms
