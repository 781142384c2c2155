// SPDX-License-Identifier: MIT
// Hints for sources that do not build because they are written in another language.
#pragma once

#include <string>
#include <string_view>

namespace quern::frontend {

// Returns a sentence about constructs of other languages in a text that is read as OpenCL C: CUDA C, and
// complex types without the pragma that enables them. Empty if there are none. `takes_cuda_c`: the device can
// build the program as CUDA C.
std::string hint_for(std::string_view source, bool takes_cuda_c);

}  // namespace quern::frontend
