// SPDX-License-Identifier: MIT
// Tables of a transform in device memory, kept for later calls within limits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quern/array.hpp"

namespace quern::algorithms {

// Returns the table of this key for the queue's device. `make` computes its numbers in double precision;
// they are stored as `real`.
Array kept_table(const Queue& queue, Scalar real, const std::string& key,
                 const std::function<std::vector<double>()>& make);
// Copies a table to the device, as numbers of type `real`.
Array uploaded_table(const Queue& queue, Scalar real, const std::vector<double>& numbers);
// Returns the array of this key for the queue's device, which `make` computes there.
Array kept_array(const Queue& queue, Scalar real, const std::string& key, const std::function<Array()>& make);
// Appends cos and -sin of 2 pi k / n.
void add_twiddle(std::vector<double>& to, std::int64_t k, std::int64_t n);

}  // namespace quern::algorithms
