// SPDX-License-Identifier: MIT
// A source together with all it includes, for the keys of programs whose preprocessing is the device's own
// affair.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quern::detail {

// The text and, whatever the conditions around them, the files that its #include lines name and that can be
// found. Nothing when an #include names its file by a macro: then the text alone does not say what is read.
std::optional<std::string> source_closure(const std::string& text,
                                          const std::vector<std::string>& include_paths);

}  // namespace quern::detail
