// SPDX-License-Identifier: MIT
// The option strings of clBuildProgram, clCompileProgram and clLinkProgram.
#pragma once

#include <string_view>

#include "platform/opencl.hpp"
#include "quern/program.hpp"

namespace quern::platform {

// Fails with the code for an option that OpenCL does not have.
[[nodiscard]] ProgramOptions parse_build_options(std::string_view text, cl_int invalid);

struct LinkOptions {
  bool creates_library = false;
};
[[nodiscard]] LinkOptions parse_link_options(std::string_view text);

// Whether every work-group of the program's kernels has the full local size: in all versions before 2.0.
[[nodiscard]] bool has_uniform_groups(const ProgramOptions& options);

}  // namespace quern::platform
