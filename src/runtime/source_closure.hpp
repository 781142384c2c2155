// SPDX-License-Identifier: MIT
// A source together with all files that it includes. It is a part of the key of programs that the device's
// compiler preprocesses.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quern::detail {

// Returns the text and the files that its #include directives name, with the files that they include in turn.
// Conditions around the directives are ignored, and so are files that are not found. Returns nothing if the
// texts alone do not determine which files are read.
std::optional<std::string> source_closure(const std::string& text,
                                          const std::vector<std::string>& include_paths);

}  // namespace quern::detail
