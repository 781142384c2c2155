// SPDX-License-Identifier: MIT
// Build options: OpenCL's are understood once, here, and spelled for each compiler.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quern/program.hpp"
#include "quern/properties.hpp"

namespace quern::detail {

struct BuildOptions {
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> include_paths;
  std::vector<std::string> standard;  // OpenCL's own (-cl-..., -w, -Werror)
  std::vector<std::string> other;     // for the device's compiler as they are

  [[nodiscard]] bool has(std::string_view option) const;  // among the standard ones
  [[nodiscard]] bool is_relaxed() const;                  // less exact than the language asks for
  [[nodiscard]] bool contracts() const;  // whether a product and a sum may be rounded once together
};

// Sorts a program's options. Throws ArgumentError for one that is malformed.
BuildOptions parse_options(const ProgramOptions& options);

// What to say of the first option that is OpenCL's or NVRTC's by its look, but that no compiler of the
// dialect is known to take, with the one that was likely meant; empty where there is none.
std::string unknown_option(const BuildOptions& options, Dialect dialect);

// Whether a product and a sum may be rounded once together, as the compiler of a dialect other than OpenCL C
// has it.
std::string contraction_flag(Dialect dialect, bool contracts);

// What to pass to the compiler of a dialect. Lowered kernels round every operation (no contraction) unless
// asked.
std::vector<std::string> compiler_options(const BuildOptions& options, Dialect dialect, Language language);

}  // namespace quern::detail
