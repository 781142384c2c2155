// SPDX-License-Identifier: MIT
// Records which memory of a device holds results that the host computed, for explain().
#pragma once

#include <string>

#include "quern/array.hpp"

namespace quern::array {

void record_staged(const Array& result, std::string function);

}  // namespace quern::array
