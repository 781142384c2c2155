// SPDX-License-Identifier: MIT
// Small transforms that the calling thread computes on the host, without a queue.
#pragma once

#include <cstddef>
#include <memory>

#include "algorithms/fft.hpp"

namespace quern::algorithms {

class PreparedFft {
 public:
  PreparedFft() = default;
  virtual ~PreparedFft() = default;
  PreparedFft(const PreparedFft&) = delete;
  PreparedFft& operator=(const PreparedFft&) = delete;

  // Transforms the lines whose first elements are at these addresses, as those of a contiguous array would
  // be aligned.
  virtual void run(const std::byte* from, std::byte* to) const = 0;
};

// A transform of lines that the calling thread should compute itself, because enqueueing it takes longer than
// these few microseconds; null for other lines. For queues of which Policy::computes_small_work_at_once says
// that their memory is the host's. Starts of lines are not used: run() takes addresses.
std::shared_ptr<const PreparedFft> small_fft(const FftLayout& layout);

}  // namespace quern::algorithms
