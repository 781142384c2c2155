// SPDX-License-Identifier: MIT
// The kernel files of this folder, embedded at build time.
#pragma once

#include <string_view>

namespace quern::kernels {

// The text of NAME.cl.
std::string_view text(std::string_view name);

}  // namespace quern::kernels
