// SPDX-License-Identifier: MIT
// What a source that did not build was likely meant to be.
#pragma once

#include <string>
#include <string_view>

namespace quern::frontend {

// A sentence about words of other languages in a text that is read as OpenCL C: complex types without the
// pragma that brings them, and CUDA C. Empty where there are none. `takes_cuda_c`: the program could be built
// as CUDA C instead.
std::string hint_for(std::string_view source, bool takes_cuda_c);

}  // namespace quern::frontend
