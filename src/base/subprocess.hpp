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

// argv[0] is a path or a name that PATH resolves. `input` is its standard input. `variables` adds to this
// process's own, as "NAME=value". Returns when the program itself has ended, even if something it started
// still holds its output. It runs in a process group of its own, so that the terminal's Ctrl-C reaches the
// caller only. The whole group is killed at the limit, when check_interruption() throws, and when this
// process ends, however it does. It inherits no descriptor but the three standard ones, and no blocked or
// ignored signal that it would not expect. Of an output beyond 64 KiB the middle is left out. Throws Error
// when the program cannot be started (OutOfResources where descriptors, memory or processes ran out), or when
// its exit status went to someone else (a program that ignores SIGCHLD). Thread safe; the signals of the
// caller are left alone.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& input,
                          std::chrono::milliseconds limit, const std::vector<std::string>& variables = {});

// Whether this process is about to end and has killed all that it ran: a program that failed then did not
// fail by itself.
[[nodiscard]] bool has_ended_programs() noexcept;

// The path of an executable by PATH, absolute but with its links unresolved, since compilers ask by what name
// they were called; empty when there is none.
std::string find_executable(const std::string& name);

}  // namespace quern
