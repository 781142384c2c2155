// SPDX-License-Identifier: MIT
// Fourier transforms on the host by a hand-written function, without a compiler.
#pragma once

#include "algorithms/fft.hpp"

namespace quern::algorithms {

// The number of lines that the processor transforms at once.
std::int64_t fft_lanes(Scalar real);
// The largest length of a pass.
std::int64_t most_points_on_host();
// Runs one pass. The queue's device calls functions.
void fft_by_function(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from,
                     const Buffer& to);

}  // namespace quern::algorithms
