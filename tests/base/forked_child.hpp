// SPDX-License-Identifier: MIT
// A part of a test that runs in a process of its own, for what changes or ends the whole process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>

namespace quern::testing {

// Starts `body` in a forked child, whose exit code is 0 when it returns true.
template <class Body>
pid_t fork_child(Body body) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  bool right = false;
  try {
    right = body();
  } catch (const std::exception&) {
  }
  ::_exit(right ? 0 : 1);
}

inline bool ended_well(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

template <class Body>
bool in_forked_child(Body body) {
  return ended_well(fork_child(body));
}

}  // namespace quern::testing
