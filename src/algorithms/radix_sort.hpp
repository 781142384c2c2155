// SPDX-License-Identifier: MIT
// Radix sort, on which sort, argsort and sort_by_key are built: three algorithms for different devices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/launch/kernel_table.hpp"
#include "algorithms/sort_keys.hpp"
#include "quern/buffer.hpp"
#include "quern/queue.hpp"

namespace quern::algorithms {

// A sort whose arguments are checked. Input and output may be the same memory.
struct RadixSort {
  std::size_t n = 0;     // not 0
  std::size_t rows = 1;  // number of rows of n keys that are sorted separately; CPU algorithm only
  KeyOrder order;
  Buffer keys, keys_out;  // keys_out is empty if the sorted keys are not needed

  // Values have 1, 2, 4 or 8 bytes. Positions are generated; they have `value_size` bytes in intermediate
  // passes and `value_out_size` bytes in the result.
  bool has_values = false;
  bool are_positions = false;
  unsigned value_size = 0, value_out_size = 0;
  Buffer values, values_out;
};

enum class RadixEngine : std::uint8_t {
  sweep,   // decoupled look-back; needs sub-groups of 32 and groups that start in order
  passes,  // counts, sums and scatters for each digit; any GPU
  chunks,  // buckets that fit a cache, each sorted by one work-item; CPUs
};
RadixEngine radix_engine_for(const DeviceProperties& device);

Event radix_sort(const Queue& queue, const RadixSort& sort, RadixEngine engine);

Event radix_sweep(const Queue& queue, const RadixSort& sort);
Event radix_passes(const Queue& queue, const RadixSort& sort);
Event radix_chunks(const Queue& queue, const RadixSort& sort);

// The class of problems of tuned parameters: the 32-bit words of a key and its value.
std::string radix_class(const RadixSort& sort);

// The values that a digit can have.
inline constexpr std::size_t kRadixDigits = 256;
// The flags of a pass as radix_sweep.cl and radix_passes.cl read them.
unsigned radix_stage(const RadixSort& sort, unsigned pass, unsigned passes);
// The defines of radix_keys.cl and of the values.
Defines radix_defines(const RadixSort& sort, bool last_pass = true);
// The input and output of each pass. Passes alternate between two buffers so that the last one writes the
// result.
struct PingPong {
  PingPong(const Queue& queue, const RadixSort& sort, unsigned passes);
  [[nodiscard]] const Buffer& keys_in(unsigned pass) const;
  [[nodiscard]] const Buffer& keys_out(unsigned pass) const;
  [[nodiscard]] const Buffer& values_in(unsigned pass) const;
  [[nodiscard]] const Buffer& values_out(unsigned pass) const;

 private:
  [[nodiscard]] bool to_result(unsigned pass) const { return (passes_ - 1 - pass) % 2 == 0; }
  unsigned passes_;
  Buffer keys_, keys_scratch_, keys_result_, values_, values_scratch_, values_result_;
};

}  // namespace quern::algorithms
