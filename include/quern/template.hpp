// SPDX-License-Identifier: MIT
// Kernel text with placeholders.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quern {

// Replaces each {{ name }} by its value. Throws ArgumentError for a placeholder that has no value, a value
// that no placeholder takes, and a placeholder that is not closed. Programs are cached by their text, so a
// rendered one is compiled once for each set of values.
std::string render(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace quern
