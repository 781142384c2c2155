// SPDX-License-Identifier: MIT
// The kernels of the ready-made algorithms, made once for each set of parameters and kept.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/kernel.hpp"
#include "quern/program.hpp"

namespace quern::algorithms {

using Defines = std::vector<std::pair<std::string, std::string>>;

// Kernel `name` of the program that consists of `definitions` (types, a user's functions) followed by these
// files of src/kernels. Different defines are different programs; `definitions` and `defines` together are
// the key, so they hold structure only, never sizes or values.
Kernel kernel_of(std::initializer_list<std::string_view> files, std::string_view name, const Defines& defines,
                 std::string_view definitions = {});

}  // namespace quern::algorithms
