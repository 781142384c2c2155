// SPDX-License-Identifier: MIT
// A source together with all it includes, for the keys of programs whose preprocessing is the device's own
// affair.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quern::detail {

// The text and, whatever the conditions around them, the files that its #include directives name and that can
// be found, with those that they include. Nothing where the texts alone do not say what is read.
std::optional<std::string> source_closure(const std::string& text,
                                          const std::vector<std::string>& include_paths);

}  // namespace quern::detail
