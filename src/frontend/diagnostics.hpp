// SPDX-License-Identifier: MIT
// Compiler messages: read out of a log, and shown with the numbered source lines around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quern/error.hpp"

namespace quern::frontend {

// Finds "file:line:column: error: text" (gcc, clang, PoCL), "file(line): error: text" (NVRTC) and NVIDIA
// OpenCL's
// "<kernel>:line:column: error: text" in a log.
std::vector<Diagnostic> parse_log(std::string_view log);

// The text of a BuildError: a headline, then each diagnostic with the numbered source lines around it and a
// caret. `source` is shown for diagnostics whose file is `file` (or a stand-in that compilers use for an
// unnamed text).
std::string format_diagnostics(std::string_view headline, const std::vector<Diagnostic>& diagnostics,
                               std::string_view file, std::string_view source);

// A BuildError for a log of a device's compiler.
BuildError build_error(std::string_view device, std::string_view file, std::string_view source,
                       std::string_view log, std::string_view options);

}  // namespace quern::frontend
