// SPDX-License-Identifier: MIT
// Butterflies of Fourier transforms: functions of a few points in registers.
#pragma once

#include <string>
#include <vector>

namespace quern::codegen {

// Functions butterfly_R(point *v), which transform R points in place. The text before them declares `point`
// and times(point, point), a product of complex numbers.
std::string fft_butterflies(const std::vector<int>& radices, bool is_double);

}  // namespace quern::codegen
