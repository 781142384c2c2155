// SPDX-License-Identifier: MIT
// Functions in OpenCL C that the texts of operations call.
#pragma once

#include <span>
#include <string_view>

namespace quern::codegen {

// A definition for elements of type $T, whose name is @name in texts; it may call other helpers. $R is the
// real type of a complex $T, $MAX, $MIN and $EPS are that type's greatest and least normal numbers and the
// distance of one to the next.
struct Helper {
  std::string_view name, text;
};

std::span<const Helper> real_helpers();
std::span<const Helper> complex_helpers();
std::span<const Helper> special_helpers();

// The definition of that name. Empty where there is none.
std::string_view helper_text(std::string_view name, bool is_complex);

}  // namespace quern::codegen
