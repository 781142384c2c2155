// SPDX-License-Identifier: MIT
// The text of the kernel files in this folder, which the build embeds into the library.
#pragma once

#include <string_view>

namespace quern::kernels {

// Returns the text of NAME.cl.
std::string_view text(std::string_view name);

}  // namespace quern::kernels
