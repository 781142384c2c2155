// SPDX-License-Identifier: MIT
// The machine's C compiler: finding it, checking the user's options, and running it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "quern/error.hpp"

namespace quern::backend::host {

struct Compiler {
  std::string path;                // empty if none was found
  std::vector<std::string> tried;  // the candidates, in order
  std::string problem;             // why there is none and what to do about it

  [[nodiscard]] bool found() const noexcept { return !path.empty(); }
};

// QUERN_CC, then CC, then cc, gcc and clang on PATH. The variables hold a name or a path, no arguments. If
// the compiler of QUERN_CC does not exist, that is an error; no other is used.
Compiler find_compiler();

// Throws ArgumentError for an option that could start programs, read or write files, or change what is
// produced.
void check_options(const std::vector<std::string>& options);

// All inputs of a binary besides text and options.
std::string compiler_identity();

// A build that failed because a resource ran out. It says nothing about the compiler, which may work next
// time.
class BuildOutOfResources final : public BuildError {
 public:
  using BuildError::BuildError;
};

// Compiles text to the bytes of a shared library; `log` receives the compiler's warnings. Throws BuildError.
std::vector<std::byte> compile_to_library(const CompileRequest& request, std::string& log);

}  // namespace quern::backend::host
