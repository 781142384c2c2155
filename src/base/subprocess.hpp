// SPDX-License-Identifier: MIT
// Runs a program without a shell, and never waits for it longer than asked.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace quern {

struct ProcessResult {
  int exit_code = -1;  // valid when the program ended by itself
  int signal = 0;      // that ended it, 0 for none
  bool timed_out = false;
  std::string output;  // standard output and error together
  [[nodiscard]] bool ok() const noexcept { return exit_code == 0 && signal == 0 && !timed_out; }
};

// argv[0] is a path or a name that PATH resolves. `input` is fed to its standard input. Its whole process group is
// killed at the limit. Throws Error when it cannot be started. Async-signal and thread safe: inherits no descriptor
// but the three standard ones, and blocks no signal of the caller.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input,
                          std::chrono::milliseconds limit);

// The full path of an executable by PATH; empty when there is none.
std::string find_executable(const std::string& name);

}  // namespace quern
