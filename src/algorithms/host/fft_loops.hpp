// SPDX-License-Identifier: MIT
// Fourier transforms on the host by a hand-written function, without a compiler.
#pragma once

#include <array>

#include "algorithms/fft.hpp"

namespace quern::algorithms {

// The number of lines that the processor transforms at once.
std::int64_t fft_lanes(Scalar real);
// The largest length of a pass, and the largest prime factor of a length.
std::int64_t most_points_on_host(const Queue& queue, Scalar real);
std::int64_t most_radix_on_host(const Queue& queue);
// Runs one pass. The queue's device calls functions.
void fft_by_function(const Queue& queue, Scalar real, const FftPass& pass, const Buffer& from,
                     const Buffer& to);

// The first of two factors into which a length is divided if both passes run over one line after the other,
// while its points are in the cache. 0 if the length does not suit. Many lines could fill the lanes of a
// register without being divided.
enum class LineUse : std::uint8_t { batch, lone, chirp };
std::int64_t line_factor_on_host(Scalar real, std::int64_t n, LineUse use);
// Runs both passes. Their loops over the batch are left out.
void fft_lines_by_function(const Queue& queue, Scalar real, const FftPass& first, const FftPass& second,
                           const std::array<FftLoop, kFftBatchLoops>& batch, const Buffer& from,
                           const Buffer& to);

// Runs Bluestein's algorithm for lines of any length. The passes transform the points of the convolution,
// without a batch.
void fft_chirp_by_function(const Queue& queue, const FftLines& lines, const FftPass& first,
                           const FftPass& second, const Buffer& twiddles, const Buffer& response);

}  // namespace quern::algorithms
