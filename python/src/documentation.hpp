// SPDX-License-Identifier: MIT
// Docstrings of bound functions, and the descriptions of parameters that many of them share.
#pragma once

#include <string>
#include <string_view>

namespace quern::python {

// The text with lines "@queue", "@wait_for" and "@descending" replaced by the description of that parameter.
// nanobind copies the text.
[[nodiscard]] std::string documented(std::string_view text);

}  // namespace quern::python
