// SPDX-License-Identifier: MIT
// Passes of Fourier transforms by generated kernels.
#pragma once

#include "algorithms/fft.hpp"

namespace quern::algorithms {

// The largest length whose points a work-group holds in local memory.
std::int64_t most_points_of_kernel(const Queue& queue, Scalar real);
// The same if a group transforms enough neighbouring lines to read and write parts of cache lines across
// them.
std::int64_t most_points_of_column(const Queue& queue, Scalar real);
// Runs one pass. The memory may be the same if the layouts of input and output are. Expressions may be null.
void fft_by_kernel(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from, const Buffer& to,
                   const FftFused* before, const FftFused* after);

}  // namespace quern::algorithms
