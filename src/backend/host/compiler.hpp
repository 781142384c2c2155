// SPDX-License-Identifier: MIT
// The machine's C compiler: finding it, checking what users pass to it, and running it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {

struct Compiler {
  std::string path;                // empty when none was found
  std::vector<std::string> tried;  // what was looked for, in order
  std::string problem;             // why there is none and what to do about it

  [[nodiscard]] bool found() const noexcept { return !path.empty(); }
};

// QUERN_CC, then CC, then cc, gcc and clang on PATH. The variables hold a name or a path, no arguments; a
// compiler that QUERN_CC names and that is not there is an error, not a reason to take another.
Compiler find_compiler();

// Throws ArgumentError for an option that could start programs, read or write files, or decide what is
// produced.
void check_options(const std::vector<std::string>& options);

// All that shapes a binary besides text and options.
std::string compiler_identity();

// A build that failed because something ran out. It says nothing about the compiler, which may work next
// time.
class BuildOutOfResources final : public BuildError {
 public:
  using BuildError::BuildError;
};

// Text to the bytes of a shared library; `log` receives the compiler's warnings. Throws BuildError.
std::vector<std::byte> compile_to_library(const CompileRequest& request, std::string& log);

}  // namespace quern::backend::host
