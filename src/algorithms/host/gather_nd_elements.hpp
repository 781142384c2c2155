// SPDX-License-Identifier: MIT
// Gathers and scatters on the host for indexing with arrays, by a function written by hand.
#pragma once

#include "algorithms/gather_nd.hpp"

namespace quern::algorithms {

// As gather_nd(). The queue's device calls functions.
Event gather_nd_by_function(const Queue& queue, const Array& base, std::span<const Positions> positions,
                            const Array& other, bool writes, const Buffer* slots);

}  // namespace quern::algorithms
