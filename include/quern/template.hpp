// SPDX-License-Identifier: MIT
// Kernel text: placeholders, and element types as OpenCL C spells them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/dtype.hpp"

namespace QUERN_API quern {

// Replaces each {{ name }} by its value. Throws ArgumentError for a placeholder that has no value, a value
// that no placeholder takes, and a placeholder that is not closed. Programs are cached by their text, so a
// rendered one is compiled once for each set of values.
std::string render(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values);

// "float", "uchar" (of bool too), "float2" (of complex64), "uint4"; of a structure "struct" and its name.
// Throws ArgumentError for what has no name in OpenCL C.
std::string c_type_name(const DType& dtype);

// The definition of a structure called `name`, with padding members where the layout has gaps; nested
// structures come first and are called after their members. Throws ArgumentError for what C cannot say.
std::string struct_definition(const DType& dtype, std::string_view name);

}  // namespace quern
