// SPDX-License-Identifier: MIT
// OpenCL C functions that the texts of operations call.
#pragma once

#include <span>
#include <string_view>

#include "frontend/helpers.hpp"

namespace quern::codegen {

using frontend::Helper;

std::span<const Helper> real_helpers();
std::span<const Helper> special_helpers();

// The definition of that name; empty if there is none.
std::string_view helper_text(std::string_view name, bool is_complex);

}  // namespace quern::codegen
