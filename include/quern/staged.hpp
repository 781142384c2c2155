// SPDX-License-Identifier: MIT
// Which results the host computed for a device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "quern/api.hpp"
#include "quern/array.hpp"

namespace QUERN_API quern {

// The functions that the host computed, with copies there and back, because the device has no library or
// kernel for them: those of these arrays, and of arrays that their expressions read. "eig at file:line".
std::vector<std::string> staged_functions(std::span<const Array> arrays);

}  // namespace quern
