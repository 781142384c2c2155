// SPDX-License-Identifier: MIT
// Runs a program without a shell and with a time limit.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace quern {

struct ProcessResult {
  int exit_code = -1;  // valid if the program ended by itself
  int signal = 0;      // signal that ended it, 0 for none
  bool timed_out = false;
  std::string output;  // standard output and error together
  [[nodiscard]] bool ok() const noexcept { return exit_code == 0 && signal == 0 && !timed_out; }
};

// argv[0] is a path or a name that PATH resolves. `input` is its standard input. `variables` adds to this
// process's own, as "NAME=value". Returns when the program itself has ended, even if a child of it still
// holds its output. The program runs in its own process group, so the terminal's Ctrl-C reaches only the
// caller. The whole group is killed at the limit, when check_interruption() throws, and when this process
// ends in any way. It inherits no descriptor but the three standard ones, and no blocked or ignored signal
// that it would not expect. Of an output beyond 64 KiB the middle is omitted. Throws Error if the program
// cannot be started (OutOfResources if descriptors, memory or processes ran out), or if other code collected
// its exit status (a program that ignores SIGCHLD). Thread-safe; the caller's signals are not changed.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input,
                          std::chrono::milliseconds limit, const std::vector<std::string>& variables = {});

// Whether this process is about to end and has killed all programs: a program that failed then did not fail
// by itself.
[[nodiscard]] bool has_ended_programs() noexcept;

// The path of an executable by PATH, absolute but with its links unresolved, because compilers look at the
// name they were called by; empty if there is none.
std::string find_executable(const std::string& name);

}  // namespace quern
