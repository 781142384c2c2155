// SPDX-License-Identifier: MIT
// Diagnostics of compilers: reads them from a build log, and formats them with the source lines they refer
// to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quern/error.hpp"

namespace quern::frontend {

// Returns the diagnostics in a build log. Understands "file:line:column: error: text" (gcc, clang, PoCL),
// "file(line): error: text" (NVRTC) and "<kernel>:line:column: error: text" (NVIDIA's OpenCL).
std::vector<Diagnostic> parse_log(std::string_view log);

// Returns the text of a BuildError: a headline, then each diagnostic with a caret and the numbered source
// lines around it. Excerpts are taken from `source` for diagnostics whose file is `file` or a placeholder
// such as <stdin>, which compilers use for a text without a name.
std::string format_diagnostics(std::string_view headline, const std::vector<Diagnostic>& diagnostics,
                               std::string_view file, std::string_view source);

// Returns the BuildError for the log of a device's compiler.
BuildError build_error(std::string_view device, std::string_view file, std::string_view source,
                       std::string_view log, std::string_view options);

}  // namespace quern::frontend
