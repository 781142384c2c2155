// SPDX-License-Identifier: MIT
// Fourier transforms by cuFFT, which is searched when the first transform on a CUDA device runs.
#pragma once

#include <cstdint>

#include "quern/buffer.hpp"
#include "quern/libraries.hpp"
#include "quern/queue.hpp"

namespace quern::libraries {

enum class CufftKind : std::uint8_t { complex, real_to_complex, complex_to_real };

// One-dimensional transforms without factors. Steps count elements of each side.
struct CufftLines {
  CufftKind kind;
  bool is_double, is_inverse;
  std::int64_t n, count;
  const Buffer* from;  // complex_to_real overwrites it
  const Buffer* to;
  std::int64_t in_start, in_step, in_line;  // first element, from element to element, from line to line
  std::int64_t out_start, out_step, out_line;
};

// Whether cuFFT was found and serves the queue's device.
bool cufft_takes(const Queue& queue);
// Enqueues the transforms. Returns false if the plan could not be made, or if there is no memory for its
// workspace; nothing is enqueued then. Throws Error if cuFFT reports a failure.
bool cufft_transform(const Queue& queue, const CufftLines& lines);

// What was found. Searches on the first call.
LibraryReport cufft_report();

}  // namespace quern::libraries
