// SPDX-License-Identifier: MIT
// Small transforms that the calling thread computes on the host, without a queue: prepared once, with their
// tables, and kept for later calls.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "algorithms/fft_here.hpp"

namespace quern::algorithms {

// One pass of at most fft_host::kFewPoints points, without twiddle factors; and both passes over each line.
std::shared_ptr<const PreparedFft> prepared_pass(Scalar real, const FftPass& pass);
std::shared_ptr<const PreparedFft> prepared_lines(Scalar real, const FftPass& first, const FftPass& second,
                                                  const std::array<FftLoop, kFftBatchLoops>& batch);

// About how long a pass takes: the operations on registers.
std::int64_t steps_of_pass(Scalar real, const FftPass& pass);

// The prepared transform of this layout, which `make` makes if it is not among the last ones used. It may be
// null, which is kept too.
std::shared_ptr<const PreparedFft> kept_fft(const FftLayout& layout,
                                            const std::function<std::shared_ptr<const PreparedFft>()>& make);

}  // namespace quern::algorithms
