// SPDX-License-Identifier: MIT
// Kernel source: placeholders, and element types as OpenCL C spells them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/dtype.hpp"

namespace QUERN_API quern {

// Replaces each {{ name }} by its value. Throws ArgumentError for a placeholder without a value, a value
// without a placeholder, and an unclosed placeholder. Programs are cached by their text, so a rendered
// program is compiled once for each set of values.
std::string render(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values);

// "float", "uchar" (also for bool), "float2" (for complex64), "uint4"; for a structure "struct" and its name.
// Throws ArgumentError for a dtype without a name in OpenCL C.
std::string c_type_name(const DType& dtype);

// The definition of a structure called `name`, with padding members for gaps in the layout; nested structures
// come first and are named after their members. Throws ArgumentError for a layout that C cannot express.
std::string struct_definition(const DType& dtype, std::string_view name);

}  // namespace quern
